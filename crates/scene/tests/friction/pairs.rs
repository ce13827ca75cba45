//! Coefficients of pairs, obstacles, bodies and `[contact]` in one scene.

use super::{G, run, session, timed};

/// Cubes that slide side by side on two floors, one of them with a coefficient of its own, and one on a fixed slab.
fn scene() -> String {
    let weight = 1000.0 * G * 0.05;
    let mut text = String::new();
    let mut body = |name: &str, place: [f64; 3], size: [f64; 3], more: &str| {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nmesh = {{ box = {{ size = {size:?}, cells = [1, 1, 1] }} }}\n\
             place = {{ translate = {place:?} }}\nmaterial = {{ young = 1e6, poisson = 0.3, density = 1000 }}\n{more}\n"
        );
    };
    let cube = [0.1, 0.05, 0.1];
    let slides = "velocity = { linear = [0, 0, 2] }";
    let with = |friction: f64| format!("friction = {friction:?}\n{slides}");
    body("default", [0.0, 0.004, 0.0], cube, slides);
    body("own", [0.2, 0.004, 0.0], cube, &with(0.3));
    body("pair", [0.4, 0.004, 0.0], cube, &with(0.3));
    body("floor-wins", [1.2, 0.004, 0.0], cube, &with(0.3));
    body("pair-wins", [1.4, 0.004, 0.0], cube, &with(0.3));
    body("larger", [2.2, 0.058, 0.0], cube, &with(0.25));
    let fixed = "friction = 0.35\n[[body.fix]]\nwhere = \"all\"";
    body("slab", [2.0, 0.004, 0.0], [0.5, 0.05, 1.0], fixed);
    for (name, from, more) in [("first", -0.5, ""), ("second", 0.9, "friction = 0.15")] {
        text += &format!(
            "[[obstacle]]\nname = \"{name}\"\nbox = {{ min = [{from:?}, -1, -1], max = [{:?}, 0, 2] }}\n{more}\n",
            from + 1.2
        );
    }
    text += &format!(
        "[contact]\nkind = \"barrier\"\nreach = 0.008\nstiffness = {weight:?}\nfriction = 0.1\n\
         [[contact.pair]]\na = \"pair\"\nb = \"first\"\nfriction = 0.2\n\
         [[contact.pair]]\na = \"second\"\nb = \"pair-wins\"\nfriction = 0.4\n"
    );
    timed(&text, "sdirk2", 2e-3, 0.1)
}

#[test]
fn pairs_come_before_obstacles_and_bodies_and_these_before_the_default() {
    let mut all = session(&scene());
    run(&mut all);
    let (mean, fall): (Vec<_>, Vec<_>) = all
        .velocities()
        .chunks(8)
        .map(|v| {
            let mean = |k: usize| v.iter().map(|v| v[k]).sum::<f64>() / 8.0;
            (mean(2), mean(1))
        })
        .unzip();
    let wanted = [0.1, 0.3, 0.2, 0.15, 0.4, 0.35];
    for (i, friction) in wanted.iter().enumerate() {
        // The normal impulse is m (g T + Δv_y).
        let lost = (2.0 - mean[i]) / (0.1 * G + fall[i]);
        assert!(
            (lost / friction - 1.0).abs() < 0.01,
            "body {i}: {lost} instead of {friction}"
        );
    }
}
