//! Bad input, each refused with a sentence that names its key.

use super::{block, particle, timed, try_session};

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let Err(message) = try_session(text) else {
        panic!("the scene should be refused:\n{text}");
    };
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in {message}");
    }
}

fn with(body: &str, contact: &str) -> String {
    timed(
        &block([0.2; 3], [1; 3], 1e5, body, contact),
        "sdirk2",
        0.01,
        0.1,
    )
}

#[test]
fn coefficients_and_speeds_that_cannot_work() {
    refused(
        &with("", "friction = -0.1"),
        &["contact.friction", "at least 0", "-0.1"],
    );
    refused(
        &with("friction = -2", ""),
        &["body[0].friction", "at least 0"],
    );
    refused(&with("friction = nan", ""), &["body[0].friction", "finite"]);
    refused(
        &with("", "friction = 0.3\nslip-speed = 0"),
        &["contact.slip-speed", "greater than 0"],
    );
    refused(
        &with("", "friction-mode = \"frozen\""),
        &["contact.friction-mode", "implicit", "lagged"],
    );
    let floor = with("", "").replace("name = \"floor\"", "name = \"floor\"\nfriction = -1");
    refused(&floor, &["obstacle[0].friction", "at least 0"]);
}

#[test]
fn pairs_of_unknown_names_and_pairs_that_never_touch() {
    let pair = |a: &str, keys: &str| {
        with(
            "",
            &format!("[[contact.pair]]\na = \"{a}\"\nb = \"floor\"\n{keys}"),
        )
    };
    refused(
        &pair("blok", "friction = 0.2"),
        &[
            "contact.pair[0].a",
            "no body or obstacle is named \"blok\"",
            "did you mean \"block\"",
        ],
    );
    refused(&pair("floor", "friction = 0.2"), &["contact.pair[0].b"]);
    refused(
        &pair("block", "friction = -0.2"),
        &["contact.pair[0].friction", "at least 0"],
    );
    refused(
        &pair("block", "friction = 0.2\nignore = true"),
        &["contact.pair[0].friction", "ignore"],
    );
}

#[test]
fn methods_and_analyses_without_friction() {
    for method in ["rk4", "ros3p", "s-backward-euler", "siere"] {
        let text = timed(
            &particle(0.1, 0.0, 0.0, "friction = 0.3"),
            method,
            0.01,
            0.1,
        );
        refused(&text, &["time.method"]);
    }
    let text = with("", "friction = 0.3").replace("sdirk2", "static");
    refused(&text, &["contact.friction"]);
    let scene = block([0.2; 3], [1; 3], 1e5, "friction = 0.3", "");
    let without = &scene[..scene.find("[contact]").unwrap()];
    refused(
        &timed(without, "sdirk2", 0.01, 0.1),
        &["body[0].friction", "no effect", "[contact]"],
    );
}
