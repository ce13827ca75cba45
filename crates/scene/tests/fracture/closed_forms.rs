//! Closed forms: speed of a plane wave, energy of uniform strains, fracture energy counted over bonds.

use super::{run, session};

/// Speed of a smooth pulse along a bar whose sides are held, relative to √(1.2 E/ρ), by the time its peak takes between two
/// probes.
fn wave_speed(cells: u32, spacings: f64, extra: &str) -> f64 {
    let spacing = 1.0 / f64::from(cells);
    let (young, density): (f64, f64) = (1e6, 1000.0);
    let speed = (1.2 * young / density).sqrt();
    let text = format!(
        r#"
gravity = [0, 0, 0]
[time]
method = "newmark"
step = {step:?}
until = {until:?}
[[body]]
name = "bar"
mesh = {{ box = {{ size = [1, {width:?}, {width:?}], cells = [{cells}, {across}, {across}] }} }}
bonds = {{ horizon = {horizon:?}, young = {young:?}, density = {density:?} {extra} }}
[[body.fix]]
where = "all"
axes = "yz"
[[body.fix]]
where = {{ x = 0 }}
axes = "x"
motion = {{ keys = [{{ t = 0 }}, {{ t = {rise:?}, translate = [1e-4, 0, 0] }}, {{ t = {fall:?} }}] }}
[[probe]]
name = "near"
body = "bar"
near = [0.35, {middle:?}, {middle:?}]
[[probe]]
name = "far"
body = "bar"
near = [0.7, {middle:?}, {middle:?}]
"#,
        step = 0.4 * spacing / speed,
        until = 1.6 / speed,
        width = 4.0 * spacing,
        across = 4,
        horizon = spacings * spacing,
        rise = 0.18 / speed,
        fall = 0.36 / speed,
        middle = 2.0 * spacing,
    );
    let mut session = session(&text);
    let nodes: Vec<usize> = session.probes.iter().map(|(_, i)| *i as usize).collect();
    let rest: Vec<f64> = nodes.iter().map(|&i| session.model.rest()[i][0]).collect();
    let mut times = Vec::new();
    let mut heights = [Vec::new(), Vec::new()];
    run(&mut session, |session| {
        times.push(session.t());
        let (model, state) = session.model_and_state();
        model.expand(state.t, &state.u, &state.v);
        for (k, heights) in heights.iter_mut().enumerate() {
            heights.push(model.position(nodes[k])[0] - rest[k]);
        }
    });
    let [near, far] = heights.map(|h| centre(&times, &h));
    (rest[1] - rest[0]) / (far - near) / speed
}

/// Time of a pulse: the mean of the times at which it passes half of its height.
fn centre(times: &[f64], heights: &[f64]) -> f64 {
    let top = heights.iter().copied().fold(0.0, f64::max);
    let crossings: Vec<f64> = (1..times.len())
        .filter(|&i| (heights[i] > 0.5 * top) != (heights[i - 1] > 0.5 * top))
        .map(|i| {
            let share = (0.5 * top - heights[i - 1]) / (heights[i] - heights[i - 1]);
            times[i - 1] + share * (times[i] - times[i - 1])
        })
        .collect();
    assert!(crossings.len() >= 2, "{crossings:?}");
    0.5 * (crossings[0] + crossings[1])
}

/// The speed of the calibrated solid is within 2 %, and converges with the spacing at a fixed number of spacings.
#[test]
fn a_plane_wave_has_the_speed_of_the_continuum() {
    let coarse = wave_speed(40, 3.0, "");
    let fine = wave_speed(80, 3.0, "");
    let linear = wave_speed(80, 3.0, ", influence = \"linear\"");
    assert!((fine - 1.0).abs() < 0.02, "{fine}");
    assert!((linear - 1.0).abs() < 0.02, "{linear}");
    assert!((fine - 1.0).abs() < (coarse - 1.0).abs(), "{coarse} {fine}");
    // Plain sums miss the speed by about the root of 0.85.
    let plain = wave_speed(40, 3.0, ", calibrate = false");
    assert!(plain < coarse - 0.04, "{plain}");
}

/// A stretched block stores the energy of the continuum, up to squares of the strain.
#[test]
fn a_stretched_block_has_the_energy_of_the_continuum() {
    for (stretch, energy) in [
        // ½ (λ + 2μ) e² and ½ · 3 (3λ + 2μ) e² per volume, with λ = μ = 0.4 E.
        ("[1.0001, 1, 1]", 0.6e-8),
        ("[1.0001, 1.0001, 1.0001]", 3.0e-8),
    ] {
        for element in ["hex8", "tet4"] {
            let text = format!(
                r#"
[time]
step = 1e-3
until = 1e-3
[[body]]
mesh = {{ box = {{ size = [1.2, 1, 1], cells = [12, 10, 10], element = "{element}" }} }}
bonds = {{ horizon = 0.3, young = 1e6 }}
stretch = {stretch}
"#
            );
            let session = session(&text);
            let found = session.row().energies.strain / (1.2 * energy * 1e6);
            assert!((found - 1.0).abs() < 0.02, "{element} {stretch}: {found}");
        }
    }
}

/// The energy of the bonds across a plane, at their critical stretch, is the fracture energy times the area.
#[test]
fn bonds_across_a_plane_have_the_fracture_energy() {
    for (spacings, cells) in [(3.0, 24), (4.0, 30), (6.0, 30)] {
        let text = format!(
            r#"
[time]
step = 1e-3
until = 1e-3
[[body]]
mesh = {{ box = {{ size = [{length:?}, 1, 1], cells = [{cells}, 10, 10] }} }}
bonds = {{ horizon = {horizon:?}, young = 1e9, fracture-energy = 7.5 }}
"#,
            length = 0.1 * f64::from(cells),
            horizon = 0.1 * spacings,
        );
        let session = session(&text);
        let bonds = session.model.bonds().next().unwrap();
        let x = 0.05 * f64::from(cells) + 0.05;
        let rest = session.model.rest();
        let across = bonds.critical_energies().filter(|(ends, _)| {
            let [p, q] = ends.map(|i| rest[i as usize][0]);
            (p < x) != (q < x)
        });
        // The cross-section is one square metre.
        let counted: f64 = across.map(|(_, energy)| energy).sum();
        assert!((counted / 7.5 - 1.0).abs() < 0.015, "{spacings}: {counted}");
    }
}
