//! [Löschner et al. 2020, sec. 5.5, Fig. 1 left]: many bodies that fall through a maze of trampolines.

use std::fmt::Write;

use chart::{Axis, Chart, Series};
use rayon::prelude::*;
use scene::session::{Flow, Session};

use crate::check::{above, at_most, condition};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

/// Size of a trampoline: its sides and its thickness, m.
const SIDE: f64 = 1.2;
const THICKNESS: f64 = 0.06;
/// Radius of a falling body, m.
const RADIUS: f64 = 0.12;

/// Time between two bodies of an emitter, s.
const EVERY: f64 = 0.5;

/// Staggered trampolines that are held at their corners, and bodies that are emitted above them, from up to six places;
/// `damped` as in the paper.
fn text(bodies: u32, trampolines: u32, cells: [u32; 2], run: &Run) -> String {
    let damping = |a: f64| match run.damped {
        true => format!("damping = {{ mass = {a:?}, stiffness = {a:?} }}\n"),
        false => String::new(),
    };
    let mut text = format!(
        "[time]\nmethod = \"{}\"\nstep = 0.005\nuntil = 1.0\n",
        run.method
    );
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
    let places = bodies.div_ceil(5).max(3);
    for place in 0..places {
        let x = 0.4 + 0.7 * f64::from(place % 3);
        let z = 0.35 + 0.5 * f64::from(place / 3);
        // They drift, so that a body that bounces back does not meet the next one where it appears.
        let drift = if place % 2 == 0 { 0.5 } else { -0.5 };
        write!(
            text,
            "[[emit]]\nevery = {EVERY:?}\ncount = {}\nvelocity = {{ linear = [{drift:?}, -1, 0.1] }}\nplace = {{ translate = [{x:?}, 0.6, {z:?}] }}\n[emit.body]\nname = \"duck-{place}\"\nmesh = {{ ball = {{ radius = {RADIUS:?}, cells = {}, element = \"tet4\" }} }}\nmaterial = {{ young = 5e4, poisson = 0.4, density = 250 }}\n{}",
            bodies / places,
            cells[1],
            damping(5e-3)
        )
        .ok();
    }
    text + "[contact]\nkind = \"corrector\"\ndamping = \"exclude\"\n"
}

/// A run of the scene.
struct Run {
    name: &'static str,
    method: &'static str,
    damped: bool,
}

const RUNS: [Run; 3] = [
    Run {
        name: "damped",
        method: "sdirk2",
        damped: true,
    },
    Run {
        name: "undamped",
        method: "sdirk2",
        damped: false,
    },
    Run {
        name: "damped, backward Euler",
        method: "backward-euler",
        damped: true,
    },
];

/// What a run found.
struct Fall {
    /// Touching pairs along the run.
    pairs: Vec<(f64, f64)>,
    /// Deepest overlap, m.
    depth: f64,
    steps: u64,
    finite: bool,
    emitted: usize,
    /// Mean kinetic energy of the trampolines in the last fifth, J.
    motion: f64,
}

impl Fall {
    fn most_pairs(&self) -> f64 {
        self.pairs.iter().fold(0.0, |m, p| m.max(p.1))
    }
}

/// Kinetic energy of the trampolines with lumped masses, J; their nodes come first.
fn trampoline_energy(sim: &mut Session, nodes: usize) -> f64 {
    let v = sim.velocities();
    let masses = &sim.model.node_mass()[..nodes];
    let one = |(m, v): (&f64, &[f64; 3])| 0.5 * m * v.iter().map(|v| v * v).sum::<f64>();
    masses.iter().zip(&v).map(one).sum()
}

fn fall(text: &str, until: f64, what: &str) -> Result<Fall, PaperError> {
    let mut sim = open_scene(text, &[("time.until", format!("{until:?}"))])?;
    let emitted = sim.model.emitted();
    let nodes = emitted.iter().map(|b| b.nodes.start as usize).min();
    let nodes = nodes.unwrap_or(0);
    let mut out = Fall {
        pairs: Vec::new(),
        depth: 0.0,
        steps: 0,
        finite: true,
        emitted: 0,
        motion: 0.0,
    };
    let (mut sum, mut samples) = (0.0, 0.0);
    let ended = sim.run_until(until, &mut |sim, row| {
        out.steps += 1;
        let touching = sim.contacts()[1];
        out.depth = touching.iter().fold(out.depth, |d, p| d.max(-p.gap));
        out.pairs.push((row.t, touching.len() as f64));
        out.finite &= row.energies.total().is_finite();
        if row.t > 0.8 * until {
            sum += trampoline_energy(sim, nodes);
            samples += 1.0;
        }
        Flow::On
    });
    ended.map_err(PaperError::from_session(what))?;
    out.emitted = sim.model.appeared();
    out.motion = sum / samples;
    Ok(out)
}

/// Computes the result and checks the claims of the paper against the numbers.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let (bodies, trampolines, cells, until) =
        job.size.pick((6, 2, [4, 2], 0.8), (30, 10, [8, 4], 4.0));
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
    finding.choice("Ducks are balls of 0.24 m, emitted at 1 m/s downwards every 0.5 s at each of up to six places. Trampolines are 1.2 m x 0.06 m x 1.2 m. As in the paper damping acts in the predictor only. Rows are those on positions, our default. Overlaps are gaps at the start of a step plus the motion along their normals.");
    let done = RUNS
        .par_iter()
        .map(|run| {
            (job.progress)(run.name);
            let text = text(bodies, trampolines, cells, run);
            fall(&text, until, run.name)
        })
        .collect::<Result<Vec<Fall>, PaperError>>()?;
    let columns = [
        "run",
        "steps",
        "emitted",
        "most_touching_pairs",
        "deepest_m",
        "trampolines_J",
    ];
    let mut table = Table::new("runs", columns);
    for (run, f) in RUNS.iter().zip(&done) {
        let counts = [f.steps as f64, f.emitted as f64, f.most_pairs()];
        let [steps, emitted, pairs] = counts;
        table.line(run.name, [steps, emitted, pairs, f.depth, f.motion]);
    }
    finding.tables.push(table);
    let series = RUNS.iter().zip(&done);
    let series = series.map(|(run, f)| Series::line(run.name, f.pairs.clone()));
    finding.plot(
        "pairs",
        Chart {
            title: "Falling bodies and trampolines: touching pairs".into(),
            x: Axis::linear("time, s"),
            y: Axis::linear("pairs"),
            series: series.collect(),
        },
    );
    for (run, f) in RUNS.iter().zip(&done).take(2) {
        finding.claim(
            format!("robust-{}", run.name),
            "the contact model handles many contacts robustly, also without damping",
            format!(
                "{}: up to {} touching pairs, deepest overlap {:.1e} m",
                run.name,
                f.most_pairs(),
                f.depth
            ),
            [
                condition(f.finite, "every energy is finite"),
                condition(f.emitted == bodies as usize, "all bodies have appeared"),
                above(f.most_pairs(), f64::from(bodies) / 6.0).of("touching pairs"),
                at_most(f.depth, 0.5 * THICKNESS).of("overlap, m"),
            ],
        );
    }
    let [sdirk2, euler] = [&done[0], &done[2]].map(|f| f.motion);
    finding.claim(
        "trampolines-keep-moving",
        "the long lasting motion of the trampolines demonstrates the energy conservation of SDIRK2",
        format!("kinetic energy of the trampolines in the last fifth {sdirk2:.3} J, with backward Euler {euler:.3} J"),
        above(sdirk2 / euler, 1.0).of("SDIRK2 over backward Euler"),
    );
    Ok(finding)
}
