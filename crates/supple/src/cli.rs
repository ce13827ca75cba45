//! The command line.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::Outcome;

/// Simulates deformable solids under any of its integrators.
#[derive(Debug, Parser)]
#[command(name = "supple", version, about, after_help = EXAMPLES, propagate_version = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  supple run scenes/jello.toml                      run a scene; results go to out/jello
  supple run scenes/beam.toml --method rodas4       the same scene under another integrator
  supple compare scenes/beam.toml                   the same scene under many, on one page
  supple check scenes/beam.toml                     sizes, frequencies, cost, without running
  supple list methods                               every integrator by name
  supple method sdirk2                              what one of them really does, measured
Open out/jello/series.pvd in ParaView to look at the result.";

/// What `supple` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene
    #[command(after_help = "Ctrl-C finishes the step, writes a checkpoint and says how to resume.")]
    Run(RunArgs),
    /// Build a scene without running it: sizes, mesh quality, frequencies, cost, odd units
    Check(CheckArgs),
    /// Run a scene under many methods and steps; one page of errors, energies, costs, pictures
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// List what scene files may name
    List(ListArgs),
    /// Look at or convert a mesh file
    #[command(subcommand)]
    Mesh(MeshCommand),
    /// Draw results as shaded PNGs or an animated GIF, without a screen
    Render(RenderArgs),
    /// Take a failed step again, iteration by iteration
    Replay {
        /// Capsule that `supple run` left when a step failed, OUT/capsule.supple
        capsule: PathBuf,
    },
    /// Measure a method: order, stability, damping, frequency error, cost
    #[command(after_help = METHOD_EXAMPLES)]
    Method(MethodArgs),
    /// Compute tables and figures of the source papers again, with a verdict each
    #[command(subcommand)]
    Paper(PaperCommand),
    /// Print the JSON Schema of scene files
    Schema,
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// Arguments of `supple run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Scene file
    pub scene: PathBuf,
    /// Folder for results [default: out/<scene name>]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Method instead of the scene's (see `supple list methods`)
    #[arg(long)]
    pub method: Option<String>,
    /// Time step instead of the scene's, in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Simulated time to run to instead of the scene's, in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Set any key of the scene: --set body.jello.material.young=1e5
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Threads to share the work [default: all]; results do not depend on it
    #[arg(long)]
    pub threads: Option<usize>,
    /// Go on from a checkpoint
    #[arg(long, value_name = "CHECKPOINT")]
    pub resume: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  supple compare scenes/beam.toml                                   a sensible set of methods at the scene's step
  supple compare scenes/beam.toml --methods backward-euler,sdirk2,rodas4 --steps 0.02,0.01,0.005
  supple compare scenes/beam.toml --methods 'sdirk2,{ name = \"newmark\", beta = 0.3 }'
  supple compare scenes/jello.toml --until 1 --set time.fps=60 -o out/short
OUT/index.html opens in any browser, offline; numbers are in OUT/compare.json and OUT/compare.csv.
A run that fails is a row with its reason.";

/// Arguments of `supple compare`.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Scene file
    pub scene: PathBuf,
    /// Methods, separated by commas, by name or as a table [default: eight of them]
    #[arg(long, value_name = "A,B,...")]
    pub methods: Option<String>,
    /// Time steps, separated by commas, in seconds [default: the scene's]
    #[arg(
        long,
        value_name = "H1,H2,...",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub steps: Vec<f64>,
    /// Folder for results [default: out/<scene name>-compare]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Simulated time to run to instead of the scene's, in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Set any key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Runs side by side [default: one a core]; results do not depend on it
    #[arg(long)]
    pub threads: Option<usize>,
    /// Measure errors against this earlier run of the same scene, or `none`, instead of a fine run made for it
    #[arg(long, value_name = "FOLDER")]
    pub reference: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `supple check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Scene file
    pub scene: PathBuf,
    /// Set any key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

const METHOD_EXAMPLES: &str = "\
Examples:
  supple method sdirk2 --plot sdirk2.svg
  supple method '{ name = \"generalized-alpha\", rho-inf = 0.5 }'
  supple method '{ name = \"dirk\", A = [[0.5]], b = [1.0] }'     a table of your own";

/// Arguments of `supple method`.
#[derive(Debug, clap::Args)]
pub struct MethodArgs {
    /// Name of the method (see `supple list methods`), or a table as after `method =` in a scene
    pub name: String,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Draw damping and frequency error over hw
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// What `supple paper` can do.
#[derive(Debug, Subcommand)]
pub enum PaperCommand {
    /// Every result by name
    List,
    /// Compute some of them
    Run {
        /// Names of results (see `supple paper list`)
        #[arg(required = true)]
        ids: Vec<String>,
        /// How
        #[command(flatten)]
        args: PaperArgs,
    },
    /// Compute all of them
    All {
        /// How
        #[command(flatten)]
        args: PaperArgs,
    },
}

/// Arguments of `supple paper run` and `supple paper all`.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Coarse and short: seconds instead of minutes to hours
    #[arg(long)]
    pub quick: bool,
    /// Folder for tables, plots and verdicts
    #[arg(short, long, default_value = "out/papers")]
    pub out: PathBuf,
    /// Say nothing but verdicts
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `supple list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Which registry
    pub what: Registry,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// What `supple mesh` can do.
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Counts, extent, volume, quality, groups and what is wrong with it
    Info {
        /// Mesh file (see `supple list formats`)
        file: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// From one format to another; file endings tell which
    Convert {
        /// Mesh to read
        from: PathBuf,
        /// Mesh to write
        to: PathBuf,
    },
}

/// Arguments of `supple render`.
#[derive(Debug, clap::Args)]
pub struct RenderArgs {
    /// Folder that `supple run` wrote
    pub out: PathBuf,
    /// Only this frame; PNGs go to OUT/pictures
    #[arg(long, conflicts_with = "video")]
    pub frame: Option<usize>,
    /// All frames as one animated GIF
    #[arg(long, value_name = "FILE")]
    pub video: Option<PathBuf>,
    /// Size in pixels
    #[arg(long, default_value = "960x540", value_name = "WxH")]
    pub size: String,
    /// Colour by displacement, speed, stress or energy
    #[arg(long, value_name = "FIELD")]
    pub color: Option<String>,
}

/// The registries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Registry {
    /// Integrators
    Methods,
    /// Material laws
    Materials,
    /// Finite elements
    Elements,
    /// Step-size controls
    Controls,
    /// Treatments of contact
    Contacts,
    /// Kinds of damping
    Dampings,
    /// Shapes made by the program
    Shapes,
    /// Files for meshes and frames
    Formats,
}

/// Prints a completion script.
pub fn completions(shell: Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "supple", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Outcome::Success)
}

/// Prints to standard output and ends the line. A reader that has gone away (`supple list methods | head`) is no
/// mistake.
pub fn print_line(text: impl Display) -> anyhow::Result<()> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

/// Prints to standard error and ends the line; where even that fails nobody is left to tell.
pub fn print_note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints an error, in colour where a person looks.
pub fn print_error(error: &anyhow::Error) {
    let terminal = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, plain) = if terminal {
        ("\x1b[1;31m", "\x1b[0m")
    } else {
        ("", "")
    };
    print_note(format_args!("{red}error{plain}: {error:#}"));
}

/// `KEY=VALUE` in two.
pub fn parse_settings(set: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_string(), value.trim().to_string())),
        None => Err(anyhow::anyhow!(
            "--set {text}: expected KEY=VALUE, for example --set time.step=0.01"
        )),
    };
    set.iter().map(split).collect()
}
