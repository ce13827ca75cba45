//! Trials of barrier contact: every accepted step is checked for intersections by an independent exact test.
//!
//! ```text
//! cargo run --release -p supple-scene --example contact_trials -- all [--small] [--verbose] [--out FOLDER [--frames]] [METHOD …]
//! cargo run --release -p supple-scene --example contact_trials -- SCENE.toml [METHOD …] [--step SECONDS] [--set KEY=VALUE …]
//! ```
//!
//! Names are mat, rollers, funnel, bullet, folds, hundred, ball, cubes and all; or give a scene file with a barrier. A row is printed for
//! each trial, method and step. With `--out`, the scene file of each run and `trials.csv` are written into that folder; a row
//! replaces the one of an earlier run of the same trial. A long run updates its row, so that it is there if the run is
//! stopped. With `--frames`, tables and frames of each run are written too, for `supple render`. `--step` takes one of the steps of a trial, or another one for a scene file. `--verbose` prints a line for each
//! step, `--trace` also the Newton iterations of its last stage.

mod run;
mod scenes;
mod tally;
mod watch;

use std::path::{Path, PathBuf};

use scene::spec::Source;

use run::{Detail, HEADER, Run};
use scenes::{Trial, trials};

/// Methods that run if none is named.
const METHODS: [&str; 3] = ["backward-euler", "sdirk2", "tr-bdf2"];

type Failure = Box<dyn std::error::Error>;

/// What the command line asks for.
#[derive(Default)]
struct Arguments {
    small: bool,
    detail: Detail,
    out: Option<PathBuf>,
    frames: bool,
    step: Option<f64>,
    /// Keys and values that replace those of the scenes.
    settings: Vec<(String, String)>,
    names: Vec<String>,
    files: Vec<PathBuf>,
    methods: Vec<String>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, Failure> {
        let mut out = Arguments::default();
        let known = trials(true);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--small" => out.small = true,
                "--verbose" => out.detail.steps = true,
                "--trace" => {
                    out.detail = Detail {
                        steps: true,
                        iterations: true,
                    }
                }
                "--out" => out.out = Some(value()?.into()),
                "--frames" => out.frames = true,
                "--step" => out.step = Some(value()?.parse()?),
                "--set" => {
                    let setting = value()?;
                    let (key, value) = setting.split_once('=').ok_or("--set needs KEY=VALUE")?;
                    out.settings.push((key.into(), value.into()));
                }
                name if name == "all" || known.iter().any(|t| t.name == name) => {
                    out.names.push(word)
                }
                file if file.ends_with(".toml") => out.files.push(word.into()),
                _ => out.methods.push(word),
            }
        }
        if out.names.is_empty() && out.files.is_empty() {
            return Err("name a trial, mat, rollers, funnel, bullet, folds, hundred, ball, cubes or all, or a scene file".into());
        }
        if out.methods.is_empty() {
            out.methods = METHODS.map(String::from).to_vec();
        }
        Ok(out)
    }

    fn wants(&self, trial: &Trial) -> bool {
        self.names.iter().any(|n| n == "all" || n == trial.name)
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    println!("{HEADER}");
    let all = trials(arguments.small);
    for trial in all.iter().filter(|t| arguments.wants(t)) {
        let steps = trial.steps.iter();
        for &step in steps.filter(|h| arguments.step.is_none_or(|wanted| wanted == **h)) {
            for method in &arguments.methods {
                let (folder, file) = write_scene(trial, method, step, arguments.out.as_deref())?;
                report(trial.name, &folder, Source::read(&file)?, &arguments)?;
            }
        }
    }
    for file in &arguments.files {
        for method in &arguments.methods {
            let mut source = Source::read(file)?;
            source.set("time.method", method)?;
            if let Some(step) = arguments.step {
                source.set("time.step", &format!("{step:?}"))?;
            }
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let folder = arguments.out.clone().unwrap_or_else(temporary);
            std::fs::create_dir_all(&folder)?;
            report(&name, &folder, source, &arguments)?;
        }
    }
    Ok(())
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("contact-trials-{}", std::process::id()))
}

/// Writes the scene file of a trial and the files that it reads; returns their folder and the scene file.
fn write_scene(
    trial: &Trial,
    method: &str,
    step: f64,
    out: Option<&Path>,
) -> Result<(PathBuf, PathBuf), Failure> {
    let folder = out.map_or_else(temporary, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for (name, text) in &trial.files {
        std::fs::write(folder.join(name), text)?;
    }
    let file = folder.join(format!("{}-{method}-{}ms.toml", trial.name, 1e3 * step));
    std::fs::write(&file, trial.scene(method, step))?;
    Ok((folder, file))
}

/// Runs a scene and prints its row, which is kept in a table if there is a folder for it.
fn report(
    name: &str,
    folder: &Path,
    mut source: Source,
    arguments: &Arguments,
) -> Result<(), Failure> {
    for (key, value) in &arguments.settings {
        source.set(key, value)?;
    }
    let table = folder.join("trials.csv");
    let keep = |row: &str| match arguments.out {
        Some(_) => run::keep(&table, row),
        None => Ok(()),
    };
    let mut run = Run::new(name, &source)?;
    if arguments.frames && arguments.out.is_some() {
        run.write_results(&folder.join(run.title()))?;
    }
    let row = run.finish(arguments.detail, &keep)?;
    println!("{row}");
    Ok(keep(&row)?)
}
