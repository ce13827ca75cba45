//! The `supple` program: glue between a person and the library.

mod check;
mod cli;
mod compare;
mod list;
mod mesh;
mod method;
mod paper;
mod render;
mod replay;
mod run;
mod schema;

use std::process::ExitCode;

use clap::Parser;

/// How a command ended, for the shell.
pub enum Outcome {
    /// 0.
    Success,
    /// 1: the simulation failed.
    Failed,
    /// 130: stopped by Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    let args = match cli::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no mistakes; everything else is, and exits with 2.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let outcome = match args.command {
        cli::Command::Run(args) => run::run(args),
        cli::Command::Check(args) => check::check(&args),
        cli::Command::Compare(args) => compare::compare(&args),
        cli::Command::List(args) => list::list(&args),
        cli::Command::Mesh(command) => mesh::run(&command),
        cli::Command::Render(args) => render::run(&args),
        cli::Command::Replay { capsule } => replay::replay(&capsule),
        cli::Command::Method(args) => method::method(&args),
        cli::Command::Paper(command) => paper::run(&command),
        cli::Command::Schema => schema::schema(),
        cli::Command::Completions { shell } => cli::completions(shell),
    };
    match outcome {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            cli::print_error(&error);
            // A full disk or a machine out of threads is no mistake in what was asked for.
            ExitCode::from(if error.is::<std::io::Error>() { 1 } else { 2 })
        }
    }
}
