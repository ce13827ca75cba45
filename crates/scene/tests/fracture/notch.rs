//! A notched plate under sudden tension: it cracks from its notch, below the speed of surface waves, and branches at high load.

use super::plate::{HEIGHT, NOTCH, Plate, rayleigh_speed};

fn plate(tension: f64, until: f64) -> super::plate::Outcome {
    let plate = Plate {
        cells: 16,
        tension,
        until,
    };
    plate.run().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_notched_plate_cracks_from_its_notch_and_branches_at_high_load() {
    let low = plate(6e6, 50e-6);
    let high = plate(16e6, 40e-6);
    for run in [&low, &high] {
        let [x, y] = run.origin;
        assert!((x - NOTCH).abs() < 4.0 * run.spacing, "{:?}", run.origin);
        assert!(
            (y - 0.5 * HEIGHT).abs() < 2.0 * run.spacing,
            "{:?}",
            run.origin
        );
        assert!(run.tips.last().unwrap().1 > NOTCH + 0.02, "{:?}", run.tips);
        let speed = run.speed().unwrap();
        let share = speed / rayleigh_speed();
        assert!(share > 0.2 && share < 1.0, "{speed} m/s, {share}");
    }
    assert!(high.onset.unwrap() < low.onset.unwrap());
    assert!(low.branching().is_none(), "{:?}", low.branching());
    let (_, angle) = high.branching().expect("two branches");
    assert!(angle > 10.0 && angle < 120.0, "{angle}");
}
