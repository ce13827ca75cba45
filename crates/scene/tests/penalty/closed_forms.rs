//! Particles and bodies with exact answers: bounces, rest, sliding, collisions.

use super::{G, REACH, particle, run, session};

/// A particle that falls on the spring leaves with the part e of its speed.
#[test]
fn a_particle_leaves_with_the_restituted_speed() {
    for (restitution, tolerance) in [(1.0, 1e-6), (0.7, 0.01), (0.3, 0.03), (0.0, 0.02)] {
        let contact = format!("restitution = {restitution:?}");
        let (height, fall) = (0.05, [0.0, -1.0, 0.0]);
        let text = particle([0.0, height, 0.0], fall, &contact, "rk4", 2e-4, 0.3);
        let mut s = session(&text.replace("[time]", "gravity = [0, 0, 0]\n[time]"));
        let mut contact_energy = 0.0;
        run(&mut s, |s| {
            let row = s.row();
            assert!(row.entry.contact <= 0.0, "{:?}", row.entry);
            contact_energy += row.entry.contact;
        });
        let speed = s.velocities()[0][1];
        assert!(
            (speed - restitution).abs() < tolerance,
            "{restitution}: {speed}"
        );
        // A particle that does not leave keeps the energy of the spring for a while.
        let lost = s.energies().total() - 0.5;
        assert!(
            (contact_energy - lost).abs() < 1e-3,
            "{contact_energy} J of {lost} J"
        );
    }
}

/// A bounce that fits into one step is restituted too.
#[test]
fn a_bounce_within_a_step_is_restituted() {
    let contact = "restitution = 0.5\n";
    // The stiff spring turns the particle around within a fraction of the step of the explicit method.
    let text = particle(
        [0.0, 0.0101, 0.0],
        [0.0, -1.0, 0.0],
        contact,
        "backward-euler",
        0.02,
        0.4,
    )
    .replace(&format!("stiffness = {G:?}"), "stiffness = 1e4")
    .replace("[time]", "gravity = [0, 0, 0]\n[time]");
    let mut s = session(&text);
    let mut lowest = f64::INFINITY;
    run(&mut s, |s| lowest = s.positions()[0][1].min(lowest));
    assert!(s.velocities()[0][1] >= 0.0 && s.velocities()[0][1] <= 0.5);
    assert!(lowest > -0.02);
}

/// The weight of a particle is carried at half the reach, at any step.
#[test]
fn stiffness_is_the_pressure_at_half_the_reach() {
    for step in [0.001, 0.01] {
        let start = [0.0, 0.5 * REACH, 0.0];
        let mut s = session(&particle(start, [0.0; 3], "", "backward-euler", step, 0.1));
        run(&mut s, |_| {});
        assert!((s.positions()[0][1] - 0.5 * REACH).abs() < 1e-12);
        assert!((s.contacts()[1][0].normal_force - G).abs() < 1e-9);
    }
}

/// A sliding particle stops after v²/(2 μ g), all its energy is booked as friction, and no step of friction adds energy.
#[test]
fn a_sliding_particle_stops_where_coulomb_says() {
    for method in [
        "backward-euler",
        "sdirk2",
        "rk4",
        "ros3p",
        "s-bdf2",
        "implicit-midpoint",
    ] {
        let (start, v) = ([0.0, 0.5 * REACH, 0.0], [1.0, 0.0, 0.0]);
        let text = particle(start, v, "friction = 0.4", method, 5e-4, 0.35);
        let mut s = session(&text);
        let mut friction = 0.0;
        run(&mut s, |s| {
            assert!(s.row().entry.friction <= 0.0);
            friction += s.row().entry.friction;
        });
        let wanted = 1.0 / (2.0 * 0.4 * G);
        let found = s.positions()[0][0];
        assert!(
            (found - wanted).abs() < 0.01 * wanted,
            "{method}: {found} m of {wanted} m"
        );
        assert!((friction + 0.5).abs() < 0.01, "{method}: {friction} J");
        assert!(s.velocities()[0][0].abs() < 1e-12, "{method} still slides");
    }
}

/// On a slope a particle at rest stays if tan θ < μ, up to the creep of an impulse after the step, and slides with
/// g (sin θ − μ cos θ) otherwise.
#[test]
fn slopes_hold_below_the_angle_of_friction() {
    let angle = 0.3_f64;
    for friction in [0.9 * angle.tan(), 1.1 * angle.tan()] {
        let contact = format!("friction = {friction:?}");
        let gravity = format!(
            "gravity = [{:?}, {:?}, 0]\n[time]",
            G * angle.sin(),
            -G * angle.cos()
        );
        let rest = REACH * (1.0 - 0.5 * angle.cos());
        let text = particle(
            [0.0, rest, 0.0],
            [0.0; 3],
            &contact,
            "backward-euler",
            1e-3,
            0.5,
        );
        let mut s = session(&text.replace("[time]", &gravity));
        run(&mut s, |_| {});
        let moved = s.positions()[0][0];
        let acceleration = (G * (angle.sin() - friction * angle.cos())).max(0.0);
        let wanted = 0.5 * acceleration * 0.25;
        // An impulse after the step lets a step of length h move by h² g sin θ before it stops it.
        let creep = 1e-3 * 0.5 * G * angle.sin();
        assert!(
            (moved - wanted).abs() < 0.01 * wanted + 1.01 * creep,
            "{moved} m of {wanted} m"
        );
    }
}

/// A belt carries a particle along: friction is not positive, and the energy comes from the belt.
#[test]
fn a_moving_obstacle_does_the_work_of_friction() {
    let start = [0.0, 0.5 * REACH, 0.0];
    let text = particle(
        start,
        [0.0; 3],
        "friction = 0.4",
        "backward-euler",
        1e-3,
        0.5,
    )
    .replace(
        "normal = [0, 1, 0] }",
        "normal = [0, 1, 0] }\nmotion = { speed = { translate = [1, 0, 0] } }",
    );
    let mut s = session(&text);
    let (mut friction, mut work) = (0.0, 0.0);
    run(&mut s, |s| {
        let entry = s.row().entry;
        assert!(entry.friction <= 1e-15, "{entry:?}");
        friction += entry.friction;
        work += entry.work;
    });
    assert!(
        (s.velocities()[0][0] - 1.0).abs() < 1e-9,
        "the particle moves with the belt"
    );
    assert!(
        (work - 1.0).abs() < 0.01 && (friction + 0.5).abs() < 0.01,
        "{work} {friction}"
    );
}

/// Two bodies that collide in space keep their linear momentum, and stay outside of each other.
#[test]
fn colliding_bodies_keep_their_momentum() {
    let cube = |name: &str, x: f64, v: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmesh = {{ box = {{ size = [0.3, 0.3, 0.3], cells = [3, 3, 3] }} }}\n\
             place = {{ translate = [{x:?}, {:?}, 0.0], rotate-deg = [0, {:?}, 0] }}\n\
             material = {{ young = 2e5, poisson = 0.3, density = 1000 }}\nvelocity = {{ linear = [{v:?}, 0, 0] }}\n",
            0.1 * x,
            30.0 * x,
        )
    };
    let (a, b) = (cube("a", 0.0, 1.0), cube("b", 0.4, -1.0));
    let text = format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"sdirk2\"\nstep = 0.002\nuntil = 0.3\n{a}{b}\
         [contact]\nkind = \"penalty\"\nreach = 0.01\nstiffness = 1e5\nfriction = 0.3\n"
    );
    let mut s = session(&text);
    let before = s.row().momentum.linear;
    let (mut deepest, mut touched) = (0.0_f64, 0.0_f64);
    run(&mut s, |s| {
        let row = s.row();
        for (now, was) in row.momentum.linear.iter().zip(before) {
            assert!((now - was).abs() < 1e-10 * 27.0, "{now} {was}");
        }
        for pair in s.contacts()[1] {
            deepest = deepest.max(-pair.gap);
            touched = touched.max(pair.normal_force);
        }
    });
    assert!(
        touched > 100.0,
        "the cubes should have touched: {touched} N"
    );
    assert!(deepest < 0.02, "{deepest} m deep");
    let velocity = |s: &mut scene::session::Session, nodes: std::ops::Range<usize>| {
        let v = s.velocities();
        v[nodes.clone()].iter().map(|v| v[0]).sum::<f64>() / nodes.len() as f64
    };
    assert!(velocity(&mut s, 0..64) < 0.0 && velocity(&mut s, 64..128) > 0.0);
}
