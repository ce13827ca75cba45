//! Recovery of scattered bodies: the tables of `docs/newton.md`.
//!
//! `cargo run --release -p supple-scene --example recovery -- WHAT [METHOD…]`, WHAT the number of lattice cells of a blob, `ball` (of
//! the tests), or a mesh file and the factor that makes it about a metre tall (`armadillo.msh*0.5`); `--law`, `--seed`,
//! `--until` set the law, the seed and the end time, `--mass` and `--stiffness` the damping. Every vertex is moved by up to
//! the body's size; a run ends when its energy is that of strains of 1e-4. Otherwise the final state is described below the
//! row.

mod rest;

use std::error::Error;
use std::path::Path;

use scene::build::build;
use scene::run::{Flow, RunOptions, RunOutcome, attempt};
use scene::session::Session;
use scene::spec::{Source, parse};

const METHODS: [&str; 7] = [
    "backward-euler",
    "sdirk2",
    "sdirk3",
    "tr-bdf2",
    "tr-bdf2-bathe",
    "bdf2",
    "implicit-midpoint",
];
const STEP: f64 = 0.005;
const YOUNG: f64 = 1e6;

/// What to run.
struct Case {
    mesh: String,
    law: String,
    seed: u64,
    until: f64,
    /// Rates of damping: by mass, 1/s, and by stiffness, s.
    damping: [f64; 2],
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut case = Case {
        mesh: "14".into(),
        law: "stable-neo-hookean".into(),
        seed: 3,
        until: 2.0,
        damping: [4.0, 0.005],
    };
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--law" => case.law = value()?,
            "--seed" => case.seed = value()?.parse()?,
            "--until" => case.until = value()?.parse()?,
            "--mass" => case.damping[0] = value()?.parse()?,
            "--stiffness" => case.damping[1] = value()?.parse()?,
            _ => words.push(word),
        }
    }
    if !words.is_empty() {
        case.mesh = words.remove(0);
    }
    if words.is_empty() {
        words = METHODS.map(String::from).to_vec();
    }
    println!(
        "| body | vertices | law | method | shortest step / step | rejected | iterations | at rest, s | least J | distance / size |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for method in words {
        println!("{}", row(&case, &method)?);
    }
    Ok(())
}

fn scene(case: &Case, method: &str) -> String {
    let mesh = match (case.mesh.parse::<u32>(), case.mesh.split_once('*')) {
        _ if case.mesh == "ball" => {
            "{ ball = { radius = 0.5, cells = 6, element = \"tet4\" } }".into()
        }
        (Ok(cells), _) => format!("{{ blob = {{ cells = {cells} }} }}"),
        (_, Some((file, scale))) => format!("{{ file = {file:?}, scale = {scale} }}"),
        (_, None) => format!("{{ file = {:?} }}", case.mesh),
    };
    let [mass, stiffness] = case.damping;
    format!(
        r#"
gravity = [0.0, 0.0, 0.0]
[time]
method = "{method}"
step = {STEP}
until = {:?}
fps = 0.1
[[body]]
name = "body"
mesh = {mesh}
material = {{ law = "{}", young = {YOUNG}, poisson = 0.4, density = 1000 }}
damping = {{ mass = {mass:?}, stiffness = {stiffness:?} }}
disturb = {{ scatter = 1.0, seed = {} }}
"#,
        case.until, case.law, case.seed
    )
}

fn row(case: &Case, method: &str) -> Result<String, Box<dyn Error>> {
    let text = scene(case, method);
    let (scene, source): (_, Source) = parse("recovery.toml", &text)?;
    let mut sim = build(scene, &source)?;
    let volume = sim.model.node_mass().iter().sum::<f64>() / 1000.0;
    let rested = 0.5 * YOUNG * 1e-8 * volume;
    let out = tempfile::tempdir()?;
    let options = RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let RunOutcome {
        report, failure, ..
    } = attempt(
        &mut sim,
        &options,
        &mut |p| match p.energies.total() < rested {
            true => Flow::Stop,
            false => Flow::On,
        },
    )?;
    let s = sim.state().clone();
    let least = sim
        .model
        .most_compressed(s.t, &s.u, &s.v)
        .map_or(1.0, |w| w.j);
    let name = Path::new(&case.mesh).file_name().unwrap_or_default();
    let shown = match case.mesh.parse::<u32>() {
        Ok(cells) => format!("blob, {cells} cells"),
        Err(_) => name.to_string_lossy().into_owned(),
    };
    let iterations = sim.totals().work.newton;
    let mut end = format!("{:.3}", report.t);
    if failure.is_some() {
        end += ", **failed**";
    }
    let where_else = match report.t < case.until {
        true => String::new(),
        false => format!("\n\n{}\n", rest::describe(&mut sim)),
    };
    Ok(format!(
        "| {shown} | {} | {} | {method} | 1/{:.0} | {} | {iterations} | {end} | {least:.4} | {:.1e} |{where_else}",
        report.nodes,
        case.law,
        STEP / report.shortest_step,
        report.rejected,
        relative_distance(&sim),
    ))
}

/// Largest distance from the best-fitting rigid motion, relative to the size of the body.
fn relative_distance(sim: &Session) -> f64 {
    let rest = sim.model.rest();
    let now: Vec<[f64; 3]> = rest
        .iter()
        .zip(sim.state().u.chunks_exact(3))
        .map(|(x, u)| [0, 1, 2].map(|k| x[k] + u[k]))
        .collect();
    let n = rest.len() as f64;
    let centre = |p: &[[f64; 3]]| [0, 1, 2].map(|k| p.iter().map(|x| x[k]).sum::<f64>() / n);
    let (c, d) = (centre(rest), centre(&now));
    let mut covariance = [[0.0; 3]; 3];
    for (x, y) in rest.iter().zip(&now) {
        for i in 0..3 {
            for j in 0..3 {
                covariance[i][j] += (y[i] - d[i]) * (x[j] - c[j]);
            }
        }
    }
    let r = rotation(covariance);
    let mut worst = 0.0_f64;
    let mut size = 0.0_f64;
    for (x, y) in rest.iter().zip(&now) {
        let x = [0, 1, 2].map(|k| x[k] - c[k]);
        let gap = [0, 1, 2].map(|i| y[i] - d[i] - (0..3).map(|j| r[i][j] * x[j]).sum::<f64>());
        worst = worst.max(gap.iter().map(|g| g * g).sum::<f64>().sqrt());
        size = size.max(2.0 * x.iter().map(|x| x * x).sum::<f64>().sqrt());
    }
    worst / size
}

/// The orthogonal part of a matrix: R ← ½ (R + R⁻ᵀ) (N. Higham, "Computing the polar decomposition", 1986, eq. 3.1).
fn rotation(mut r: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    for _ in 0..60 {
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
        };
        let cofactor = [cross(r[1], r[2]), cross(r[2], r[0]), cross(r[0], r[1])];
        let det: f64 = (0..3).map(|k| r[0][k] * cofactor[0][k]).sum();
        for i in 0..3 {
            for j in 0..3 {
                r[i][j] = 0.5 * (r[i][j] + cofactor[i][j] / det);
            }
        }
    }
    r
}
