//! [Ascher et al. 2021, Fig. 5]: the lowest eigenvalues of a soft body show no gap.

use chart::{Axis, Chart, Series};
use march::{ModesFailure, StepError};
use scene::modal_analysis::analyse;

use crate::check::{above, below};
use crate::soft_beam::{BeamRun, cells};
use crate::{Finding, Job, PaperError, Table};

/// Mode from which gaps are searched: the lowest bending modes of a beam lie apart.
const FIRST: usize = 10;

/// Computes the spectrum and checks the claim of the paper against it.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let count = job.size.pick(120, 1000);
    let mut finding = Finding::default();
    finding.parameter("cells", format!("{:?}", cells(job.size)));
    finding.parameter("eigenvalues", count);
    finding.choice("The body is the soft beam of 003-fig6; the paper does not name its body. A gap is a ratio of successive eigenvalues, from the tenth on.");
    let run = BeamRun {
        method: "\"sdirk2\"",
        step: 0.02,
        until: 1.0,
        young: 1e5,
    };
    let mut sim = run.open(job.size)?;
    let found = analyse(&mut sim, count).map_err(|why| {
        let why = ModesFailure::Eigen(why);
        PaperError::from_step("soft beam")(StepError::Modes { t: 0.0, why })
    })?;
    let squares: Vec<f64> = found.modes.iter().map(|m| m.square).collect();
    let mut table = Table::new("eigenvalues", ["k", "lambda", "frequency_hz"]);
    for (k, square) in squares.iter().enumerate() {
        let hz = square.sqrt() / std::f64::consts::TAU;
        table.row([(k + 1) as f64, *square, hz]);
    }
    finding.tables.push(table);
    let points = squares.iter().enumerate();
    let points = points.map(|(k, square)| ((k + 1) as f64, *square));
    finding.plot(
        "spectrum",
        Chart {
            title: "Lowest eigenvalues of the soft beam".into(),
            x: Axis::linear("number"),
            y: Axis::log("eigenvalue, 1/s²"),
            series: vec![Series::markers("λ", points.collect())],
        },
    );
    let gaps = squares.windows(2).skip(FIRST).map(|w| w[1] / w[0]);
    let largest = gaps.fold(1.0, f64::max);
    let spread = squares[squares.len() - 1] / squares[0];
    finding.claim(
        "no-separation",
        "there is no clear separation in the eigenvalues",
        format!("the largest ratio of successive eigenvalues is {largest:.3}, of the last to the first {spread:.0}"),
        [
            below(largest, 1.5).of("largest ratio of successive eigenvalues"),
            above(spread, 20.0).of("ratio of the last to the first"),
        ],
    );
    Ok(finding)
}
