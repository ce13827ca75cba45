//! The program as a person meets it: what it prints, where, and the code it ends with.

mod compare;
mod inputs;
mod interrupt;
mod listings;
mod page;
mod papers;
mod replay;
mod results;
mod runs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A bar of four hexes that runs in a moment.
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

/// What the program output.
#[derive(Debug)]
struct ProgramOutput {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> ProgramOutput {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
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
    /// A refusal: this code, nothing on standard output, and all these words on standard error.
    #[track_caller]
    fn refuses(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.out.is_empty(), "{self:?}");
        assert!(self.err.starts_with("error: "), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in {}", self.err);
        }
    }

    /// Success with this on standard output.
    #[track_caller]
    fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }
}

/// A folder to work in.
struct Workspace(TempDir);

impl Workspace {
    /// A folder with `bar.toml` in it.
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
