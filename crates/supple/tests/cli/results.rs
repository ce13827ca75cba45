//! `supple paper`: lists and computes results of the source papers.

use serde_json::Value;

use super::Workspace;

#[test]
fn results_are_listed() {
    let list = Workspace::new().supple(&["paper", "list"]).success();
    for id in [
        "000-fig3",
        "000-table1-jello",
        "002-stiff-equation",
        "003-example2",
    ] {
        assert!(list.lines().any(|l| l.starts_with(id)), "{id}: {list}");
    }
}

#[test]
fn a_result_writes_its_folder_and_verdict() {
    let workspace = Workspace::new();
    let run = [
        "paper",
        "run",
        "002-stiff-equation",
        "003-example2",
        "--quick",
        "-o",
        "p",
    ];
    let out = workspace.supple(&run).success();
    assert!(out.contains("002-stiff-equation: reproduced"), "{out}");
    assert!(out.contains("003-example2: partly"), "{out}");
    let verdicts: Value = serde_json::from_str(&workspace.read("p/verdicts.json")).expect("JSON");
    assert_eq!(verdicts.as_array().map(Vec::len), Some(2));
    assert_eq!(verdicts[0]["verdict"], "reproduced");
    assert_eq!(verdicts[1]["id"], "003-example2");
    assert!(
        workspace
            .read("p/002-stiff-equation/steps.csv")
            .starts_with("h_s,")
    );
    assert!(
        workspace
            .read("p/002-stiff-equation/one-step.svg")
            .starts_with("<svg")
    );
    assert!(workspace.read("p/index.html").contains("003-example2"));
}

#[test]
fn an_unknown_result_is_refused_with_the_nearest() {
    let output = Workspace::new().supple(&["paper", "run", "003-fig33", "--quick"]);
    output.refuses(2, &["unknown result \"003-fig33\"", "003-fig3"]);
}
