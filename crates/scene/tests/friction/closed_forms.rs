//! Slopes, pushed blocks, stopping distances, conveyor belts and rolling bodies against closed forms.

use super::{G, block, mean_velocity, particle, run, run_until, session, timed};

const SLIP_SPEED: f64 = 1e-3;

/// Below atan μ a particle sticks and creeps with ε(1 − √(1 − tan θ/μ)) [Ascher et al. 2021, §5].
#[test]
fn a_particle_sticks_on_a_slope_and_creeps_as_the_closed_form_predicts() {
    for (method, fraction) in [
        ("backward-euler", 0.5f64),
        ("sdirk2", 0.95),
        ("trapezoid", 0.2),
        ("implicit-midpoint", 0.8),
    ] {
        let angle = (0.4 * fraction).atan();
        let text = timed(
            &particle(angle, 0.0, 0.0, "friction = 0.4"),
            method,
            5e-4,
            0.2,
        );
        let mut one = session(&text);
        run(&mut one);
        let v = one.state().v[0];
        let creep = SLIP_SPEED * (1.0 - (1.0 - fraction).sqrt());
        assert!(
            (v / creep - 1.0).abs() < 1e-6,
            "{method}: {v} against {creep}"
        );
    }
}

/// Above atan μ it slides with g (sin θ − μ cos θ).
#[test]
fn a_particle_slides_on_a_steep_slope_with_the_acceleration_of_coulomb() {
    for method in ["backward-euler", "sdirk2", "bdf2", "tr-bdf2"] {
        for (friction, angle) in [(0.3, 0.35f64), (0.5, 0.9), (0.8, 0.7)] {
            let contact = format!("friction = {friction:?}\nslip-speed = 1e-4");
            let text = timed(&particle(angle, 0.0, 0.0, &contact), method, 2e-3, 0.5);
            let mut one = session(&text);
            run_until(&mut one, 0.1, |_| {});
            let before = one.state().v[0];
            run(&mut one);
            let wanted = 0.4 * G * (angle.sin() - friction * angle.cos());
            let v = one.state().v[0] - before;
            assert!(
                (v / wanted - 1.0).abs() < 5e-3,
                "{method}, μ {friction}: {v} against {wanted}"
            );
        }
    }
}

/// A particle that bounces down a slope loses μ times the normal impulse: m Δv_x = m g sin θ T − μ (m Δv_y + m g cos θ T).
#[test]
fn friction_through_bounces_obeys_the_momentum_identity() {
    let (angle, friction, until): (f64, f64, f64) = (0.5, 0.3, 0.8);
    for method in ["backward-euler", "sdirk2", "tr-bdf2"] {
        let contact = format!("friction = {friction:?}");
        let text = timed(&particle(angle, 1.0, 0.05, &contact), method, 2e-3, until);
        let mut one = session(&text);
        let mut touches = 0;
        run_until(&mut one, until, |s| {
            touches += usize::from(!s.contacts()[1].is_empty())
        });
        assert!(touches > 10, "{method}: touches in {touches} steps");
        let v = &one.state().v;
        let normal = v[1] + G * angle.cos() * until;
        let wanted = 1.0 + G * angle.sin() * until - friction * normal;
        assert!(
            (v[0] - wanted).abs() < 1e-7 * friction * normal,
            "{method}: {} against {wanted}",
            v[0]
        );
    }
}

/// The same for a block, whose vertices touch one after the other.
#[test]
fn a_block_that_bounces_down_a_slope_obeys_the_momentum_identity() {
    let (angle, friction, until): (f64, f64, f64) = (0.45, 0.3, 0.4);
    let body = "velocity = { linear = [3, -0.6, 0] }";
    let (gx, gy) = (G * angle.sin(), G * angle.cos());
    let text = format!("gravity = [{gx:?}, {:?}, 0]\n", -gy)
        + &block([0.2, 0.1, 0.2], [2, 1, 2], 2e5, body, "friction = 0.3");
    let mut one = session(&timed(&text, "sdirk2", 2e-3, until));
    run(&mut one);
    let v = mean_velocity(&one, 1000.0 * 0.004);
    let normal = v[1] + 0.6 + gy * until;
    let lost = 3.0 + gx * until - v[0];
    assert!(
        (lost / (friction * normal) - 1.0).abs() < 5e-3,
        "{lost} m/s against {}",
        friction * normal
    );
}

/// A block stays below atan μ and leaves above it.
#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above() {
    let friction = 0.4f64;
    for (factor, slides) in [(0.97, false), (1.03, true)] {
        let angle = factor * friction.atan();
        let (gx, gy) = (G * angle.sin(), G * angle.cos());
        let text = format!("gravity = [{gx:?}, {:?}, 0]\n", -gy)
            + &block(
                [0.2, 0.06, 0.2],
                [2, 1, 2],
                2e5,
                "damping = { stiffness = 0.01 }",
                "friction = 0.4",
            );
        let mut one = session(&timed(&text, "backward-euler", 5e-3, 1.0));
        run_until(&mut one, 0.5, |_| {});
        let before = mean_velocity(&one, 2.4)[0];
        run(&mut one);
        let v = mean_velocity(&one, 2.4)[0];
        if slides {
            let wanted = 0.5 * (gx - friction * gy);
            assert!(
                ((v - before) / wanted - 1.0).abs() < 5e-3,
                "{} against {wanted}",
                v - before
            );
        } else {
            assert!(v > 0.0 && v < SLIP_SPEED, "creeps with {v} m/s");
        }
    }
}

/// A pushed block leaves at μ m g, within 1 %.
#[test]
fn a_pushed_block_leaves_at_the_threshold() {
    let (friction, mass): (f64, f64) = (0.5, 1000.0 * 0.3 * 0.05 * 0.3);
    for (factor, slides) in [(0.99, false), (1.01, true)] {
        let force = factor * friction * mass * G;
        let body = format!(
            "damping = {{ stiffness = 0.01 }}\n[[body.push]]\nwhere = \"all\"\nforce = [{force:?}, 0, 0]\nfrom = 0.5"
        );
        let block = block([0.3, 0.05, 0.3], [2, 1, 2], 2e5, &body, "friction = 0.5");
        let mut one = session(&timed(&block, "backward-euler", 0.01, 2.5));
        run_until(&mut one, 1.5, |_| {});
        let before = mean_velocity(&one, mass)[0];
        run(&mut one);
        let v = mean_velocity(&one, mass)[0];
        let gained = v - before;
        let wanted = 0.01 * friction * G;
        match slides {
            true => assert!(
                (gained / wanted - 1.0).abs() < 0.01,
                "{gained} against {wanted}"
            ),
            false => assert!(v < SLIP_SPEED, "creeps with {v} m/s"),
        }
    }
}

/// A sliding block stops after v²/(2 μ g), within 1 %.
#[test]
fn a_sliding_block_stops_after_the_distance_of_coulomb() {
    for (method, friction, step) in [("sdirk2", 0.3, 5e-3), ("tr-bdf2", 0.6, 5e-3)] {
        let contact = format!("friction = {friction:?}");
        let body = "damping = { stiffness = 0.005 }\nvelocity = { linear = [1.2, 0, 0] }";
        let block = block([0.2, 0.05, 0.2], [2, 1, 2], 5e5, body, &contact);
        let mut one = session(&timed(&block, method, step, 0.6));
        let mean = |s: &mut scene::session::Session| {
            let x = s.positions();
            x.iter().map(|x| x[0]).sum::<f64>() / x.len() as f64
        };
        let start = mean(&mut one);
        run(&mut one);
        let distance = mean(&mut one) - start;
        let wanted = 1.2 * 1.2 / (2.0 * friction * G);
        assert!(
            (distance / wanted - 1.0).abs() < 0.01,
            "{method}: {distance} m against {wanted} m"
        );
        // The block vibrates where it stands.
        let slip = one.contacts()[1][0].slip;
        assert!(slip < SLIP_SPEED, "{slip} m/s");
    }
}

/// A conveyor belt of speed V takes a particle along: friction dissipates m V²/2, the belt works m V².
#[test]
fn a_conveyor_belt_works_twice_the_kinetic_energy_that_it_gives() {
    let belt = "motion = { speed = { translate = [0.8, 0, 0] } }";
    let text = timed(
        &particle(0.0, 0.0, 0.0, "friction = 0.4"),
        "sdirk2",
        1e-3,
        0.5,
    )
    .replace("[contact]", &format!("{belt}\n[contact]"));
    let mut one = session(&text);
    let (mut friction, mut work) = (0.0, 0.0);
    run_until(&mut one, 0.5, |s| {
        friction += s.row().entry.friction;
        work += s.row().entry.work;
        assert!(s.row().entry.friction <= 0.0);
    });
    assert!((one.state().v[0] - 0.8).abs() < 1e-9);
    assert!((friction + 0.32).abs() < 1e-3 * 0.32, "{friction}");
    assert!((work - 0.64).abs() < 1e-3 * 0.64, "{work}");
}

/// A cylinder that is thrown without spin slides until it rolls. About a point of the floor friction has no moment, so that
/// it then moves with v₀/(1 + I/(m r²)), and its surface rests on the floor.
#[test]
fn a_thrown_cylinder_rolls_at_the_end() {
    let radius = 0.1;
    let text = format!(
        "[[body]]\nname = \"cylinder\"\n\
         mesh = {{ cylinder = {{ radius = {radius:?}, height = 0.05, cells = 16, layers = 1, axis = \"z\" }} }}\n\
         place = {{ translate = [0, {:?}, 0] }}\n\
         material = {{ young = 2e6, poisson = 0.3, density = 1000 }}\n\
         velocity = {{ linear = [1, 0, 0] }}\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
         [contact]\nkind = \"barrier\"\nreach = 0.006\nstiffness = 5e4\nfriction = 0.4\n",
        radius + 0.004
    );
    let mut one = session(&timed(&text, "sdirk2", 1e-3, 0.25));
    let mass = one.row().momentum.linear[0];
    run(&mut one);
    let slip = one.contacts()[1][0].slip;
    assert!(slip < SLIP_SPEED, "slips with {slip} m/s");
    // The cylinder still vibrates.
    let v = one.row().momentum.linear[0] / mass;
    assert!((v - 2.0 / 3.0).abs() < 0.01, "{v} m/s");
}

/// The same for a ball, which moves with v₀/(1 + I/(m r²)): 5/7 of its speed if it was round, and a little more as the mesh has
/// less moment of inertia.
#[test]
fn a_thrown_ball_rolls_at_the_end() {
    let radius = 0.1;
    let ball = |velocity: &str| {
        let text = format!(
            "[[body]]\nname = \"ball\"\n\
             mesh = {{ ball = {{ radius = {radius:?}, cells = 6, element = \"tet4\" }} }}\n\
             place = {{ translate = [0, {:?}, 0] }}\n\
             material = {{ young = 2e6, poisson = 0.3, density = 1000 }}\n\
             velocity = {{ {velocity} }}\n\
             [[obstacle]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
             [contact]\nkind = \"barrier\"\nreach = 0.008\nstiffness = 5e4\nfriction = 0.4\n",
            radius + 0.003
        );
        session(&timed(&text, "sdirk2", 4e-3, 0.24))
    };
    let mut one = ball("linear = [1, 0, 0]");
    let mass = one.row().momentum.linear[0];
    let inertia = ball("angular = [0, 0, 1]").row().momentum.angular[2];
    let rigid = inertia / (mass * radius * radius);
    assert!((0.3..0.42).contains(&rigid), "{rigid}");
    // It rolls over the edges of its mesh, so its speed varies.
    let (mut sum, mut steps) = (0.0, 0.0);
    run_until(&mut one, 0.24, |s| {
        if s.t() > 0.1 {
            (sum, steps) = (sum + s.row().momentum.linear[0] / mass, steps + 1.0);
        }
    });
    let slip = one.contacts()[1][0].slip;
    assert!(slip < SLIP_SPEED, "slips with {slip} m/s");
    let (v, wanted) = (sum / steps, 1.0 / (1.0 + rigid));
    assert!((v / wanted - 1.0).abs() < 0.01, "{v} m/s of {wanted} m/s");
}
