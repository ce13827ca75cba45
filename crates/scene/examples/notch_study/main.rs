//! Study of the notched plate: onset, speed, place and angle of branches against the load and the spacing.
//!
//! `cargo run --release -p supple-scene --example notch_study > docs/fracture/notch.csv` repeats the kept results;
//! `-- 20 24` runs other numbers of cells over the height than 16, 20, 26 and 32.

mod plate;

use plate::{Plate, rayleigh_speed};

fn main() -> Result<(), String> {
    let given: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let cells = if given.is_empty() {
        vec![16, 20, 26, 32]
    } else {
        given
    };
    println!(
        "cells,spacing_mm,particles,tension_MPa,steps,onset_us,origin_x_mm,tip_mm,speed_m_per_s,speed_over_rayleigh,branch_x_mm,branch_angle_deg,seconds"
    );
    for cells in cells {
        for tension in [7e6, 10e6, 14e6] {
            let plate = Plate {
                cells,
                tension,
                until: 60e-6,
            };
            let start = std::time::Instant::now();
            let run = plate.run()?;
            let number = |x: Option<f64>, digits: usize| {
                x.map_or(String::new(), |x| format!("{x:.digits$}"))
            };
            let branching = run.branching();
            println!(
                "{cells},{:.3},{},{:.0},{},{},{:.1},{:.1},{},{},{},{},{:.1}",
                1e3 * run.spacing,
                run.particles,
                1e-6 * tension,
                run.steps,
                number(run.onset.map(|t| 1e6 * t), 2),
                1e3 * run.origin[0],
                1e3 * run.tips.last().map_or(plate::NOTCH, |t| t.1),
                number(run.speed(), 0),
                number(run.speed().map(|v| v / rayleigh_speed()), 3),
                number(branching.map(|b| 1e3 * b.0), 1),
                number(branching.map(|b| b.1), 0),
                start.elapsed().as_secs_f64(),
            );
        }
    }
    Ok(())
}
