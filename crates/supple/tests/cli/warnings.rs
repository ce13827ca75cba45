//! Warnings, notes and counts in the output of the program.

use super::{BAR, Workspace};

/// A bar under St. Venant–Kirchhoff that its own motion turns inside out.
fn folded() -> String {
    BAR.replace("stable-neo-hookean", "stvk")
        .replace("young = 1e5", "young = 1e2")
        .replace("until = 0.05", "until = 0.2")
        .replace("method = \"sdirk2\"", "method = \"implicit-midpoint\"")
        .replace(
            "density = 1000 }",
            "density = 1000 }\nvelocity = { gradient = [[-40, 0, 0], [0, 0, 0], [0, 0, 0]] }",
        )
}

#[test]
fn inverted_elements_are_shown_in_terminal_report_and_pages() {
    let workspace = Workspace::new();
    workspace.write("folded.toml", &folded());
    let output = workspace.supple(&["run", "folded.toml"]).success();
    let last = output.lines().last().unwrap();
    assert!(
        output.contains("WARNING: the result is suspect: elements are inverted (det F ≤ 0) after"),
        "{output}"
    );
    assert!(last.starts_with("WARNING: "), "{output}");
    let page = workspace.read("out/folded/report.html");
    assert!(page.contains("<p class=\"warning\">Warning: the result is suspect"));
    let args = [
        "compare",
        "folded.toml",
        "--methods",
        "implicit-midpoint",
        "--reference",
        "none",
    ];
    let output = workspace.supple(&args).success();
    assert!(
        output.contains("WARNING: implicit-midpoint at 0.01 s: the result is suspect"),
        "{output}"
    );
    let page = workspace.read("out/folded-compare/index.html");
    assert!(page.contains("warning: the result is suspect"));
    assert!(
        page.contains(">1 run of "),
        "the page does not count one run"
    );
}

#[test]
fn a_share_above_100_percent_is_shown() {
    let workspace = Workspace::new();
    let until = ["--until", "0.1"];
    let args = ["run", "bar.toml", "--method", "forward-euler"];
    let output = workspace.supple(&[&args[..], &until].concat()).success();
    let warning = output.lines().find(|l| l.starts_with("WARNING: "));
    let warning = warning.expect("a warning");
    assert!(warning.contains("numerical gain of"), "{output}");
    assert!(warning.contains("% of the energy"), "{output}");
    assert!(output.contains("numerical gain: "), "{output}");
    let page = workspace.read("out/bar/report.html");
    assert!(page.contains("Warning: the result is suspect: numerical gain"));
}

#[test]
fn compare_without_frames_says_so() {
    let workspace = Workspace::new();
    let args = [
        "compare",
        "bar.toml",
        "--until",
        "0.01",
        "--methods",
        "sdirk2",
    ];
    let output = workspace.supple(&args).success();
    assert!(
        output.contains(
            "there is no frame after t = 0 to compare: the scene ends at t = 0.01 s and frames are "
        ),
        "{output}"
    );
    assert!(!output.contains("fails"), "{output}");
    let page = workspace.read("out/bar-compare/index.html");
    assert!(page.contains("Errors are not known: there is no frame after t = 0"));
}

#[test]
fn counts_and_notes_are_grammatical() {
    let workspace = Workspace::new();
    let args = ["run", "bar.toml", "--until", "0.01"];
    let output = workspace.supple(&args).success();
    assert!(
        output.contains("1 frame in ") && output.contains(", 1 step to t"),
        "{output}"
    );
    // A mesh file with notes and warnings.
    workspace.write(
        "one.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 9 9 9\n$EndNodes\n\
         $Elements\n2\n1 4 2 0 1 1 2 3 4\n2 2 2 0 1 1 2 3\n$EndElements\n",
    );
    let mesh = BAR.replace(
        "{ box = { size = [0.4, 0.1, 0.1], cells = [4, 1, 1], element = \"hex8\" } }",
        "{ file = \"one.msh\" }",
    );
    workspace.write("one.toml", &mesh);
    let output = workspace.supple(&["run", "one.toml"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    for line in output.err.lines() {
        let labels = line.matches("note:").count() + line.matches("warning:").count();
        assert!(labels <= 1, "{line}");
    }
    assert!(
        output
            .err
            .contains("warning: bar: 1 point is not used by any cell"),
        "{output:?}"
    );
    assert!(
        output
            .err
            .contains("note: bar: points, lines and faces (1) beside"),
        "{output:?}"
    );
    let checked = workspace.supple(&["check", "one.toml"]).success();
    assert!(
        checked.contains("  warning      bar: 1 point is not used"),
        "{checked}"
    );
    assert!(
        checked.contains("  note         bar: points, lines"),
        "{checked}"
    );
}

#[test]
fn check_lists_the_lowest_frequencies() {
    let workspace = Workspace::new();
    let text = workspace.supple(&["check", "bar.toml"]).success();
    let modes = text.lines().filter(|l| l.contains(" Hz  "));
    assert_eq!(modes.count(), 10, "{text}");
    assert!(
        text.contains("bending along y") && text.contains("torsion about x"),
        "{text}"
    );
}
