//! Arguments and help texts of the command line, and functions that print to the terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::Outcome;

/// Simulates deformable solids under any time integrator.
#[derive(Debug, Parser)]
#[command(name = "supple", version, about, after_help = EXAMPLES, propagate_version = true)]
pub struct Args {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  supple run scenes/jello.toml                      run a scene; results go to out/jello
  supple run scenes/beam.toml --method rodas4       the same scene under another integrator
  supple run scenes/beam.toml --static              its equilibrium in load steps, without inertia
  supple compare scenes/beam.toml                   the same scene under many integrators, on one page
  supple view out/jello                             play a result in a browser
  supple check scenes/beam.toml                     print sizes, frequencies and cost; runs nothing
  supple list methods                               list all integrators
  supple method sdirk2                              measure order, stability, damping and cost of one
Open out/jello/report.html in a browser or out/jello/series.pvd in ParaView.";

/// Subcommands of `supple`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene
    #[command(
        after_help = "Ctrl-C finishes the step, writes a checkpoint and prints how to resume."
    )]
    Run(RunArgs),
    /// Check a scene without running it: sizes, mesh quality, frequencies, cost, suspicious units
    Check(CheckArgs),
    /// Compute the vibration modes of a scene: frequencies, effective masses, shapes
    Modes(ModesArgs),
    /// Compare methods and steps on a scene: errors, energies, costs and pictures on one page
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// List methods, materials, elements and other names for scene files
    List(ListArgs),
    /// Inspect or convert a mesh file
    #[command(subcommand)]
    Mesh(MeshCommand),
    /// Render results to PNGs or an animated GIF; no display needed
    Render(RenderArgs),
    /// Repeat a failed step, iteration by iteration
    Replay {
        /// Capsule written by `supple run` when a step failed: OUT/capsule.supple
        capsule: PathBuf,
    },
    /// Measure a method: order, stability, damping, frequency error, cost
    #[command(after_help = METHOD_EXAMPLES)]
    Method(MethodArgs),
    /// Reproduce tables and figures of the source papers, with a verdict for each
    #[command(subcommand)]
    Paper(PaperCommand),
    /// Play results in a browser, or run a scene there and pull it: up to four side by side with one camera and one clock
    #[command(after_help = VIEW_EXAMPLES)]
    View(ViewArgs),
    /// Print the JSON Schema of scene files
    Schema,
    /// Print a completion script for a shell
    Completions {
        /// Shell
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
    /// Time integrator; overrides the scene (see `supple list methods`)
    #[arg(long)]
    pub method: Option<String>,
    /// Find the static equilibrium of the loads instead of the motion; keys without effect are left out
    #[arg(long = "static", conflicts_with_all = ["method", "step"])]
    pub statics: bool,
    /// Time step in seconds; overrides the scene
    #[arg(long, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// End time in seconds; overrides the scene
    #[arg(long, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Set any key of the scene: --set body.jello.material.young=1e5
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Number of threads [default: all cores]; does not change the results
    #[arg(long)]
    pub threads: Option<usize>,
    /// Resume from a checkpoint
    #[arg(long, value_name = "CHECKPOINT")]
    pub resume: Option<PathBuf>,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  supple compare scenes/beam.toml                                   eight methods at the step of the scene
  supple compare scenes/beam.toml --methods backward-euler,sdirk2,rodas4 --steps 0.02,0.01,0.005
  supple compare scenes/beam.toml --methods 'sdirk2,{ name = \"newmark\", beta = 0.3 }'
  supple compare scenes/jello.toml --until 1 --set time.fps=60 -o out/short
Open OUT/index.html in a browser (works offline). Numbers: OUT/compare.json, OUT/compare.csv.
A failed run is listed with its reason.";

/// Arguments of `supple compare`.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Scene file
    pub scene: PathBuf,
    /// Methods, separated by commas: names or inline tables [default: eight methods]
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
    /// End time in seconds; overrides the scene
    #[arg(long, allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// Set any key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Number of parallel runs [default: number of cores]; does not change the results
    #[arg(long)]
    pub threads: Option<usize>,
    /// Reference solution: folder of an earlier run of the scene, or `none` [default: a new fine run]
    #[arg(long, value_name = "FOLDER")]
    pub reference: Option<PathBuf>,
    /// Print errors only
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
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `supple modes`.
#[derive(Debug, clap::Args)]
pub struct ModesArgs {
    /// Scene file
    pub scene: PathBuf,
    /// Number of modes, rigid motions included
    #[arg(long, default_value_t = 10)]
    pub count: usize,
    /// Number of elastic modes that get a moving picture
    #[arg(long, default_value_t = 10)]
    pub pictures: usize,
    /// Folder for results [default: out/<scene name>-modes]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Set any key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

const METHOD_EXAMPLES: &str = "\
Examples:
  supple method sdirk2 --plot sdirk2.svg
  supple method '{ name = \"generalized-alpha\", rho-inf = 0.5 }'
  supple method '{ name = \"dirk\", A = [[0.5]], b = [1.0] }'     your own tableau";

/// Arguments of `supple method`.
#[derive(Debug, clap::Args)]
pub struct MethodArgs {
    /// Method: a name (see `supple list methods`) or an inline table as in a scene file
    pub name: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Plot numerical damping and frequency error over hω
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// Subcommands of `supple paper`.
#[derive(Debug, Subcommand)]
pub enum PaperCommand {
    /// List all results
    List,
    /// Compute the given results
    Run {
        /// Ids of results (see `supple paper list`)
        #[arg(required = true)]
        ids: Vec<String>,
        /// Size and output of the computation
        #[command(flatten)]
        args: PaperArgs,
    },
    /// Compute all results
    All {
        /// Size and output of the computation
        #[command(flatten)]
        args: PaperArgs,
    },
}

/// Arguments of `supple paper run` and `supple paper all`.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Coarse meshes and short runs: seconds instead of minutes to hours
    #[arg(long)]
    pub quick: bool,
    /// Folder for tables, plots and verdicts
    #[arg(short, long, default_value = "out/papers")]
    pub out: PathBuf,
    /// Print verdicts only
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `supple list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// What to list
    pub what: Registry,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Subcommands of `supple mesh`.
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Print counts, extent, volume, quality, groups and defects of a mesh
    Info {
        /// Mesh file (see `supple list formats`)
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Convert a mesh; the file extensions give the formats
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
    /// Render this frame only; PNGs go to OUT/pictures
    #[arg(long, conflicts_with = "video")]
    pub frame: Option<usize>,
    /// Write all frames to an animated GIF
    #[arg(long, value_name = "FILE")]
    pub video: Option<PathBuf>,
    /// Size in pixels
    #[arg(long, default_value = "960x540", value_name = "WxH")]
    pub size: String,
    /// Colour by displacement, speed, stress, energy, damage, contact-force or friction-force
    #[arg(long, value_name = "FIELD")]
    pub color: Option<String>,
}

const VIEW_EXAMPLES: &str = "\
Examples:
  supple view out/jello                             play a result
  supple view out/be out/sdirk2                     two results side by side
  supple view scenes/jello.toml                     run a scene and pull it with the mouse
  supple view scenes/jello.toml --with backward-euler --with sdirk2 --record
The address has a token; only this machine can open it. Ctrl-C stops the server. Press ? on the page for its keys.";

/// Arguments of `supple view`.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Folders that `supple run` wrote, up to four; or one scene, which runs while you watch and pull
    #[arg(required = true, value_name = "OUT|SCENE")]
    pub what: Vec<PathBuf>,
    /// Run the scene with this method; several run side by side, up to four
    #[arg(long, value_name = "METHOD")]
    pub with: Vec<String>,
    /// Keep what was done to the scene as a scene file that repeats it to the bit
    #[arg(long)]
    pub record: bool,
    /// Wait at the start until the page lets the scene run
    #[arg(long)]
    pub paused: bool,
    /// Folder for the results of a scene that runs [default: out/<scene name>]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Port of 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
}

/// Registries that `supple list` prints.
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
    /// Contact models
    Contacts,
    /// Damping models
    Dampings,
    /// Generated shapes
    Shapes,
    /// File formats for meshes and frames
    Formats,
}

/// Prints a completion script for a shell.
pub fn completions(shell: Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "supple", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Outcome::Success)
}

/// Prints a line to standard output. A closed pipe (`supple list methods | head`) is not an error.
pub fn print_line(text: impl Display) -> anyhow::Result<()> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error. A failure to print is ignored because it cannot be reported.
pub fn print_note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a warning to standard output, in colour if that is a terminal.
pub fn print_warning(text: impl Display) -> anyhow::Result<()> {
    let terminal = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, plain) = if terminal {
        ("\x1b[1;31m", "\x1b[0m")
    } else {
        ("", "")
    };
    print_line(format_args!("{red}WARNING{plain}: {text}"))
}

/// Prints an error to standard error, in colour if that is a terminal.
pub fn print_error(error: &anyhow::Error) {
    let terminal = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, plain) = if terminal {
        ("\x1b[1;31m", "\x1b[0m")
    } else {
        ("", "")
    };
    print_note(format_args!("{red}error{plain}: {error:#}"));
}

/// Splits `KEY=VALUE` arguments of `--set` into keys and values.
pub fn parse_settings(set: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let split = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_string(), value.trim().to_string())),
        None => Err(anyhow::anyhow!(
            "--set {text}: expected KEY=VALUE, for example --set time.step=0.01"
        )),
    };
    set.iter().map(split).collect()
}
