//! The `supple` program: parses the command line, runs a subcommand and returns its exit code.

mod check;
mod cli;
mod compare;
mod list;
mod mesh;
mod method;
mod modes;
mod paper;
mod render;
mod replay;
mod run;
mod schema;
mod view;

use std::process::ExitCode;

use clap::Parser;

/// Result of a subcommand, which determines the exit code.
pub enum Outcome {
    /// The command succeeded: exit code 0.
    Success,
    /// The simulation failed: exit code 1.
    Failed,
    /// Ctrl-C stopped the command: exit code 130.
    Interrupted,
}

fn main() -> ExitCode {
    let args = match cli::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are printed to standard output and exit with 0; errors exit with 2.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let outcome = match args.command {
        cli::Command::Run(args) => run::run(args),
        cli::Command::Check(args) => check::check(&args),
        cli::Command::Modes(args) => modes::modes(&args),
        cli::Command::Compare(args) => compare::compare(&args),
        cli::Command::List(args) => list::list(&args),
        cli::Command::Mesh(command) => mesh::run(&command),
        cli::Command::Render(args) => render::run(&args),
        cli::Command::Replay { capsule } => replay::replay(&capsule),
        cli::Command::Method(args) => method::method(&args),
        cli::Command::Paper(command) => paper::run(&command),
        cli::Command::View(args) => view::view(&args),
        cli::Command::Schema => schema::schema(),
        cli::Command::Completions { shell } => cli::completions(shell),
    };
    match outcome {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            cli::print_error(&error);
            // System errors such as a full disk are not errors of the input, which exit with 2.
            ExitCode::from(if error.is::<std::io::Error>() { 1 } else { 2 })
        }
    }
}
