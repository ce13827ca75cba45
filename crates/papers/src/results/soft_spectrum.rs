//! [Ascher et al. 2021, Fig. 5 and sec. 4]: the lowest eigenvalues of a soft body show no gap, and many modes move.

use chart::{Axis, Chart, Series};
use march::{ModesFailure, StepError, System};
use scene::modal_analysis::{ModalAnalysis, analyse};
use scene::run::Flow;
use scene::session::Session;

use crate::check::{above, below, condition};
use crate::progress::trial_with_progress;
use crate::scenes::open_scene;
use crate::soft_beam::{BeamRun, cells};
use crate::{Finding, Job, PaperError, Size, Table};

/// Mode from which gaps are searched: the lowest bending modes of any slender body lie apart.
const FIRST: usize = 10;
/// Number of modes of SIERE in Fig. 6.
const CHOSEN: usize = 10;

/// A figure with limbs of the material of the beam, held at its soles.
const FIGURE: &str = r#"
[time]
method = "sdirk2"
step = 0.02
until = 1.0

[[body]]
name = "figure"
mesh = { blob = { figure = "armadillo", height = 1.0, cells = 16 } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }

[[body.fix]]
where = { min = [-1.0, 0.0, -1.0], max = [1.0, 0.06, 1.0] }
"#;

/// Computes the spectrum and checks the claims of the paper against it.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let count = job.size.pick(120, 1000);
    let figure_cells = job.size.pick(12, 24);
    let until = job.size.pick(2.0, 20.0);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", cells(Size::Full)));
    finding.parameter("cells_of_the_run", format!("{:?}", cells(job.size)));
    finding.parameter("figure_cells", figure_cells);
    finding.parameter("eigenvalues", count);
    finding.parameter("until_s", until);
    finding.choice("The paper does not name its body, and gives neither its mesh nor its material. We take the soft beam of the same section, whose mesh and material the paper gives (that of 003-fig6 at full size, on which the claim holds; on a coarser mesh it does not), and a figure with limbs of the same material, since the section begins with soft characters: its limbs bend in twelve modes far below all others. A gap is a ratio of successive eigenvalues, from the tenth on. The visible dynamics are those of the beam of 003-fig6 under sdirk2: the share of the kinetic energy, summed over the run, that is not in its ten lowest modes, the number of modes of Fig. 6.");
    let run = BeamRun {
        method: "\"sdirk2\"",
        step: 0.02,
        until,
        young: 1e5,
    };
    let of_beam = spectrum(&mut run.open(Size::Full)?, count)?;
    let set = [("body.figure.mesh.blob.cells", figure_cells.to_string())];
    let of_figure = spectrum(&mut open_scene(FIGURE, &set)?, count)?;
    let bodies = [("beam", squares(&of_beam)), ("figure", squares(&of_figure))];
    let mut table = Table::new("eigenvalues", ["k", "beam", "figure"]);
    for k in 0..count {
        table.row([(k + 1) as f64, bodies[0].1[k], bodies[1].1[k]]);
    }
    finding.tables.push(table);
    let series = bodies.iter().map(|(name, squares)| {
        let points = squares.iter().enumerate();
        let points = points.map(|(k, square)| ((k + 1) as f64, *square));
        Series::markers(*name, points.collect())
    });
    finding.plot(
        "spectrum",
        Chart {
            title: "Lowest eigenvalues of soft bodies".into(),
            x: Axis::linear("number"),
            y: Axis::log("eigenvalue, 1/s²"),
            series: series.collect(),
        },
    );
    for (name, squares) in &bodies {
        claim_separation(&mut finding, name, squares);
    }
    let mut beam = run.open(job.size)?;
    let lowest = spectrum(&mut beam, CHOSEN)?;
    let (outside, finished) = kinetic_share_outside(job, &mut beam, &lowest);
    finding.claim(
        "many-modes-move",
        "more eigenmodes than a small number of lowest ones play a significant role in the visible dynamics",
        format!("{:.1} % of the kinetic energy of the beam is outside its {CHOSEN} lowest modes", 100.0 * outside),
        [
            condition(finished, "the run finishes"),
            above(outside, 0.1).of("share of the kinetic energy"),
        ],
    );
    Ok(finding)
}

fn spectrum(sim: &mut Session, count: usize) -> Result<ModalAnalysis, PaperError> {
    analyse(sim, count).map_err(|why| {
        let why = ModesFailure::Eigen(why);
        PaperError::from_step("soft body")(StepError::Modes { t: 0.0, why })
    })
}

fn squares(found: &ModalAnalysis) -> Vec<f64> {
    found.modes.iter().map(|m| m.square).collect()
}

fn claim_separation(finding: &mut Finding, name: &str, squares: &[f64]) {
    let gaps = squares.windows(2).skip(FIRST).map(|w| w[1] / w[0]);
    let largest = gaps.fold(1.0, f64::max);
    let spread = squares[squares.len() - 1] / squares[0];
    finding.claim(
        format!("no-separation-{name}"),
        format!("there is no clear separation in the eigenvalues ({name})"),
        format!("the largest ratio of successive eigenvalues is {largest:.3}, of the last to the first {spread:.0}"),
        [
            below(largest, 1.5).of("largest ratio of successive eigenvalues"),
            above(spread, 20.0).of("ratio of the last to the first"),
        ],
    );
}

/// Returns the share of the kinetic energy outside the lowest modes, summed over the steps of a run, and whether the run
/// finished.
fn kinetic_share_outside(job: &Job, sim: &mut Session, found: &ModalAnalysis) -> (f64, bool) {
    let modes = found.modes.iter().take(CHOSEN);
    let modes: Vec<Vec<f64>> = modes.map(|m| sim.model.restrict(&m.shape)).collect();
    let [mut inside, mut all] = [0.0; 2];
    let trial = trial_with_progress(job, "soft beam", sim, &mut |sim, row| {
        let (mass, v) = (sim.model.mass(), &sim.state().v);
        let rates = modes.iter().map(|x| mass.bilinear_form(x, v));
        inside += rates.map(|q| 0.5 * q * q).sum::<f64>();
        all += row.energies.kinetic;
        Flow::On
    });
    (1.0 - inside / all, trial.failure.is_none())
}
