//! [Löschner et al. 2020, sec. 5.5, Fig. 1 left]: many bodies that fall through a maze of trampolines.

use std::fmt::Write;

use chart::{Axis, Chart, Series};
use scene::session::Flow;

use crate::check::{above, at_most, condition};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

/// Size of a trampoline: its sides and its thickness, m.
const SIDE: f64 = 1.2;
const THICKNESS: f64 = 0.06;
/// Radius of a falling body, m.
const RADIUS: f64 = 0.12;

/// Falling bodies above staggered trampolines that are held at their corners; `damped` as in the paper.
fn text(bodies: u32, trampolines: u32, cells: [u32; 2], damped: bool) -> String {
    let damping = |a: f64| match damped {
        true => format!("damping = {{ mass = {a:?}, stiffness = {a:?} }}\n"),
        false => String::new(),
    };
    let mut text = String::from("[time]\nmethod = \"sdirk2\"\nstep = 0.005\nuntil = 1.0\n");
    for k in 0..trampolines {
        let (level, column) = (k / 2, k % 2);
        // Levels alternate, so that what slides off one trampoline lands on the next.
        let x = 1.3 * f64::from(column) + 0.6 * f64::from(level % 2);
        let y = -f64::from(level);
        write!(
            text,
            "[[body]]\nname = \"trampoline-{k}\"\nmesh = {{ box = {{ size = [{SIDE:?}, {THICKNESS:?}, {SIDE:?}], cells = [{0}, 1, {0}] }} }}\nplace = {{ translate = [{x:?}, {y:?}, 0.0] }}\nmaterial = {{ young = 1e6, poisson = 0.4, density = 1000 }}\n{1}[[body.fix]]\nwhere = \"corners\"\n",
            cells[0],
            damping(5e-4)
        )
        .ok();
    }
    for k in 0..bodies {
        let (layer, place) = (k / 6, k % 6);
        let x = 0.35 + 0.55 * f64::from(place % 3) + 0.05 * f64::from(layer % 3);
        let z = 0.35 + 0.45 * f64::from(place / 3) + 0.03 * f64::from(layer % 2);
        let y = 0.3 + 0.4 * f64::from(layer);
        write!(
            text,
            "[[body]]\nname = \"duck-{k}\"\nmesh = {{ ball = {{ radius = {RADIUS:?}, cells = {}, element = \"tet4\" }} }}\nplace = {{ translate = [{x:?}, {y:?}, {z:?}] }}\nmaterial = {{ young = 5e4, poisson = 0.4, density = 250 }}\n{}velocity = {{ linear = [0, -1, 0] }}\n",
            cells[1],
            damping(5e-3)
        )
        .ok();
    }
    text + "[contact]\nkind = \"corrector\"\n"
}

/// Computes the result and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (bodies, trampolines, cells, until) =
        job.size.pick((6, 2, [4, 2], 0.6), (30, 10, [8, 4], 4.0));
    let mut finding = Finding::default();
    finding.parameter("bodies", bodies);
    finding.parameter("trampolines", trampolines);
    finding.parameter(
        "cells",
        format!(
            "{} along a trampoline, {} across a ball",
            cells[0], cells[1]
        ),
    );
    finding.parameter(
        "material",
        "falling: 250 kg/m3, E = 5e4 Pa, nu = 0.4; trampolines: 1000 kg/m3, E = 1e6 Pa, nu = 0.4",
    );
    finding.parameter("damping", "5e-3 and 5e-4 for mass and stiffness; also none");
    finding.parameter("until_s", until);
    finding.choice("Ducks are balls of 0.24 m. All bodies are there from the start, in layers. Trampolines are 1.2 m x 0.06 m x 1.2 m. Rows are those on positions, our default. Overlaps are gaps at the start of a step plus the motion along their normals.");
    let mut table = Table::new(
        "runs",
        [
            "run",
            "steps",
            "most_touching_pairs",
            "deepest_m",
            "energy_left",
        ],
    );
    let mut series = Vec::new();
    let mut results = Vec::new();
    for (name, damped) in [("damped", true), ("undamped", false)] {
        (job.progress)(name);
        let set = [("time.until", format!("{until:?}"))];
        let mut sim = open_scene(&text(bodies, trampolines, cells, damped), &set)?;
        let start = sim.energies().kinetic_plus_strain();
        let (mut pairs, mut depth, mut steps) = (0usize, 0.0f64, 0u64);
        let (mut curve, mut finite) = (Vec::new(), true);
        let ended = sim.run_until(until, &mut |sim, row| {
            steps += 1;
            let touching = sim.contacts()[1];
            pairs = pairs.max(touching.len());
            depth = touching.iter().fold(depth, |d, p| d.max(-p.gap));
            finite &= row.energies.total().is_finite();
            curve.push((row.t, touching.len() as f64));
            Flow::On
        });
        ended.map_err(PaperError::from_session(name))?;
        let left = sim.energies().kinetic_plus_strain();
        table.line(name, [steps as f64, pairs as f64, depth, left / start]);
        series.push(Series::line(name, curve));
        results.push((name, pairs, depth, finite));
    }
    finding.tables.push(table);
    finding.plot(
        "pairs",
        Chart {
            title: "Falling bodies and trampolines: touching pairs".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("pairs"),
            series,
        },
    );
    for (name, pairs, depth, finite) in results {
        finding.claim(
            format!("robust-{name}"),
            "the contact model handles many contacts robustly, also without damping",
            format!("{name}: up to {pairs} touching pairs, deepest overlap {depth:.1e} m"),
            [
                condition(finite, "every energy is finite"),
                above(pairs as f64, f64::from(bodies) / 6.0).of("touching pairs"),
                at_most(depth, 0.5 * THICKNESS).of("overlap, m"),
            ],
        );
    }
    Ok(finding)
}
