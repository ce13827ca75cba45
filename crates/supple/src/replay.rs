//! `supple replay`: repeats a failed step and prints its Newton iterations.

use std::fmt::Write;
use std::path::Path;

use march::NewtonTrace;
use scene::capsule::{Capsule, Replay};

use crate::Outcome;
use crate::cli::print_line;

/// Repeats the step of a capsule. Returns [`Outcome::Failed`] if it does not fail with the same numbers.
pub fn replay(path: &Path) -> anyhow::Result<Outcome> {
    let capsule = Capsule::read(path)?;
    print_line(format_args!("{}: {}", capsule.cause, capsule.sentence))?;
    print_line(format_args!(
        "scene {}, step of {:e} s from t = {} s",
        capsule.file,
        capsule.h,
        capsule.state().t
    ))?;
    if let Some(worst) = &capsule.worst {
        print_line(format_args!(
            "worst element: cell {}, volume ratio {:.6e}, smallest eigenvalue of its stiffness {:.4e} N/m, F =",
            worst.cell, worst.volume_ratio, worst.eigenvalue
        ))?;
        for row in worst.f {
            print_line(format_args!(
                "  {:>13.6e} {:>13.6e} {:>13.6e}",
                row[0], row[1], row[2]
            ))?;
        }
    }
    let Replay { trace, error, same } = capsule.replay()?;
    print_line(table(&trace)?)?;
    match &error {
        Some(error) => print_line(format_args!("repeated: {error}"))?,
        None => print_line("repeated: the step succeeded")?,
    }
    if same {
        print_line("all numbers equal those of the capsule bit for bit")?;
        Ok(Outcome::Success)
    } else {
        print_line(
            "the numbers differ from those of the capsule; it was written by another version, on another machine or with another mesh",
        )?;
        Ok(Outcome::Failed)
    }
}

/// Formats the iterations of a stage as a table.
fn table(trace: &NewtonTrace) -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "stage at t = {:.6} s (c_u = {:.4e} s², c_v = {:.4e} s)\n",
        trace.t, trace.c_u, trace.c_v
    );
    writeln!(
        out,
        "{:>4} {:>13} {:>13} {:>16} {:>12} {:>13} {:>10} {:>5}",
        "", "residual, N", "target, N", "merit", "tangent", "increment, m", "fraction", "back"
    )?;
    for (i, row) in trace.iterations.iter().enumerate() {
        writeln!(
            out,
            "{:>4} {:>13.4e} {:>13.4e} {:>16.8e} {:>12} {:>13.4e} {:>10.3e} {:>5}",
            i + 1,
            row.residual,
            row.wanted,
            row.merit,
            row.tangent.name(),
            row.increment,
            row.fraction,
            row.backtracks
        )?;
    }
    Ok(out.trim_end().into())
}
