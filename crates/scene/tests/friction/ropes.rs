//! A rope over a fixed cylinder against the equation of the capstan, T₂ = T₁ exp(μ φ).

use std::f64::consts::PI;

use super::{G, run, session, timed};

const RADIUS: f64 = 0.3;
const FRICTION: f64 = 0.3;
/// Number of links of the rope over the half circle.
const LINKS: usize = 48;
/// Stiffness of a link, N/m.
const STIFFNESS: f64 = 1e6;
/// Number of links of the straight parts.
const STRAIGHT: usize = 12;

/// A rope of light particles over a horizontal cylinder with two hanging masses, kg.
fn rope(masses: [f64; 2], until: f64) -> String {
    let r = RADIUS + 0.004;
    let link = PI * r / LINKS as f64;
    let mut places: Vec<[f64; 2]> = (1..=STRAIGHT)
        .rev()
        .map(|k| [-r, -(k as f64) * link])
        .collect();
    places.extend((0..=LINKS).map(|k| {
        let angle = PI * (1.0 - k as f64 / LINKS as f64);
        [r * angle.cos(), r * angle.sin()]
    }));
    places.extend((1..=STRAIGHT).map(|k| [r, -(k as f64) * link]));
    let last = places.len() - 1;
    let mut text = String::new();
    for (i, [x, y]) in places.iter().enumerate() {
        let mass = match i {
            0 => masses[0],
            i if i == last => masses[1],
            _ => 1e-4,
        };
        text += &format!("[[particle]]\nposition = [{x:?}, {y:?}, 0]\nmass = {mass:?}\n");
    }
    for i in 0..last {
        // Tensions between those of the two ends.
        let share = (i.saturating_sub(STRAIGHT) as f64 / LINKS as f64).min(1.0);
        let tension = G * (masses[0] + share * (masses[1] - masses[0]));
        let [a, b] = [places[i], places[i + 1]];
        let rest = (a[0] - b[0]).hypot(a[1] - b[1]) - tension / STIFFNESS;
        text += &format!(
            "[[spring]]\na = {i}\nb = {}\nstiffness = {STIFFNESS:?}\nrest = {rest:?}\ndamping = 5.0\n",
            i + 1
        );
    }
    text += &format!(
        "[[obstacle]]\nname = \"drum\"\n\
         capsule = {{ a = [0, 0, -1], b = [0, 0, 1], radius = {RADIUS:?} }}\n\
         [contact]\nkind = \"barrier\"\nreach = 0.008\nstiffness = 1.0\nfriction = {FRICTION:?}\n\
         [[contact.pair]]\na = \"particle-0\"\nb = \"drum\"\nignore = true\n"
    );
    timed(&text, "sdirk2", 1e-3, until)
}

/// Velocity of the second mass downwards at a time, m/s.
fn speed_at(masses: [f64; 2], until: f64) -> f64 {
    let mut one = session(&rope(masses, until));
    run(&mut one);
    let v = one.velocities();
    -v[v.len() - 1][1]
}

#[test]
fn a_rope_holds_below_the_capstan_ratio_and_slides_above() {
    let ratio = (FRICTION * PI).exp();
    let held = speed_at([1.0, 0.97 * ratio], 0.3);
    assert!(held.abs() < 2e-3, "the held rope moves with {held} m/s");
    // m₂ (g − a) = T₂ and m₁ (g + a) = T₁.
    let a = speed_at([1.0, 1.5 * ratio], 0.2) / 0.2;
    let measured = 1.5 * ratio * (G - a) / (G + a);
    assert!(
        (measured / ratio - 1.0).abs() < 0.03,
        "{measured} against {ratio}"
    );
}
