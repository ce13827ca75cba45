//! `supple paper`: lists and computes the reproduced tables and figures of the source papers.

use std::path::Path;

use papers::{Done, Job, RESULTS, Reproduction, Size, Verdict};

use crate::Outcome;
use crate::cli::{PaperArgs, PaperCommand, print_line, print_note};

/// Lists results, or computes them and writes their pages.
pub fn run(command: &PaperCommand) -> anyhow::Result<Outcome> {
    match command {
        PaperCommand::List => list(),
        PaperCommand::Run { ids, args } => {
            let chosen: Result<Vec<_>, _> = ids.iter().map(|id| papers::find(id)).collect();
            compute(&chosen?, args)
        }
        PaperCommand::All { args } => compute(&RESULTS.iter().collect::<Vec<_>>(), args),
    }
}

fn list() -> anyhow::Result<Outcome> {
    let width = RESULTS.iter().map(|r| r.id.len()).max().unwrap_or(0);
    for r in RESULTS {
        print_line(format_args!("{:width$}  {}", r.id, r.title))?;
    }
    Ok(Outcome::Success)
}

fn compute(chosen: &[&'static Reproduction], args: &PaperArgs) -> anyhow::Result<Outcome> {
    let size = if args.quick { Size::Quick } else { Size::Full };
    let mut done: Vec<Done> = Vec::new();
    for &r in chosen {
        if !args.quiet {
            print_note(format_args!("{}: {}", r.id, r.title));
        }
        let progress = |text: &str| {
            if !args.quiet {
                print_note(format_args!("  {text}"));
            }
        };
        let job = Job {
            size,
            progress: &progress,
        };
        let mut result = papers::run(r, &job)?;
        result.write(&args.out)?;
        result.play()?;
        report(&result)?;
        done.push(result);
        // Written after each result: an interrupted run keeps what it found.
        papers::write_all(&done, &args.out)?;
    }
    print_line(format_args!(
        "{} of {} reproduced; {}",
        done.iter()
            .filter(|d| d.finding.verdict() == Verdict::Reproduced)
            .count(),
        done.len(),
        Path::new(&args.out).join("index.html").display()
    ))?;
    Ok(Outcome::Success)
}

fn report(done: &Done) -> anyhow::Result<()> {
    let f = &done.finding;
    print_line(format_args!(
        "{}: {} ({}, {:.1} s)",
        done.reproduction.id,
        f.verdict().name(),
        done.size.name(),
        done.seconds
    ))?;
    for c in &f.claims {
        let mark = if c.holds() { "yes" } else { "NO " };
        print_line(format_args!(
            "  {mark} {}: {}: {} [{}]",
            c.id,
            c.says,
            c.found,
            c.threshold()
        ))?;
    }
    Ok(())
}
