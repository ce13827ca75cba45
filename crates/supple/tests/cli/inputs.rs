//! Errors in scene files and arguments: a message with file, line, column and key, and exit code 2.

use super::{BAR, Workspace};

/// Runs and checks the bar with one replacement; both commands must refuse it with the same message.
#[track_caller]
fn changed(from: &str, to: &str, words: &[&str]) {
    assert!(BAR.contains(from), "the scene has no {from}");
    let workspace = Workspace::new();
    let text = BAR.replace(from, to);
    workspace.write("bad.toml", &text);
    let run = workspace.supple(&["run", "bad.toml"]);
    run.refuses(2, words);
    let at = text
        .find(to)
        .map(|at| 1 + text[..at].matches('\n').count())
        .unwrap_or(1);
    assert!(
        run.err.contains(&format!("bad.toml:{at}:")),
        "line {at} is not named in {}",
        run.err
    );
    let check = workspace.supple(&["check", "bad.toml"]);
    assert_eq!(check.err, run.err);
    assert!(
        !workspace.path("out").exists(),
        "a refused scene made a folder"
    );
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_name_and_the_place() {
    let workspace = Workspace::new();
    workspace.write("bad.toml", &BAR.replace("poisson", "poison"));
    let output = workspace.supple(&["run", "bad.toml"]);
    output.refuses(
        2,
        &["bad.toml:11:55: body[0].material.poison: unknown key; did you mean \"poisson\"?"],
    );
    // The line itself with carets under the word.
    let lines: Vec<&str> = output.err.lines().collect();
    assert!(lines[2].starts_with("11 | material"), "{}", output.err);
    assert_eq!(
        lines[3].trim_start_matches([' ', '|']),
        "^^^^^^",
        "{}",
        output.err
    );
    assert_eq!(
        lines[3].find('^'),
        lines[2].find("poison"),
        "{}",
        output.err
    );
    changed(
        "[time]",
        "[tiem]",
        &["tiem: unknown key; did you mean \"time\"?"],
    );
    changed(
        "until = 0.05",
        "untill = 0.05",
        &["time.untill: unknown key; did you mean \"until\"?"],
    );
}

#[test]
fn impossible_numbers_are_refused() {
    for (key, value, bad) in [
        ("density", "1000", ["nan", "0", "-1000", "inf"]),
        ("young", "1e5", ["nan", "0.0", "-1e5", "inf"]),
    ] {
        for bad in bad {
            let words = [format!("body[0].material.{key}: ")];
            changed(
                &format!("{key} = {value}"),
                &format!("{key} = {bad}"),
                &[&words[0]],
            );
        }
    }
    for bad in ["nan", "0", "-0.01", "inf", "\"fast\"", "[0.01]"] {
        changed("step = 0.01", &format!("step = {bad}"), &["time.step: "]);
        changed("until = 0.05", &format!("until = {bad}"), &["time.until: "]);
    }
    for bad in ["0.5", "-1.0", "0.7", "nan"] {
        changed(
            "poisson = 0.4",
            &format!("poisson = {bad}"),
            &["body[0].material.poisson: "],
        );
    }
    changed(
        "cells = [4, 1, 1]",
        "cells = [4, 0, 1]",
        &["body[0].mesh.box.cells"],
    );
    changed(
        "cells = [4, 1, 1]",
        "cells = [40000, 40000, 40000]",
        &["body[0].mesh.box.cells", "too many"],
    );
    changed(
        "size = [0.4, 0.1, 0.1]",
        "size = [0.4, -0.1, 0.1]",
        &["body[0].mesh.box.size"],
    );
}

#[test]
fn selections_that_match_nothing_are_refused() {
    let spans = "the body spans x from 0 to 0.4";
    changed(
        "where = { x = 0.0 }",
        "where = { x = 9.0 }",
        &["body[0].fix[0].where: matches no node", spans],
    );
    changed(
        "where = { x = 0.0 }",
        "where = { min = [1.0, 1.0, 1.0], max = [2.0, 2.0, 2.0] }",
        &["body[0].fix[0].where: matches no node"],
    );
    changed(
        "where = { x = 0.0 }",
        "where = { sphere = { center = [5.0, 0.0, 0.0], radius = 0.1 } }",
        &["body[0].fix[0].where: matches no node"],
    );
    changed(
        "where = { x = 0.0 }",
        "where = { nodes = [] }",
        &["body[0].fix[0].where"],
    );
    changed(
        "where = { x = 0.0 }",
        "where = { nodes = [400] }",
        &["there is no node 400: the body has nodes 0 to 19"],
    );
    changed(
        "where = { x = 0.0 }",
        "where = { group = \"left\" }",
        &["there is no group \"left\": the mesh has no groups"],
    );
    changed(
        "where = { x = 0.0 }",
        "where = {}",
        &["body[0].fix[0].where"],
    );
    changed(
        "body = \"bar\"",
        "body = \"bra\"",
        &["probe[0].body: no body is named \"bra\"; did you mean \"bar\"?"],
    );
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    changed(
        "\"sdirk2\"",
        "\"sdrik2\"",
        &["time.method: unknown method \"sdrik2\"; did you mean \"sdirk2\"?"],
    );
    changed(
        "\"sdirk2\"",
        "\"s-rk4\"",
        &["time.method: \"rk4\" is explicit", "leave the prefix out"],
    );
    changed(
        "\"sdirk2\"",
        "\"quantum\"",
        &[
            "unknown method \"quantum\"; known are",
            "\"backward-euler\"",
        ],
    );
    changed(
        "\"sdirk2\"",
        "{ name = \"sdirk2\", beta = 0.25 }",
        &["method \"sdirk2\" takes no key \"beta\"; it takes none"],
    );
    changed(
        "\"sdirk2\"",
        "{ name = \"newmark\", beta = -1 }",
        &["beta = -1 is outside (0, 1]"],
    );
    changed(
        "\"stable-neo-hookean\"",
        "\"stable-neo-hokean\"",
        &[
            "body[0].material.law: unknown law \"stable-neo-hokean\"; did you mean \"stable-neo-hookean\"?",
        ],
    );
    changed(
        "\"stable-neo-hookean\"",
        "\"wood\"",
        &["unknown law \"wood\"; known are", "\"corotated\""],
    );
    changed(
        "\"hex8\"",
        "\"hex9\"",
        &["body[0].mesh.box.element: ", "hex8"],
    );
}

#[test]
fn files_that_are_not_scenes_are_refused() {
    let workspace = Workspace::new();
    workspace
        .supple(&["run", "bra.toml"])
        .refuses(2, &["bra.toml: no such file; did you mean \"bar.toml\"?"]);
    workspace
        .supple(&["check", "."])
        .refuses(2, &[".: is a directory; give a scene file in it"]);
    for (text, words) in [
        ("", "empty scene"),
        ("title = ", "not TOML"),
        ("[time]\nstep = 0.01\nuntil = 1.0\n", "nothing to simulate"),
        (
            "[[body]]\nmesh = { file = \"no.msh\" }\n[time]\nstep = 0.01\nuntil = 1.0\n",
            "body[0]",
        ),
    ] {
        workspace.write("bad.toml", text);
        workspace
            .supple(&["run", "bad.toml"])
            .refuses(2, &["bad.toml", words]);
    }
    std::fs::write(workspace.path("bytes.toml"), b"title = \"\xff\"").unwrap();
    workspace
        .supple(&["run", "bytes.toml"])
        .refuses(2, &["bytes.toml:1:10: not UTF-8 text: byte 0xff"]);
}

#[test]
fn all_errors_are_reported_at_once() {
    let workspace = Workspace::new();
    workspace.write(
        "bad.toml",
        &BAR.replace("poisson", "poison")
            .replace("step = 0.01", "step = -1"),
    );
    workspace
        .supple(&["run", "bad.toml"])
        .refuses(2, &["time.step: ", "body[0].material.poison: "]);
    workspace.write(
        "bad.toml",
        &BAR.replace("sdirk2", "sdirk9")
            .replace("{ x = 0.0 }", "{ x = 7.0 }"),
    );
    workspace.supple(&["run", "bad.toml"]).refuses(
        2,
        &[
            "time.method: unknown method",
            "body[0].fix[0].where: matches no node",
        ],
    );
}

#[test]
fn bad_arguments_are_refused() {
    let workspace = Workspace::new();
    let refused = |args: &[&str], words: &[&str]| {
        let all = [&["run", "bar.toml"], args].concat();
        workspace.supple(&all).refuses(2, words);
        assert!(
            !workspace.path("out").exists(),
            "a refused run made a folder"
        );
    };
    refused(
        &["--threads", "0"],
        &["--threads 0: at least one thread is needed"],
    );
    refused(
        &["--threads", "1000000"],
        &["--threads 1000000: at most 1024"],
    );
    refused(&["--threads", "two"], &["'two'", "--threads"]);
    refused(
        &["--set", "time.step"],
        &["--set time.step: expected KEY=VALUE"],
    );
    refused(
        &["--set", "time.stp=0.01"],
        &["--set time.stp=0.01: time.stp: unknown key; did you mean \"step\"?"],
    );
    refused(
        &["--set", "body.bra.mass=lumped"],
        &["body.bra: no entry has this name; ", "\"bar\""],
    );
    refused(
        &["--set", "body[3].mass=lumped"],
        &["body[3]: out of range; the list has 1"],
    );
    refused(&["--set", "=3"], &["--set =3"]);
    refused(
        &["--set", "body.bar.material.young=-2"],
        &["--set body.bar.material.young=-2: ", "material.young: "],
    );
    refused(&["--step", "-0.1"], &["time.step: ", "-0.1"]);
    refused(&["--step", "0"], &["time.step: "]);
    refused(&["--step", "nan"], &["time.step: "]);
    refused(&["--until", "inf"], &["time.until: "]);
    refused(&["--until", "soon"], &["'soon'", "--until"]);
    refused(
        &["--method", "sdrik2"],
        &["time.method: unknown method \"sdrik2\"; did you mean \"sdirk2\"?"],
    );
    refused(&["--colour"], &["--colour"]);
    workspace
        .supple(&["chek", "bar.toml"])
        .refuses(2, &["'chek'", "'check'"]);
    workspace
        .supple(&["list", "method"])
        .refuses(2, &["'methods'"]);
    assert_eq!(workspace.supple(&[]).code, Some(2));
}
