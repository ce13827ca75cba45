//! Frames are exact in time for any step.

use std::io::Read;
use std::path::Path;

use super::run_whole;

const FALLING: &str = r#"
[time]
method = "trapezoid"
step = {step}
until = {until}
fps = {fps}

[output]
every-frame = {every}

[[body]]
name = "brick"
mesh = { box = { size = [0.2, 0.1, 0.1], cells = [2, 1, 1], element = "hex8" } }
material = { law = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000 }
velocity = { linear = [1.0, 2.0, 0.5] }
"#;

/// Reads times and files of a `.pvd`.
fn series(out: &Path) -> Vec<(f64, String)> {
    let text = std::fs::read_to_string(out.join("series.pvd")).unwrap();
    let attribute = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_string()
    };
    let entries = text.lines().filter(|l| l.starts_with("<DataSet"));
    entries
        .map(|l| {
            (
                attribute(l, "timestep").parse().unwrap(),
                attribute(l, "file"),
            )
        })
        .collect()
}

/// Reads an array of a frame.
fn array(path: &Path, name: &str) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
    let head = std::str::from_utf8(&bytes[..at]).unwrap();
    let data = &bytes[at + mark.len()..];
    let line = head
        .lines()
        .find(|l| l.contains(&format!("Name=\"{name}\"")))
        .unwrap();
    let offset: usize = line
        .split_once("offset=\"")
        .unwrap()
        .1
        .split_once('"')
        .unwrap()
        .0
        .parse()
        .unwrap();
    let word = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize;
    assert_eq!(word(offset), 1, "the array is small enough for one block");
    let packed = word(offset + 24);
    let mut out = Vec::new();
    flate2::read::ZlibDecoder::new(&data[offset + 32..offset + 32 + packed])
        .read_to_end(&mut out)
        .unwrap();
    out.chunks(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// x(t) = x₀ + v₀ t + g t²/2 at every frame time k/fps, also for steps that do not divide the frame interval.
#[test]
fn free_fall_is_exact_at_every_frame() {
    let g = [0.0, -9.81, 0.0];
    let v0 = [1.0, 2.0, 0.5];
    let cases = [
        // step, until, fps, every: many steps per frame, many frames per step, incommensurable, exactly divisible.
        (0.0137, 0.5, 24.0, 1),
        (0.11, 0.4, 60.0, 1),
        (0.01, 0.333, 29.97, 1),
        (0.01, 0.3, 100.0, 1),
        (0.0137, 0.5, 30.0, 4),
        (0.7, 0.25, 30.0, 1),
    ];
    for (step, until, fps, every) in cases {
        let mut text = FALLING.to_string();
        for (key, value) in [("step", step), ("until", until), ("fps", fps)] {
            text = text.replace(&format!("{{{key}}}"), &format!("{value:?}"));
        }
        let text = text.replace("{every}", &every.to_string());
        let dir = tempfile::tempdir().unwrap();
        let report = run_whole(&text, dir.path());
        let frames = series(dir.path());
        let case = format!("step {step}, until {until}, fps {fps}, every {every}");
        let wanted = (until * fps / f64::from(every) + 1e-9).floor() as usize + 1;
        assert_eq!(frames.len(), wanted, "{case}");
        assert_eq!(report.frames as usize, wanted, "{case}");
        assert!(
            (report.t - until).abs() < 1e-15,
            "{case}: ended at {}",
            report.t
        );
        let rest = array(&dir.path().join(&frames[0].1), "Points");
        for (k, (t, file)) in frames.iter().enumerate() {
            let exact = (k as u32 * every) as f64 / fps;
            assert!(
                (t - exact).abs() <= 1e-14,
                "{case}: frame {k} is at {t}, not {exact}"
            );
            let at = dir.path().join(file);
            let (x, v) = (array(&at, "Points"), array(&at, "velocity"));
            for i in 0..x.len() {
                let d = i % 3;
                let (x1, v1) = (
                    rest[i] + v0[d] * exact + 0.5 * g[d] * exact * exact,
                    v0[d] + g[d] * exact,
                );
                assert!(
                    (x[i] - x1).abs() < 1e-12,
                    "{case}: frame {k}, coordinate {i}: {} for {x1}",
                    x[i]
                );
                assert!(
                    (v[i] - v1).abs() < 1e-11,
                    "{case}: frame {k}, velocity {i}: {} for {v1}",
                    v[i]
                );
            }
        }
        let on_disk = std::fs::read_dir(dir.path().join("frames"))
            .unwrap()
            .count();
        assert_eq!(on_disk, wanted, "{case}: files in frames/");
    }
}

/// Prescribed nodes are at the exact positions of their motion at the frame's time, not interpolated between steps.
#[test]
fn prescribed_nodes_follow_their_motion_between_steps() {
    let text = FALLING
        .replace("{step}", "0.09")
        .replace("{until}", "0.3")
        .replace("{fps}", "50.0")
        .replace("{every}", "1")
        .replace("velocity = { linear = [1.0, 2.0, 0.5] }", "[[body.fix]]\nwhere = \"all\"\naxes = \"x\"\nmotion = { shake = { axis = \"x\", amplitude = 0.01, frequency = 4.0 } }");
    let dir = tempfile::tempdir().unwrap();
    run_whole(&text, dir.path());
    let frames = series(dir.path());
    assert_eq!(frames.len(), 16);
    let rest = array(&dir.path().join(&frames[0].1), "Points");
    for (k, (_, file)) in frames.iter().enumerate() {
        let t = k as f64 / 50.0;
        let shift = 0.01 * (std::f64::consts::TAU * 4.0 * t).sin();
        let x = array(&dir.path().join(file), "Points");
        for i in (0..x.len()).step_by(3) {
            assert!(
                (x[i] - rest[i] - shift).abs() < 1e-13,
                "frame {k}: moved by {}, not {shift}",
                x[i] - rest[i]
            );
        }
    }
}

/// A shorter run into the folder of a longer one removes its later frames.
#[test]
fn frames_of_an_earlier_run_are_removed() {
    let scene = |until: &str| {
        FALLING
            .replace("{step}", "0.01")
            .replace("{until}", until)
            .replace("{fps}", "50.0")
            .replace("{every}", "1")
    };
    let dir = tempfile::tempdir().unwrap();
    run_whole(&scene("0.2"), dir.path());
    run_whole(&scene("0.1"), dir.path());
    assert_eq!(
        std::fs::read_dir(dir.path().join("frames"))
            .unwrap()
            .count(),
        6
    );
    assert_eq!(series(dir.path()).len(), 6);
    assert_eq!(super::table(&dir.path().join("steps.csv")).1.len(), 11);
}
