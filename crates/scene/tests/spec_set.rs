//! `--set KEY=VALUE`: overrides of keys of a scene file.

use scene::spec::{ControlKind, Mesh, Moduli, NodeSelection, Scene, Source};

const SCENE: &str = r#"
[time]
method = "newmark"
step = 0.01
until = 1.0

[[body]]
name = "beam"
mesh = { box = { size = [2.0, 1.0, 1.0], cells = [4, 2, 2] } }
material = { young = 1e5, poisson = 0.4, density = 1000 }

[[body.fix]]
where = { x = 0.0 }

[[body]]
name = "soft ball"
mesh = { ball = { radius = 1.0, cells = 4 } }
material = { young = 1e4, poisson = 0.4, density = 1000 }
"#;

fn source() -> Source {
    Source::new("s.toml", SCENE).unwrap()
}

fn with(sets: &[(&str, &str)]) -> Scene {
    let mut source = source();
    for (key, value) in sets {
        source.set(key, value).unwrap();
    }
    source.scene().unwrap()
}

fn young(scene: &Scene, body: usize) -> f64 {
    match scene.body[body].material.as_ref().unwrap().moduli {
        Moduli::Young { young, .. } => young,
        Moduli::Rivlin { .. } => f64::NAN,
    }
}

#[test]
fn by_index_and_by_name() {
    assert_eq!(young(&with(&[("body[0].material.young", "1e6")]), 0), 1e6);
    assert_eq!(young(&with(&[("body.beam.material.young", "1e6")]), 0), 1e6);
    let scene = with(&[("body.\"soft ball\".material.young", "2e6")]);
    assert_eq!((young(&scene, 0), young(&scene, 1)), (1e5, 2e6));
}

#[test]
fn the_last_one_wins() {
    assert_eq!(
        with(&[("time.step", "0.5"), ("time.step", "0.25")])
            .time
            .step,
        Some(0.25)
    );
}

#[test]
fn values_are_toml_or_plain_words() {
    assert_eq!(
        with(&[("time.method", "sdirk2")]).time.method.name,
        "sdirk2"
    );
    assert_eq!(
        with(&[("time.method", "\"sdirk2\"")]).time.method.name,
        "sdirk2"
    );
    assert_eq!(with(&[("title", "two words")]).title, "two words");
    assert_eq!(
        with(&[("gravity", "[0, 0, -1.62]")]).gravity,
        [0.0, 0.0, -1.62]
    );
    let scene = with(&[("body[0].fix[0].where", "{ near = [1, 2, 3] }")]);
    assert_eq!(
        scene.body[0].fix[0].nodes,
        NodeSelection::Near([1.0, 2.0, 3.0])
    );
    let scene = with(&[("body[1].mesh", "{ blob = { cells = 12 } }")]);
    assert!(matches!(&scene.body[1].mesh, Mesh::Blob(b) if b.cells == 12 && b.height == 1.0));
}

#[test]
fn missing_tables_are_created() {
    let scene = with(&[
        ("time.control.kind", "doubling"),
        ("time.control.tolerance", "1e-4"),
    ]);
    let control = scene.time.control.unwrap();
    assert_eq!(
        (control.kind, control.tolerance),
        (Some(ControlKind::Doubling), Some(1e-4))
    );
    let scene = with(&[(
        "probe",
        "[{ name = \"p\", body = \"beam\", near = [0, 0, 0] }]",
    )]);
    assert_eq!(scene.probe.len(), 1);
}

#[test]
fn parameters_can_be_set_below_a_method_name() {
    let method = with(&[("time.method.beta", "0.3")]).time.method;
    assert_eq!(
        (method.name.as_str(), method.params.beta),
        ("newmark", Some(0.3))
    );
}

/// Error message of a `set` or of the scene after it.
fn message(key: &str, value: &str) -> String {
    let mut source = source();
    match source.set(key, value) {
        Err(error) => error.to_string(),
        Ok(()) => source.scene().unwrap_err().to_string(),
    }
}

#[test]
fn errors_name_the_argument() {
    let cases = [
        (
            "body[0].material.young",
            "-1",
            "--set body[0].material.young=-1: body[0].material.young: must be greater than 0, found -1",
        ),
        (
            "body.beam.material.yung",
            "1",
            "--set body.beam.material.yung=1: body[0].material.yung: unknown key; did you mean \"young\"?",
        ),
        (
            "body.bean.material.young",
            "1",
            "--set body.bean.material.young=1: body.bean: no entry has this name; did you mean \"beam\"?",
        ),
        (
            "body[2].name",
            "x",
            "--set body[2].name=x: body[2]: out of range; the list has 2",
        ),
        (
            "time.step.size",
            "1",
            "--set time.step.size=1: time.step: is the number 0.01, which has no keys",
        ),
        (
            "time.step",
            "fast",
            "--set time.step=fast: time.step: expected a number, found the string \"fast\"",
        ),
        (
            "time.step",
            "nan",
            "--set time.step=nan: time.step: must be a finite number, found nan",
        ),
        (
            "time..step",
            "1",
            "--set time..step=1: the path has an empty key; write keys separated by single dots",
        ),
        (
            "",
            "1",
            "--set =1: the path has an empty key; write keys separated by single dots",
        ),
        (
            "body[x].name",
            "1",
            "--set body[x].name=1: an index must be a number in brackets, such as body[0]",
        ),
        (
            "body[0",
            "1",
            "--set body[0=1: an index must be a number in brackets, such as body[0]",
        ),
        (
            "body.\"beam.name",
            "1",
            "--set body.\"beam.name=1: a quote is not closed",
        ),
        (
            "time.control.safety",
            "0.5",
            "--set time.control.safety=0.5: time.control: has neither kind nor tolerance; tolerance = 1e-3 selects kind = \"auto\" with an error of a millimetre per second of motion",
        ),
        (
            "body[1].name",
            "beam",
            "--set body[1].name=beam: body[1].name: \"beam\" is already the name of body[0]",
        ),
    ];
    for (key, value, expected) in cases {
        assert_eq!(message(key, value), expected);
    }
    let deep = vec!["a"; 100].join(".");
    assert!(message(&deep, "1").ends_with("the key is nested deeper than 32 levels"));
}

#[test]
fn a_refused_override_changes_nothing() {
    let mut source = source();
    assert!(source.set("body[9].name", "x").is_err());
    assert!(source.set("time.step.size", "1").is_err());
    assert!(source.set("contact.kind[3]", "1").is_err());
    assert_eq!(source.scene().unwrap(), self::source().scene().unwrap());
}
