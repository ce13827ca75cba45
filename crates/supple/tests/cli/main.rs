//! End-to-end tests of the program: its output, files and exit codes.

mod compare;
mod inputs;
mod interrupt;
mod listings;
mod modes;
mod page;
mod papers;
mod replay;
mod results;
mod runs;
mod view;
mod warnings;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Scene with a bar of four hexahedra; runs in milliseconds.
const BAR: &str = r#"title = "Bar"

[time]
method = "sdirk2"
step = 0.01
until = 0.05

[[body]]
name = "bar"
mesh = { box = { size = [0.4, 0.1, 0.1], cells = [4, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }

[[body.fix]]
where = { x = 0.0 }

[[probe]]
name = "tip"
body = "bar"
near = [0.4, 0.1, 0.1]
"#;

/// Root of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Exit code, standard output and standard error of the program.
#[derive(Debug)]
struct ProgramOutput {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> ProgramOutput {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        let output = ProgramOutput {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(
            !output.err.contains("panicked") && !output.err.contains("RUST_BACKTRACE"),
            "{output:?}"
        );
        assert!(
            !output.out.contains('\x1b') && !output.err.contains('\x1b'),
            "colours without a terminal: {output:?}"
        );
        output
    }
}

impl ProgramOutput {
    /// Checks that the program refused its input: exit code, no standard output, these words on standard error.
    #[track_caller]
    fn refuses(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.out.is_empty(), "{self:?}");
        assert!(self.err.starts_with("error: "), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in {}", self.err);
        }
    }

    /// Checks for exit code 0 and returns standard output.
    #[track_caller]
    fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }
}

/// A temporary folder in which the program runs.
struct Workspace(TempDir);

impl Workspace {
    /// Creates a folder that contains `bar.toml`.
    fn new() -> Workspace {
        let workspace = Workspace(tempfile::tempdir().expect("a temporary folder"));
        workspace.write("bar.toml", BAR);
        workspace
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file in a temporary folder");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_supple"));
        command
            .current_dir(self.0.path())
            .args(args)
            .env_remove("RUST_BACKTRACE");
        command
    }

    fn supple(&self, args: &[&str]) -> ProgramOutput {
        self.command(args)
            .output()
            .expect("the program runs")
            .into()
    }
}
