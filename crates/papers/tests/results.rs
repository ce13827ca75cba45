//! All results at quick size: their verdicts, selected claims and numbers, and their files.
//!
//! Takes about 20 s on two cores: every result is computed once, in parallel.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use papers::{Claim, Done, Job, RESULTS, Size, Verdict, run, write_all};
use rayon::prelude::*;

/// Results whose verdict is not "reproduced", with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "000-fig3",
        "two orders of magnitude hold for SDIRK2 and TR-BDF2(B), not for all",
    ),
    (
        "000-fig4",
        "third- and fourth-order methods are more accurate already at 10 ms",
    ),
    (
        "000-beam-orders",
        "some methods of order three and four are above 2.5 at large steps",
    ),
    (
        "000-ros3prl2",
        "stable by the corrected formula, unstable by the published eqs. 12 and 13",
    ),
    (
        "000-table1-jello",
        "frozen rotations in |F - R|^2 damp every method",
    ),
    (
        "000-table1-cloth",
        "our stages start closer to their solutions",
    ),
    (
        "000-tr-bdf2-caching",
        "with frozen rotations there is nothing to cache",
    ),
    (
        "000-fig7",
        "frozen rotations in |F - R|^2 damp every method, so none is unstable",
    ),
    (
        "001-fig1",
        "at equal steps doubling is more accurate, and a fixed step is as accurate or more",
    ),
    (
        "001-constants",
        "the force error decreases with the fourth power of the step, not the third",
    ),
    (
        "001-cloth",
        "a fixed step and the embedded estimate are as accurate on the pinned sheet",
    ),
    ("002-implicit-step", "eq. (4-6) lacks a factor h"),
    ("003-example2", "BDF2 fails one step later"),
    (
        "003-alpha",
        "with a spectral radius of 0.9 no mixture of trapezoid and BDF2 damps alike at low frequencies",
    ),
    (
        "003-fig5",
        "the first bending modes of our soft body are well separated",
    ),
    (
        "003-fig6",
        "corrected STR-SBDF2ERE is less damping than the DIRK methods",
    ),
    (
        "003-tree",
        "with modes of the start the swaying tree blows up",
    ),
    (
        "004-fig2",
        "Algorithm 1 preserves the energy of such a stiff spring but not its angular momentum",
    ),
    (
        "004-projection",
        "momentum-preserving projection keeps the cube stable as well",
    ),
    (
        "004-fig5",
        "started exactly at rest, midpoint and Newmark stay within two percent",
    ),
    (
        "004-fig13",
        "with springs that are exact on spheres, a few substeps of the midpoint rule are plausible",
    ),
    (
        "004-fig11",
        "the slow swing of the head persists for five seconds under BDF2",
    ),
];

/// Claims by result and id, and whether they must hold.
const EXPECTED_CLAIMS: &[(&str, &str, bool)] = &[
    ("000-fig3", "euler-against-sdirk2-and-bathe", true),
    ("000-fig3", "runs-to-the-end", true),
    ("000-fig4", "euler-first-order", true),
    ("000-beam-orders", "classical-orders", true),
    ("000-beam-orders", "low-dispersion-orders", true),
    ("000-beam-orders", "nonlinear-orders", true),
    ("000-ros3prl2", "corrected-on-the-beam", false),
    ("000-ros3prl2", "as-printed-on-the-oscillator", true),
    ("000-table1-jello", "one-iteration-a-stage", true),
    (
        "000-table1-jello",
        "wobbles-like-fine-euler-rotations-of-the-state",
        true,
    ),
    ("000-table1-jello", "cheaper-rotations-of-the-state", true),
    ("000-table1-jello", "cheaper-rotations-frozen", true),
    ("000-table1-jello", "cheaper-as-shipped", true),
    ("000-table1-cloth", "cheaper", true),
    ("000-cloth-damping", "control", true),
    ("000-tr-bdf2-caching", "cost-of-recomputing", true),
    ("000-tr-bdf2-caching", "same-states", true),
    ("000-fig7", "frozen-damped", true),
    ("000-fig7", "residual-descent", true),
    ("000-fig7", "objective-descent", true),
    ("001-fig1", "equal-solves-speed-backward-euler", true),
    ("001-fig1", "equal-solves-stretch-backward-euler", true),
    ("001-fig1", "equal-solves-doubling-backward-euler", true),
    ("001-fig1", "equal-steps-doubling-backward-euler", false),
    ("001-fig1", "equal-solves-speed-newmark", true),
    ("001-fig1", "equal-solves-stretch-newmark", true),
    ("001-fig1", "equal-solves-doubling-newmark", true),
    ("001-fig1", "equal-steps-doubling-newmark", false),
    (
        "001-fig1",
        "equal-solves-speed-newmark-with-kept-accelerations",
        true,
    ),
    (
        "001-fig1",
        "equal-solves-stretch-newmark-with-kept-accelerations",
        true,
    ),
    (
        "001-fig1",
        "equal-solves-doubling-newmark-with-kept-accelerations",
        true,
    ),
    (
        "001-fig1",
        "equal-steps-doubling-newmark-with-kept-accelerations",
        false,
    ),
    ("001-fig1", "equal-solves-fixed-backward-euler", false),
    ("001-fig1", "equal-solves-fixed-newmark", false),
    ("001-constants", "safety", true),
    ("001-constants", "newmark-factor", true),
    ("001-constants", "order-of-the-estimate", false),
    ("001-constants", "rejections-backward-euler", true),
    ("001-constants", "rejections-newmark", true),
    ("001-constants", "shipped-exponent-backward-euler", true),
    ("001-constants", "shipped-exponent-newmark", true),
    ("001-cloth", "pinned-speed", true),
    ("001-cloth", "pinned-stretch", true),
    ("001-cloth", "pinned-doubling", true),
    ("001-cloth", "falling-speed", true),
    ("001-cloth", "falling-stretch", true),
    ("001-cloth", "falling-doubling", true),
    ("001-cloth", "pinned-fixed", false),
    ("001-cloth", "falling-steps", true),
    ("001-fig2", "pattern-dropped", true),
    ("001-fig2", "cost-dropped", true),
    ("001-fig2", "pattern-struck", true),
    ("001-fig2", "cost-struck", true),
    ("002-implicit-step", "as-printed", false),
    ("003-example2", "stuck", true),
    ("003-fig7", "rejects-valid-steps", true),
    ("003-fig8", "no-penetration", true),
    ("003-fig9", "creep", true),
    ("003-example2", "bdf2-goes-on", false),
    ("003-refresh", "modes-of-soft-objects-age", true),
    ("003-refresh", "angle-suffices", true),
    ("003-tree", "si-is-lethargic", true),
    ("003-tree", "five-modes-suffice", true),
    ("003-tree", "modes-once", false),
    ("004-fig1", "stuck", true),
    ("004-fig1", "oscillates-in-place", true),
    ("004-fig7", "tracked-recovers", true),
    ("004-fig7", "midpoint-does-not-recover", true),
    ("004-fig2", "squared-tracked", true),
    ("004-fig2", "hooke-tracked", true),
    ("004-fig2", "squared-angular-momentum", true),
    ("004-fig2", "squared-turned-back", true),
    ("004-fig2", "hooke-turned-back", true),
    ("004-projection", "spring-turned-back", true),
    ("004-projection", "stiff-cube-turned-back", true),
    ("004-projection", "spring-projected", true),
    ("004-projection", "cube-projected", false),
    ("004-projection", "stiff-cube-no-guarantee", true),
    ("004-fig5", "energy-within-1-percent", true),
    ("004-fig5", "angular-momentum", true),
    ("004-fig5", "midpoint-explodes-exact-start", false),
    ("004-fig5", "midpoint-explodes-scattered-start", true),
    ("004-fig5", "newmark-explodes-scattered-start", true),
    ("004-fig8", "returns", true),
    ("004-fig8", "backward-euler-fails-to-return", true),
    ("004-fig9", "keeps-swinging", true),
    ("004-fig9", "euler-damps", true),
    ("004-fig10", "wrinkles", true),
    ("004-fig11", "keeps-oscillating", true),
    ("004-fig11", "bdf2-energy-damped", true),
    ("004-fig12", "slows-down", true),
    ("004-fig12", "steps-within-epsilon-kept", true),
    ("004-fig16", "oscillates-in-the-horn", true),
    ("004-fig16", "damping-helps", true),
    ("004-fig16", "blending-mitigates", true),
    ("004-table1", "local-global-solves", true),
    ("004-table2", "tracking-stable", true),
    ("004-table2", "midpoint-not-stable", true),
];

/// Claims by result and id, and the interval of their numbers, independent of the threshold.
const EXPECTED_NUMBERS: &[(&str, &str, [f64; 2])] = &[
    ("000-fig3", "euler-against-sdirk2-and-bathe", [50.0, 100.0]),
    ("000-fig4", "euler-first-order", [0.75, 1.0]),
    ("000-tr-bdf2-caching", "cost-of-recomputing", [0.999, 1.001]),
    (
        "001-fig1",
        "equal-solves-stretch-backward-euler",
        [1.0, 1.4],
    ),
    ("001-constants", "safety", [0.7937, 0.7938]),
    ("001-constants", "order-of-the-estimate", [3.9, 4.1]),
    ("002-stiff-equation", "explicit-limit", [0.0, 1e-9]),
    ("002-stiff-equation", "rk4-limit", [2.785, 2.786]),
    ("003-fig3", "damping-backward-euler", [0.6931, 0.6932]),
    ("004-appendix-c", "beta", [2.2089, 2.2095]),
    ("004-table1", "local-global-solves", [1.0, 1.2]),
];

fn all() -> Vec<Done> {
    let job = Job {
        size: Size::Quick,
        progress: &|_| {},
    };
    let results: Vec<_> = RESULTS.iter().collect();
    let each = results.par_iter().map(|r| run(r, &job));
    each.map(|done| done.unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

fn claim<'a>(done: &'a [Done], id: &str, name: &str) -> &'a Claim {
    let result = done.iter().find(|d| d.reproduction.id == id);
    let claims = &result
        .unwrap_or_else(|| panic!("{id} is gone"))
        .finding
        .claims;
    let claim = claims.iter().find(|c| c.id == name);
    claim.unwrap_or_else(|| panic!("{id} no longer claims {name}"))
}

/// Asserts that every claim has a unique id and at least one check.
fn claims_have_unique_ids_and_checks(done: &[Done]) {
    for d in done {
        let id = d.reproduction.id;
        let mut seen = BTreeSet::new();
        for c in &d.finding.claims {
            assert_eq!(c.id, papers::check::slug(&c.id), "{id}");
            assert!(seen.insert(&c.id), "{id} has two claims {}", c.id);
            assert!(!c.checks.is_empty(), "{id} {}: nothing is checked", c.id);
            assert!(!c.threshold().is_empty(), "{id} {}", c.id);
        }
    }
}

#[test]
fn every_quick_result_has_the_verdict_expected() {
    let done = all();
    claims_have_unique_ids_and_checks(&done);
    for d in &done {
        let id = d.reproduction.id;
        let excepted = EXCEPTIONS.iter().any(|(name, _)| *name == id);
        let found = d.finding.verdict();
        let reproduced = found == Verdict::Reproduced;
        assert_eq!(reproduced, !excepted, "{id}: {}", d.finding.reason());
        assert_eq!(found == Verdict::Reproduced, d.finding.reason().is_empty());
    }
    for (id, name, holds) in EXPECTED_CLAIMS {
        let claim = claim(&done, id, name);
        assert_eq!(
            claim.holds(),
            *holds,
            "{id} {name}: {}: {} against {}",
            claim.says,
            claim.found,
            claim.threshold()
        );
    }
    for (id, name, [least, most]) in EXPECTED_NUMBERS {
        for check in &claim(&done, id, name).checks {
            let value = check.value.unwrap();
            assert!(
                (*least..=*most).contains(&value),
                "{id} {name}: {} is {value}",
                check.of
            );
        }
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

/// Asserts that all promised files exist and agree.
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

/// The page in the repository lists every result and expected claim.
#[test]
fn the_kept_page_lists_every_result() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers.md");
    let text = std::fs::read_to_string(path).unwrap();
    for r in RESULTS {
        let row = format!("| {} | {} |", r.id, r.title);
        assert!(text.contains(&row), "docs/papers.md lacks {}", r.id);
    }
    let heads = text.matches("| claim | the paper says | found | threshold | holds |");
    assert_eq!(heads.count(), RESULTS.len());
    for (_, name, _) in EXPECTED_CLAIMS {
        assert!(
            text.contains(&format!("| {name} |")),
            "docs/papers.md lacks {name}"
        );
    }
}
