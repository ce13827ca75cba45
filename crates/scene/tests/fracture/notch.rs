//! A notched plate under sudden tension: it cracks from its notch, below the speed of surface waves.
//! Branches at high load need a finer plate: `notch_study` has them.

use super::plate::{HEIGHT, NOTCH, Outcome, Plate, rayleigh_speed};

fn plate(cells: u32, tension: f64, until: f64) -> Outcome {
    let plate = Plate {
        cells,
        tension,
        until,
    };
    let run = plate.run().unwrap_or_else(|e| panic!("{e}"));
    assert!(run.particles > 1000, "{} particles", run.particles);
    let [x, y] = run.origin;
    assert!((x - NOTCH).abs() < 4.0 * run.spacing, "{:?}", run.origin);
    let off = (y - 0.5 * HEIGHT).abs();
    assert!(off < 2.0 * run.spacing, "{:?}", run.origin);
    assert!(run.tips.last().unwrap().1 > NOTCH + 0.02, "{:?}", run.tips);
    let speed = run.speed().unwrap();
    let share = speed / rayleigh_speed();
    assert!(share > 0.2 && share < 1.0, "{speed} m/s, {share}");
    run
}

#[test]
fn a_notched_plate_cracks_from_its_notch() {
    let run = plate(16, 7e6, 55e-6);
    assert_eq!(run.particles, 41 * 17 * 2);
    assert!(run.branching().is_none(), "{:?}", run.branching());
}
