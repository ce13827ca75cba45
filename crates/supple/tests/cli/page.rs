//! `report.html`: numbers, charts and animation of a run.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Workspace;

/// Collects all numbers of a report as text.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.values().for_each(|v| leaves(v, found)),
        Value::Array(list) => list.iter().for_each(|v| leaves(v, found)),
        Value::Number(n) => found.push(n.to_string()),
        _ => {}
    }
}

/// Reads the page of a run and checks what holds for every page: no external resources, all numbers of the report.
fn page(workspace: &Workspace) -> String {
    let page = workspace.read("out/bar/report.html");
    let report: Value = serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    for word in ["http://", "https://", "<link", "src=", "@import"] {
        assert!(!page.contains(word), "the page asks for {word}");
    }
    let mut numbers = Vec::new();
    leaves(&report, &mut numbers);
    assert!(numbers.len() > 25);
    for n in numbers {
        assert!(page.contains(&n), "the page lacks {n}");
    }
    page
}

fn film(page: &str) -> Value {
    let (_, rest) = page.split_once("class=\"film\">").expect("a film");
    let all: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    all["film"].clone()
}

fn bytes(film: &Value, key: &str) -> Vec<u8> {
    STANDARD.decode(film[key].as_str().unwrap()).unwrap()
}

#[test]
fn the_page_of_a_run_has_its_numbers_curves_and_motion() {
    let workspace = Workspace::new();
    workspace
        .supple(&["run", "bar.toml", "-q", "--set", "time.fps=100"])
        .success();
    let page = page(&workspace);
    for title in [
        "Energy",
        "Where the energy went",
        "Momentum",
        "Work of a step",
    ] {
        assert!(
            page.contains(&format!(">{title}</text>")),
            "no chart of {title}"
        );
    }
    let film = film(&page);
    let times: Vec<f64> = film["times"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t.as_f64().unwrap())
        .collect();
    assert_eq!(times.len(), 6);
    assert_eq!((times[0], times[5]), (0.0, 0.05));
    // All 20 nodes of the bar are on its surface of 4·4 + 2 quads; two triangles each.
    assert_eq!(film["vertices"], 20);
    assert_eq!(bytes(&film, "triangles").len(), 12 * 2 * 18);
    let frames = bytes(&film, "frames");
    assert_eq!(frames.len(), 6 * 20 * 6);
    // The first frame spans 0.4 m of x; the tip hangs lower in the last, as the probe says.
    let of = |k: usize, name: &str| film[name][k].as_f64().unwrap();
    let at = |frame: usize, vertex: usize, k: usize| {
        let i = 2 * (3 * (20 * frame + vertex) + k);
        let part = f64::from(u16::from_le_bytes([frames[i], frames[i + 1]])) / 65535.0;
        of(k, "low") + (of(k, "high") - of(k, "low")) * part
    };
    let probes = workspace.read("out/bar/probes.csv");
    let last: Vec<f64> = probes
        .lines()
        .last()
        .unwrap()
        .split(',')
        .map(|x| x.parse().unwrap())
        .collect();
    let grain = |k: usize| (of(k, "high") - of(k, "low")) / 65535.0;
    let tip = (0..20).find(|&v| (0..3).all(|k| (at(5, v, k) - last[k + 1]).abs() <= grain(k)));
    assert!(tip.is_some(), "no vertex ends at the probe {last:?}");
}

#[test]
fn a_failed_run_has_a_page_too() {
    let workspace = Workspace::new();
    let args = [
        "run",
        "bar.toml",
        "--method",
        "forward-euler",
        "--step",
        "0.05",
        "--until",
        "50",
    ];
    assert_eq!(workspace.supple(&args).code, Some(1));
    let page = page(&workspace);
    assert!(page.contains("blown up") && page.contains("class=\"bad\""));
}

/// The player's positions come from memory. A resumed run reads the earlier ones from its frames; if it cannot, the page
/// says so.
#[test]
fn the_player_needs_frames_only_to_resume() {
    let workspace = Workspace::new();
    let formats = "output.formats=[\"obj\"]";
    let run = |more: &[&str]| {
        let mut args = vec!["run", "bar.toml", "-q", "--set", formats];
        args.extend(more);
        workspace.supple(&args).success();
        page(&workspace)
    };
    assert!(run(&[]).contains("<div class=\"supple-player\""));
    let page = run(&["--resume", "out/bar/checkpoint.supple", "--until", "99"]);
    assert!(
        !page.contains("<div class=\"supple-player\"")
            && page.contains("resumed without its earlier frames")
    );
}

#[test]
fn numerical_dissipation_is_reported() {
    let workspace = Workspace::new();
    let run = |method: &str| {
        let args = [
            "run", "bar.toml", "--method", method, "--until", "2", "--step", "0.02",
        ];
        let output = workspace.supple(&args).success();
        let report: Value = serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
        (output, report["integrator_percent"].as_f64())
    };
    // Backward Euler brings the bar to rest and dissipates all energy; the midpoint rule dissipates almost none.
    let (output, share) = run("backward-euler");
    let share = share.expect("a share");
    assert!(share > 90.0 && share <= 100.0, "{share}");
    assert!(
        output.contains(&format!(
            "numerical dissipation: {share:.0} % of the available energy"
        )),
        "{output}"
    );
    let (_, share) = run("implicit-midpoint");
    assert!(share.expect("a share").abs() < 5.0, "{share:?}");
}

#[test]
fn a_run_under_step_control_says_which_estimate_ruled() {
    let workspace = Workspace::new();
    let args = ["run", "bar.toml", "--set", "time.control.tolerance=1e-3"];
    let output = workspace.supple(&args).success();
    let report: Value = serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    let control = &report["control"];
    let line = output.lines().find(|l| l.starts_with("auto: steps "));
    let line = line.unwrap_or_else(|| panic!("no line of step control in {output}"));
    for words in [
        format!(
            "{} accepted, {} rejected; ",
            control["accepted"], control["rejected"]
        ),
        format!(
            "force-error {}",
            control["estimates"]["force-error"]["ruled"]
        ),
        "largest error ".into(),
        " of the tolerance".into(),
    ] {
        assert!(line.contains(&words), "{words} is not in {line}");
    }
    assert!(page(&workspace).contains("<td>control.estimates.force-error.ruled</td>"));
    let plain = workspace.supple(&["run", "bar.toml"]).success();
    assert!(!plain.contains("of the tolerance"), "{plain}");
}

/// The example of docs/step-control.md runs on the bar, and every kind and every key of `control` is explained there.
#[test]
fn the_document_of_step_control_is_true() {
    let text = std::fs::read_to_string(super::repository().join("docs/step-control.md")).unwrap();
    let workspace = Workspace::new();
    for kind in workspace.supple(&["list", "controls"]).success().lines() {
        let name = kind.split_whitespace().next().unwrap();
        assert!(
            text.contains(&format!("\n| `{name}` |")),
            "no row of {name}"
        );
    }
    let (_, example) = text.split_once("```toml\n").unwrap();
    let example = example.split_once("```").unwrap().0;
    let bar = workspace.read("bar.toml");
    let body = &bar[bar.find("[[body]]").unwrap()..];
    workspace.write("bar.toml", &format!("{example}\n{body}"));
    workspace
        .supple(&["run", "bar.toml", "-q", "--until", "0.05"])
        .success();
    let report: Value = serde_json::from_str(&workspace.read("out/bar/report.json")).unwrap();
    for key in report["control"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("`{key}`")), "{key} is not explained");
    }
    let table = workspace.read("out/bar/control.csv");
    for column in table.lines().next().unwrap().split(',') {
        assert!(text.contains(&format!("`{column}`")), "no column {column}");
    }
}
