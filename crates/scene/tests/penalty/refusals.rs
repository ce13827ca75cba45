//! Keys that penalty contact refuses, each with a sentence.

use super::{particle, session, try_session};

#[track_caller]
fn refused(contact: &str, words: &[&str]) {
    let text = particle([0.0, 1.0, 0.0], [0.0; 3], contact, "rk4", 0.01, 0.1);
    let Err(sentence) = try_session(&text) else {
        panic!("{contact} should be refused");
    };
    for word in words {
        assert!(sentence.contains(word), "{sentence}");
    }
}

#[test]
fn keys_without_effect_and_bad_values_are_refused() {
    refused("friction = -0.1", &["contact.friction", "at least 0"]);
    refused("restitution = 1.5", &["contact.restitution", "1.5"]);
    refused("shape = \"log\"", &["contact.shape", "penalty"]);
    refused("slip-speed = 0.1", &["contact.slip-speed", "penalty"]);
    refused(
        "friction-mode = \"lagged\"",
        &["contact.friction-mode", "penalty"],
    );
    let pair = "[[contact.pair]]\na = \"floor\"\nb = \"flor\"\nfriction = 0.1";
    refused(pair, &["contact.pair[0].b", "flor"]);
    let barrier = particle(
        [0.0, 1.0, 0.0],
        [0.0; 3],
        "restitution = 0.5",
        "sdirk2",
        0.01,
        0.1,
    )
    .replace("penalty", "barrier");
    let Err(sentence) = try_session(&barrier) else {
        panic!("restitution should be refused with a barrier");
    };
    assert!(sentence.contains("contact.restitution"), "{sentence}");
}

#[test]
fn pairs_have_friction_of_their_own() {
    let pair =
        "friction = 0.9\n[[contact.pair]]\na = \"floor\"\nb = \"particle-0\"\nfriction = 0.0";
    let text = particle(
        [0.0, 0.005, 0.0],
        [1.0, 0.0, 0.0],
        pair,
        "sdirk2",
        1e-3,
        0.1,
    );
    let mut s = session(&text);
    super::run(&mut s, |_| {});
    assert!((s.velocities()[0][0] - 1.0).abs() < 1e-12);
}
