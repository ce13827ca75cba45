//! Every result, quick: its verdict, the claims the project stands by, and the files it leaves.

use std::collections::BTreeMap;
use std::path::Path;

use papers::{Done, Job, RESULTS, Size, Verdict, run, write_all};
use rayon::prelude::*;

/// Verdicts that are not "reproduced", and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "000-fig3",
        "two orders of magnitude hold for SDIRK2 and TR-BDF2(B), not for all",
    ),
    (
        "000-fig4",
        "third- and fourth-order methods are ahead at 10 ms already",
    ),
    (
        "000-beam-orders",
        "some methods of order three and four are above 2.5 at large steps",
    ),
    (
        "000-ros3prl2",
        "stable by the corrected formula, unstable as printed",
    ),
    (
        "000-table1-jello",
        "rotations frozen in |F - R|^2 damp every method",
    ),
    (
        "000-table1-cloth",
        "our stages start closer to their answers",
    ),
    (
        "000-tr-bdf2-caching",
        "frozen rotations leave nothing to cache",
    ),
    (
        "000-fig7",
        "rotations frozen in |F - R|^2 damp every method, so none is unstable",
    ),
    (
        "002-implicit-step",
        "eq. (4-6) is printed without a factor h",
    ),
    ("003-example2", "BDF2 fails one step later"),
    (
        "004-fig2",
        "as printed, tracking keeps the energy of so stiff a spring and not its angular momentum",
    ),
    (
        "004-projection",
        "projection that keeps momenta holds the cube as well",
    ),
    (
        "004-fig5",
        "started exactly at rest, midpoint and Newmark stay within two percent",
    ),
    (
        "004-fig11",
        "the slow swing of the head outlives five seconds of BDF2",
    ),
];

/// Claims by their words, and what must become of them.
const HELD: &[(&str, &str, bool)] = &[
    ("000-fig3", "than SDIRK2 and TR-BDF2(B) at 33 ms", true),
    ("000-fig3", "every method runs to the end", true),
    ("000-fig4", "first-order convergence", true),
    ("000-beam-orders", "classical orders", true),
    ("000-beam-orders", "three or higher", true),
    ("000-beam-orders", "are of order three", true),
    ("000-ros3prl2", "corrected formula, on the beam", false),
    ("000-ros3prl2", "as printed", true),
    ("000-table1-jello", "one Newton iteration a stage", true),
    (
        "000-table1-jello",
        "wobbles like BE at 0.05 ms (rotations of the state)",
        true,
    ),
    ("000-table1-jello", "solves (rotations of the state)", true),
    ("000-table1-jello", "solves (rotations frozen)", true),
    ("000-table1-jello", "as shipped, factors kept", true),
    ("000-table1-cloth", "times cheaper", true),
    ("000-cloth-damping", "control damping", true),
    ("000-tr-bdf2-caching", "one evaluation", true),
    ("000-tr-bdf2-caching", "changes nothing but the cost", true),
    ("000-fig7", "stabilises all", true),
    ("000-fig7", "descent of the residual", true),
    ("000-fig7", "BE and SDIRK2 recover", true),
    ("002-implicit-step", "as printed", false),
    ("003-example2", "get stuck", true),
    ("003-example2", "goes on", false),
    ("004-fig7", "recovers the rest pose", true),
    ("004-fig7", "the same damping does not", true),
    ("004-fig2", "eq. (7): tracked, the energy stays", true),
    ("004-fig2", "Hooke: tracked, the energy stays", true),
    ("004-fig2", "eq. (7): angular momentum is still", true),
    ("004-fig2", "eq. (7): blends turned back", true),
    ("004-fig2", "Hooke: blends turned back", true),
    ("004-projection", "spring: blended and turned back", true),
    (
        "004-projection",
        "stiff cube: blended and turned back",
        true,
    ),
    ("004-projection", "spring: projected", true),
    ("004-projection", "cube: projected", false),
    (
        "004-projection",
        "stiff cube: projection guarantees nothing",
        true,
    ),
    ("004-fig5", "within 1 %", true),
    ("004-fig5", "better than BDF2", true),
    ("004-fig5", "midpoint explodes (exact start)", false),
    ("004-fig5", "midpoint explodes (scattered start)", true),
    ("004-fig5", "Newmark explodes (scattered start)", true),
    ("004-fig8", "back to its start", true),
    ("004-fig8", "fails to return", true),
    ("004-fig9", "keeps the figure swinging", true),
    ("004-fig9", "damps out the pendulum", true),
    ("004-fig10", "more wrinkles", true),
    ("004-fig11", "keeps the face oscillating", true),
    ("004-fig11", "BDF2 damps out the motion (energy", true),
    ("004-fig12", "the global motion slows down", true),
    ("004-fig12", "steps within epsilon are kept", true),
    ("004-fig16", "oscillates fast in the horn", true),
    ("004-fig16", "some damping", true),
    ("004-fig16", "blending with backward Euler mitigates", true),
    ("004-table1", "at most one of backward Euler", true),
    ("004-table2", "stable in every model", true),
    ("004-table2", "not stable everywhere", true),
];

fn all() -> Vec<Done> {
    let job = Job {
        size: Size::Quick,
        tell: &|_| {},
    };
    let results: Vec<_> = RESULTS.iter().collect();
    let each = results.par_iter().map(|r| run(r, &job));
    each.map(|done| done.unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

#[test]
fn every_quick_result_has_the_verdict_expected() {
    let done = all();
    for d in &done {
        let id = d.reproduction.id;
        let excepted = EXCEPTIONS.iter().any(|(name, _)| *name == id);
        let wanted = if excepted {
            Verdict::Partly
        } else {
            Verdict::Reproduced
        };
        let found = d.finding.verdict();
        assert_eq!(found, wanted, "{id}: {}", d.finding.reason());
        assert_eq!(found == Verdict::Reproduced, d.finding.reason().is_empty());
    }
    for (id, words, holds) in HELD {
        let result = done.iter().find(|d| d.reproduction.id == *id);
        let claims = &result
            .unwrap_or_else(|| panic!("{id} is gone"))
            .finding
            .claims;
        let claim = claims.iter().find(|c| c.says.contains(words));
        let claim = claim.unwrap_or_else(|| panic!("{id} no longer says {words:?}"));
        assert_eq!(claim.holds, *holds, "{id}: {}: {}", claim.says, claim.found);
    }
    let out = tempfile::tempdir().unwrap();
    for d in &done {
        for t in &d.finding.tables {
            let whole = t.rows.iter().all(|row| row.len() == t.columns.len());
            assert!(whole, "{}/{}", d.reproduction.id, t.name);
        }
        d.write(out.path()).unwrap();
    }
    write_all(&done, out.path()).unwrap();
    files(&done, out.path());
}

/// What the contract promises to be there.
fn files(done: &[Done], out: &Path) {
    let read = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let verdicts: serde_json::Value =
        serde_json::from_str(&read(&out.join("verdicts.json"))).unwrap();
    let page = read(&out.join("index.html"));
    let table = read(&out.join("papers.md"));
    let entries = verdicts.as_array().unwrap();
    assert_eq!(entries.len(), RESULTS.len());
    for (entry, d) in entries.iter().zip(done) {
        let id = d.reproduction.id;
        assert_eq!(entry["id"], id);
        assert_eq!(entry["verdict"], d.finding.verdict().name());
        assert!(
            page.contains(&format!("id=\"{id}\"")),
            "{id} is not on the page"
        );
        assert!(
            table.contains(&format!("| {id} |")),
            "{id} is not in the table"
        );
        let folder = out.join(id);
        let result: serde_json::Value =
            serde_json::from_str(&read(&folder.join("result.json"))).unwrap();
        for name in result["tables"].as_array().unwrap() {
            let text = read(&folder.join(name.as_str().unwrap()));
            let width = |line: &str| line.matches(',').count();
            assert!(text.lines().count() > 1, "{id}/{name} is empty");
            assert!(!text.lines().any(|l| l.is_empty() || width(l) < 1));
        }
        let plots = result["plots"].as_array().unwrap();
        assert!(!plots.is_empty(), "{id} has no plot");
        for name in plots {
            assert!(read(&folder.join(name.as_str().unwrap())).starts_with("<svg"));
        }
    }
}

#[test]
fn names_are_unique_and_wrong_ones_are_helped() {
    let mut seen = BTreeMap::new();
    for r in RESULTS {
        assert!(seen.insert(r.id, r.title).is_none(), "{} twice", r.id);
    }
    let error = papers::find("000-fig33").err().unwrap().to_string();
    assert!(error.contains("000-fig3"), "{error}");
}

/// The page kept in the repository was written by the command it names, and lists what there is.
#[test]
fn the_kept_page_lists_every_result() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md");
    let text = std::fs::read_to_string(path).unwrap();
    for r in RESULTS {
        let row = format!("| {} | {} |", r.id, r.title);
        assert!(text.contains(&row), "docs/papers.md lacks {}", r.id);
    }
}
