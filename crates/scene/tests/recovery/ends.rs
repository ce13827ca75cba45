//! Steps whose end is extrapolated from their stages do not end in states that the material law forbids.

use scene::run::{FailureCause, RunError};

use super::{column, finish, simulation};

/// A soft bar under a load that would compress it to zero volume: a stage half way is admissible, the end is not.
fn squeezed(method: &str) -> String {
    format!(
        r#"
gravity = [-1000.0, 0.0, 0.0]
[time]
method = "{method}"
step = 0.02
until = 0.1
fps = 10.0
[[body]]
name = "bar"
mesh = {{ box = {{ size = [0.4, 0.1, 0.1], cells = [4, 1, 1], element = "tet4" }} }}
material = {{ law = "neo-hookean", young = 1e5, poisson = 0.3, density = 1000 }}
damping = {{ mass = 4.0, stiffness = 0.005 }}
[[body.fix]]
where = {{ x = 0.0 }}
"#
    )
}

#[test]
fn an_inadmissible_end_of_a_step_shortens_the_step() {
    for method in ["implicit-midpoint", "generalized-alpha", "ros3pl"] {
        let dir = tempfile::tempdir().unwrap();
        let report = finish(&mut simulation(&squeezed(method)), dir.path()).unwrap();
        let rejected: f64 = column(dir.path(), "rejected").iter().sum();
        for (t, total) in column(dir.path(), "t")
            .iter()
            .zip(column(dir.path(), "total"))
        {
            assert!(total.is_finite(), "{method}: {total} J at {t} s");
        }
        assert_eq!(rejected, report.rejected as f64);
        assert!(rejected > 0.0, "{method}: no end was forbidden");
    }
}

#[test]
fn the_cause_is_reported_if_the_step_cannot_be_shortened() {
    let text = squeezed("implicit-midpoint").replace(
        "fps = 10.0",
        "fps = 10.0\ncontrol = { kind = \"retreat\", min = 0.02 }",
    );
    let dir = tempfile::tempdir().unwrap();
    let error = finish(&mut simulation(&text), dir.path()).unwrap_err();
    let sentence = error.to_string();
    let RunError::Step { cause, .. } = error else {
        panic!("not a failed step: {sentence}");
    };
    assert_eq!(cause, FailureCause::Folded, "{sentence}");
    assert!(sentence.contains("the step ends at"), "{sentence}");
}
