//! Errors in scene files are reported with line, column, key and message.

use scene::spec::{self, Source};

/// A valid scene; cases add to it or replace one of its lines.
const GOOD: &str = r#"title = "fine"
[time]
step = 0.01
until = 1.0
[[body]]
name = "beam"
mesh = { box = { size = [2.0, 1.0, 1.0], cells = [4, 2, 2] } }
material = { young = 1e5, poisson = 0.4, density = 1000 }
"#;

/// First lines of every error, without the file's name.
fn error_lines(text: &str) -> Vec<String> {
    match spec::parse("s.toml", text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(first_line).collect(),
    }
}

fn first_line(error: &scene::error::SceneError) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("s.toml:").unwrap_or(line).to_string()
}

/// Checks cases of (text, errors); reports all differences at once.
fn assert_errors(cases: &[(String, &[&str])]) {
    let mut wrong = String::new();
    for (text, expected) in cases {
        let found = error_lines(text);
        if found != *expected {
            wrong += &format!("{text}\n  found:    {found:#?}\n  expected: {expected:#?}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The valid scene with line `n` (from 1) replaced.
fn with(n: usize, line: &str) -> String {
    let lines = GOOD
        .lines()
        .enumerate()
        .map(|(i, old)| if i + 1 == n { line } else { old });
    lines.map(|l| format!("{l}\n")).collect()
}

/// The valid scene with lines appended; the first of them is line 9.
fn and(more: &str) -> String {
    format!("{GOOD}{more}\n")
}

#[test]
fn a_valid_scene_has_no_errors() {
    assert_eq!(error_lines(GOOD), Vec::<String>::new());
}

#[test]
fn the_contract_s_own_example_with_its_snippet() {
    let second = "[[body]]\nname = \"b\"\nmesh = { ball = { radius = 1, cells = 4 } }\n\
                  material = { young = 1e5, poison = 0.4, density = 1000 }";
    let errors = spec::parse("scene.toml", &and(second))
        .unwrap_err()
        .to_string();
    assert_eq!(
        errors,
        "scene.toml:12:27: body[1].material.poison: unknown key; did you mean \"poisson\"?
   |
12 | material = { young = 1e5, poison = 0.4, density = 1000 }
   |                           ^^^^^^"
    );
}

#[test]
fn unknown_keys() {
    assert_errors(&[
        (
            with(1, "titel = 1"),
            &["1:1: titel: unknown key; did you mean \"title\"?"],
        ),
        (
            with(3, "setp = 0.01"),
            &["3:1: time.setp: unknown key; did you mean \"step\"?"], // and no word of a missing step
        ),
        (
            and("[solver]\nmax_iterations = 3"),
            &["10:1: solver.max_iterations: unknown key; did you mean \"max-iterations\"?"],
        ),
        (
            and("[output]\nzzzzzz = 3"),
            &[
                "10:1: output.zzzzzz: unknown key; known are \"every-frame\", \"formats\", \"modes\", \"reactions\"",
            ],
        ),
        (
            with(
                7,
                "mesh = { bax = { size = [2, 1, 1], cells = [4, 2, 2] } }",
            ),
            &["7:10: body[0].mesh.bax: unknown key; did you mean \"box\"?"],
        ),
        (
            and(
                "[[body.fix]]\nwhere = { x = 0 }\nmotion.shake = { axis = \"x\", amplitude = 1, freqency = 2 }",
            ),
            &[
                "11:45: body[0].fix[0].motion.shake.freqency: unknown key; did you mean \"frequency\"?",
            ],
        ),
        (
            and("young = 1e5"),
            &["9:1: body[0].young: unknown key; it belongs in \"bonds\" or \"material\""],
        ),
        (
            and("[[fix]]\nwhere = \"all\""),
            &["9:3: fix: unknown key; it belongs in \"body\""],
        ),
        (
            and("\"sp ring\" = 1"),
            &["9:1: body[0].\"sp ring\": unknown key; did you mean \"springs\"?"],
        ),
    ]);
}

#[test]
fn wrong_kinds() {
    assert_errors(&[
        (
            with(3, "step = \"fast\""),
            &["3:8: time.step: expected a number, found the string \"fast\""],
        ),
        (
            with(1, "gravity = [0, -9.81]"),
            &["1:11: gravity: expected a list of 3 numbers, found a list of 2"],
        ),
        (
            with(1, "gravity = [0, -9.81, 0, 0]"),
            &["1:11: gravity: expected a list of 3 numbers, found a list of 4"],
        ),
        (
            with(1, "gravity = [0, \"down\", 0]"),
            &["1:15: gravity[1]: expected a number, found the string \"down\""],
        ),
        (
            with(1, "gravity = -9.81"),
            &["1:11: gravity: expected a list of 3 numbers, found the number -9.81"],
        ),
        (
            with(1, "title = 1979-05-27"),
            &["1:9: title: expected a string, found the date 1979-05-27"],
        ),
        (
            with(7, "mesh = { ball = { radius = 1, cells = 8.0 } }"),
            &["7:39: body[0].mesh.ball.cells: expected an integer, found the number 8.0"],
        ),
        (
            with(7, "mesh = { ball = { radius = true, cells = 8 } }"),
            &["7:28: body[0].mesh.ball.radius: expected a number, found true"],
        ),
        (
            with(7, "mesh = \"box\""),
            &["7:8: body[0].mesh: expected a table, found the string \"box\""],
        ),
        (
            with(5, "[body]"),
            &["5:1: body: expected a list, found a table; write [[body]] instead of [body]"],
        ),
        (
            with(2, "[[time]]"),
            &["2:1: time: expected one table, found a list; write [time] once"],
        ),
        (
            and("[[body.fix]]\nwhere = 3"),
            &[
                "10:9: body[0].fix[0].where: expected one of \"all\", \"corners\" or a table, found the integer 3",
            ],
        ),
        (
            and(
                "[[particle]]\nposition = [0, 0, 0]\nmass = 1\n[[spring]]\na = 0\nb = \"nail\"\nstiffness = 1",
            ),
            &[
                "14:5: spring[0].b: expected an integer or a list of 3 numbers, found the string \"nail\"",
            ],
        ),
        (
            with(3, "step = 0.01\nmethod = 7"),
            &["4:10: time.method: expected a string or a table, found the integer 7"],
        ),
        (
            and("mass = \"lumpd\""),
            &["9:8: body[0].mass: unknown value \"lumpd\"; did you mean \"lumped\"?"],
        ),
        (
            and("mass = \"heavy\""),
            &["9:8: body[0].mass: unknown value \"heavy\"; known are \"consistent\", \"lumped\""],
        ),
        (
            and("mass = 3"),
            &["9:8: body[0].mass: expected one of \"consistent\", \"lumped\", found the integer 3"],
        ),
    ]);
}

#[test]
fn impossible_numbers() {
    let material = |m: &str| with(8, &format!("material = {{ {m} }}"));
    assert_errors(&[
        (
            with(3, "step = 0"),
            &["3:8: time.step: must be greater than 0, found 0"],
        ),
        (
            with(3, "step = -0.01"),
            &["3:8: time.step: must be greater than 0, found -0.01"],
        ),
        (
            with(3, "step = nan"),
            &["3:8: time.step: must be a finite number, found nan"],
        ),
        (
            with(4, "until = inf"),
            &["4:9: time.until: must be a finite number, found inf"],
        ),
        (
            with(4, "until = 1e999"),
            &["4:9: time.until: 1e999 does not fit into 64 bits"],
        ),
        (
            with(4, "until = 1\nfps = 0"),
            &["5:7: time.fps: must be greater than 0, found 0"],
        ),
        (
            with(1, "gravity = [0, -inf, 0]"),
            &["1:15: gravity[1]: must be a finite number, found -inf"],
        ),
        (
            with(1, "seed = -1"),
            &["1:8: seed: must be at least 0, found -1"],
        ),
        (
            with(1, "seed = 99999999999999999999"),
            &["1:8: seed: 99999999999999999999 does not fit into 64 bits"],
        ),
        (
            material("young = 1e5, poisson = 0.5, density = 1000"),
            &[
                "8:37: body[0].material.poisson: must be less than 0.5, found 0.5; rubber is about 0.49, jelly 0.45, steel 0.3",
            ],
        ),
        (
            material("young = 1e5, poisson = -1, density = 1000"),
            &[
                "8:37: body[0].material.poisson: must be greater than -1, found -1; rubber is about 0.49, jelly 0.45, steel 0.3",
            ],
        ),
        (
            material("young = 0, poisson = 0.3, density = -5"),
            &[
                "8:22: body[0].material.young: must be greater than 0, found 0",
                "8:50: body[0].material.density: must be greater than 0, found -5",
            ],
        ),
        (
            with(
                7,
                "mesh = { box = { size = [2, 0, 1], cells = [4, -2, 0] } }",
            ),
            &[
                "7:29: body[0].mesh.box.size[1]: must be greater than 0, found 0",
                "7:48: body[0].mesh.box.cells[1]: must be at least 1, found -2",
                "7:52: body[0].mesh.box.cells[2]: must be at least 1, found 0",
            ],
        ),
        (
            with(7, "mesh = { ball = { radius = 1, cells = 5_000_000_000 } }"),
            &["7:39: body[0].mesh.ball.cells: must be at most 100000, found 5000000000"],
        ),
        (
            with(
                7,
                "mesh = { box = { size = [2, 1, 1], cells = [9000, 9000, 9000] } }",
            ),
            &["7:44: body[0].mesh.box.cells: about 7e11 cells are too many; at most 1e8"],
        ),
        (
            and("[solver]\ntolerance = 1.0"),
            &["10:13: solver.tolerance: must be less than 1, found 1.0"],
        ),
        (
            and("[[particle]]\nposition = [0, 0, 0]\nmass = 0.0"),
            &["11:8: particle[0].mass: must be greater than 0, found 0.0"],
        ),
        (
            with(
                3,
                "step = 0.01\ncontrol = { kind = \"doubling\", tolerance = -1e-3, safety = 1.5 }",
            ),
            &[
                "4:44: time.control.tolerance: must be greater than 0, found -0.001",
                "4:60: time.control.safety: must be at most 1, found 1.5",
            ],
        ),
    ]);
}

#[test]
fn missing_and_competing_keys() {
    let material = |m: &str| with(8, &format!("material = {{ {m} }}"));
    assert_errors(&[
        (
            with(3, ""),
            &[
                "2:1: time.step: missing key; expected a number: Time step (s); or give [time.control] a tolerance, which chooses the step",
            ],
        ),
        (
            with(7, ""),
            &["5:1: body[0].mesh: missing key; expected a table: Shape"],
        ),
        (
            with(8, ""),
            &[
                "5:1: body[0]: say what the body is made of: needs one of \"material\", \"springs\", \"bonds\"",
            ],
        ),
        (
            and("springs = { stiffness = 10 }"),
            &["9:1: body[0].springs: cannot be combined with \"material\"; keep one of the two"],
        ),
        (
            with(8, "springs = { stiffness = 10, density = 3, mass = 1 }"),
            &[
                "8:49: body[0].springs.mass: cannot be combined with \"density\"; keep one of the two",
            ],
        ),
        (
            material("young = 1e5, density = 1000"),
            &[
                "8:12: body[0].material.poisson: missing key, which \"young\" needs; expected a number: Poisson's ratio, above −1 and below 0.5",
            ],
        ),
        (
            material("density = 1000"),
            &[
                "8:12: body[0].material: give the moduli: needs one of \"young\"/\"poisson\", \"c10\"/\"c01\"/\"kappa\"",
            ],
        ),
        (
            with(7, "mesh = {}"),
            &[
                "7:8: body[0].mesh: needs one of \"box\", \"ball\", \"sheet\", \"cylinder\", \"torus\", \"blob\", \"mould\", \"file\"/\"scale\"/\"fill\"",
            ],
        ),
        (
            with(7, "mesh = { blob = {}, mould = {} }"),
            &["7:21: body[0].mesh.mould: cannot be combined with \"blob\"; keep one of the two"],
        ),
        (
            with(7, "mesh = { blob = {}, scale = 2 }"),
            &["7:21: body[0].mesh.scale: cannot be combined with \"blob\"; keep one of the two"],
        ),
        (
            and("[[body.fix]]\nwhere = {}"),
            &[
                "10:9: body[0].fix[0].where: needs one of \"x\"/\"y\"/\"z\", \"min\"/\"max\", \"near\", \"sphere\", \"nodes\", \"group\"",
            ],
        ),
        (
            and("[[body.fix]]\nwhere = { x = 0, near = [0, 0, 0] }"),
            &[
                "10:18: body[0].fix[0].where.near: cannot be combined with \"x\"; keep one of the two",
            ],
        ),
        (
            and("[[body.fix]]\nwhere = { nodes = [] }"),
            &["10:19: body[0].fix[0].where.nodes: must not be empty"],
        ),
        (
            and("[[body.fix]]\nwhere = { min = [0, 0, 0] }"),
            &[
                "10:9: body[0].fix[0].where.max: missing key, which \"min\" needs; expected a list of 3 numbers: Upper corner of a box (m)",
            ],
        ),
        (
            and("[[probe]]\nname = \"p\""),
            &["9:1: probe[0]: say what to follow: needs one of \"body\"/\"near\", \"particle\""],
        ),
        (
            and("[[obstacle]]\nsphere = { center = [0, 0, 0], radius = 1 }\nfriction = -0.5"),
            &["11:12: obstacle[0].friction: must be at least 0, found -0.5"],
        ),
        (
            "[time]\nstep = 1\nuntil = 1\n".into(),
            &["1:1: nothing to simulate; add a [[body]] or a [[particle]]"],
        ),
    ]);
}

#[test]
fn inconsistent_keys_are_refused() {
    let second = |name: &str| {
        and(&format!(
            "[[body]]\nname = \"{name}\"\nmesh = {{ blob = {{}} }}\nmaterial = {{ young = 1e5, poisson = 0.4, density = 1000 }}"
        ))
    };
    let particles = "[[particle]]\nposition = [0, 0, 0]\nmass = 1\n[[particle]]\nposition = [1, 0, 0]\nmass = 1\n";
    assert_errors(&[
        (
            second("beam"),
            &["10:8: body[1].name: \"beam\" is already the name of body[0]"],
        ),
        (second(""), &["10:8: body[1].name: must not be empty"]),
        (second("other"), &[]),
        (
            and("[[probe]]\nname = \"p\"\nbody = \"bean\"\nnear = [0, 0, 0]"),
            &["11:8: probe[0].body: no body is named \"bean\"; did you mean \"beam\"?"],
        ),
        (
            and("[[probe]]\nname = \"p\"\nbody = \"cloth\"\nnear = [0, 0, 0]"),
            &["11:8: probe[0].body: no body is named \"cloth\"; the only one is \"beam\""],
        ),
        (
            and("[[probe]]\nname = \"p,q\"\nparticle = 0"),
            &[
                "10:8: probe[0].name: contains a comma, a quote or a control character; the name of a probe is a column name of a CSV file",
                "11:12: probe[0].particle: there is no particle 0; the scene has none",
            ],
        ),
        (
            and(&format!(
                "{particles}[[spring]]\na = 0\nb = 2\nstiffness = 1"
            )),
            &["17:5: spring[0].b: there is no particle 2; they are 0 to 1"],
        ),
        (
            and(&format!(
                "{particles}[[spring]]\na = 1\nb = 1\nstiffness = 1"
            )),
            &["17:5: spring[0].b: both ends are particle 1"],
        ),
        (
            and(&format!(
                "{particles}[[spring]]\na = [0, 0, 0]\nb = [1, 0, 0]\nstiffness = 1"
            )),
            &["17:5: spring[0].b: both ends are fixed points; one must be a particle"],
        ),
        (
            and(&format!(
                "{particles}[[spring]]\na = -1\nb = [1, 0, 0]\nstiffness = 1"
            )),
            &["16:5: spring[0].a: must be at least 0, found -1"],
        ),
        (
            and(
                "[[body.fix]]\nwhere = { x = 0 }\nmotion.keys = [{ t = 0 }, { t = 0.5 }, { t = 0.5 }]",
            ),
            &["11:46: body[0].fix[0].motion.keys[2].t: times must ascend; 0.5 s comes after 0.5 s"],
        ),
        (
            and(
                "[[body.tether]]\nwhere = \"all\"\nstiffness = 1\nmotion.shake = { axis = [0, 0, 0], amplitude = 1, frequency = 2 }",
            ),
            &["12:25: body[0].tether[0].motion.shake.axis: is zero; a direction must not be zero"],
        ),
        (
            and("[[body.fix]]\nwhere = \"all\"\naxes = \"xq\""),
            &[
                "11:8: body[0].fix[0].axes: must be some of the letters \"xyz\", each once, found \"xq\"",
            ],
        ),
        (
            and("[[body.fix]]\nwhere = \"all\"\naxes = \"\""),
            &[
                "11:8: body[0].fix[0].axes: must be some of the letters \"xyz\", each once, found \"\"",
            ],
        ),
        (
            and("[[body.fix]]\nwhere = { min = [0, 1, 0], max = [1, 0, 1] }"),
            &["10:38: body[0].fix[0].where.max[1]: 0.0 m along y is less than min, 1.0 m"],
        ),
        (
            and("[[body.push]]\nwhere = \"all\"\nforce = [1, 0, 0]\nfrom = 2\nto = 1"),
            &["13:6: body[0].push[0].to: 1.0 s is not after from, 2.0 s"],
        ),
        (
            and(
                "[[body.fix]]\nwhere = \"all\"\nmotion = { shake = { axis = [0, 0, 0], amplitude = 1, frequency = 1 } }",
            ),
            &["11:29: body[0].fix[0].motion.shake.axis: is zero; a direction must not be zero"],
        ),
        (
            with(
                3,
                "step = 0.01\ncontrol = { kind = \"doubling\", min = 0.1, max = 0.01 }",
            ),
            &["4:49: time.control.max: 0.01 s is less than min, 0.1 s"],
        ),
        (
            with(
                3,
                "step = 0.01\nmethod = { name = \"dirk\", A = [[0.5], [0.5, 0.5]], b = [0.5, 0.5], c = [1] }",
            ),
            &[
                "4:32: time.method.A[0]: has length 1, b has length 2",
                "4:72: time.method.c: has length 1, b has length 2",
            ],
        ),
        (
            with(7, "mesh = { torus = { radius = 1, tube = 1, cells = 4 } }"),
            &[
                "7:39: body[0].mesh.torus.tube: 1.0 m is not less than radius, 1.0 m; the hole closes",
            ],
        ),
        (with(3, "step = 10.0"), &[]), // a step longer than the run is allowed
    ]);
}

#[test]
fn damping_without_effect_is_refused() {
    let material = |viscosity: &str| {
        with(
            8,
            &format!(
                "material = {{ young = 1e5, poisson = 0.4, density = 1000, viscosity = {viscosity} }}"
            ),
        )
    };
    assert_errors(&[
        (material("{ shear = 3.0 }"), &[]),
        (material("{ shear = 3.0, bulk = 1.0 }"), &[]),
        (
            and("damping = { stiffness = 0.01, rate = \"frozen\" }"),
            &[],
        ),
        (
            material("{ shear = -3.0 }"),
            &["8:80: body[0].material.viscosity.shear: must be at least 0, found -3.0"],
        ),
        (
            material("{ bulk = -1 }"),
            &["8:79: body[0].material.viscosity.bulk: must be at least 0, found -1"],
        ),
        (
            material("{ shear = 0.0 }"),
            &[
                "8:70: body[0].material.viscosity: has no effect with both \"shear\" and \"bulk\" 0; give one of them (Pa s) or leave \"viscosity\" out",
            ],
        ),
        (
            material("{}"),
            &[
                "8:70: body[0].material.viscosity: has no effect with both \"shear\" and \"bulk\" 0; give one of them (Pa s) or leave \"viscosity\" out",
            ],
        ),
        (
            and("damping = { stiffness = 0.01, rate = \"explicit\" }"),
            &["9:38: body[0].damping.rate: unknown value \"explicit\"; did you mean \"implicit\"?"],
        ),
        (
            and("damping = { mass = 0.5, rate = \"implicit\" }"),
            &[
                "9:32: body[0].damping.rate: has no effect without \"stiffness\"; give a stiffness above 0 or leave \"rate\" out",
            ],
        ),
        (
            with(
                8,
                "springs = { stiffness = 100.0, viscosity = { shear = 1.0 } }",
            ),
            &[
                "8:32: body[0].springs.viscosity: unknown key; known are \"bend\", \"damping\", \"density\", \"law\", \"mass\", \"stiffness\"",
            ],
        ),
    ]);
}

#[test]
fn viscosity_refuses_local_global_iterations() {
    let text = format!(
        "{}\n[solver]\nnewton = \"local-global\"\n",
        with(
            8,
            "material = { law = \"arap\", young = 1e5, poisson = 0.0, density = 1000, viscosity = { shear = 1.0 } }"
        )
    );
    let (scene, source) = spec::parse("s.toml", &text).unwrap();
    let error = scene::build::build(scene, &source)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("body[0].material.viscosity: local-global iterates with a constant matrix"),
        "{error}"
    );
}

#[test]
fn invalid_toml_is_refused() {
    assert_errors(&[
        (
            "".into(),
            &["1:1: empty scene; write at least [time] with step and until, and a [[body]]"],
        ),
        (
            "# nothing\n\n".into(),
            &["1:1: empty scene; write at least [time] with step and until, and a [[body]]"],
        ),
        (
            "title = \"a\"\ntitle = \"b\"\n".into(),
            &["2:1: not TOML: duplicate key"],
        ),
        (
            "[time]\nstep = 1\n[time]\n".into(),
            &["3:2: not TOML: duplicate key"],
        ),
        (
            "[time\nstep = 1\n".into(),
            &["1:6: not TOML: unclosed table, expected `]`"],
        ),
        (
            "title = \"é\nx = 1".into(),
            &["1:11: not TOML: invalid basic string, expected `\"`"],
        ),
    ]);
}

#[test]
fn up_to_twenty_errors_are_reported() {
    let five = with(1, "titel = 1\ngravity = 1\nseed = -1\nprob = 1\nspring = 1");
    assert_eq!(error_lines(&five).len(), 5);
    let many: String = (0..50).map(|i| format!("zz{i} = 1\n")).collect();
    assert_eq!(error_lines(&format!("{many}{GOOD}")).len(), 20);
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str| {
        let path = folder.path().join(name);
        let text = Source::read(&path).unwrap_err().to_string();
        text.replace(&path.display().to_string(), name)
    };
    std::fs::write(folder.path().join("latin.toml"), b"title = \"\xe9t\xe9\"\n").unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    assert_eq!(
        said("latn.toml"),
        "latn.toml: no such file; did you mean \"latin.toml\"?"
    );
    assert_eq!(said("quite-else"), "quite-else: no such file");
    assert_eq!(
        said("folder"),
        "folder: is a directory; give a scene file in it"
    );
    let latin = said("latin.toml");
    let first = latin.lines().next().unwrap();
    assert_eq!(
        first,
        "latin.toml:1:10: not UTF-8 text: byte 0xe9 at 9; save the file as UTF-8"
    );
}

#[test]
fn later_stages_find_the_line_of_any_key() {
    let (_, source) = spec::parse("s.toml", &and("[[body.fix]]\nwhere = { x = 3.0 }")).unwrap();
    let at = |path: &str| first_line(&source.error(path, "no"));
    assert_eq!(at("body[0].fix[0].where"), "10:9: body[0].fix[0].where: no");
    assert_eq!(
        at("body[0].fix[0].where.x"),
        "10:15: body[0].fix[0].where.x: no"
    );
    assert_eq!(at("body[0].fix[0].axes"), "9:1: body[0].fix[0].axes: no"); // not written
    assert_eq!(at("body[3].mesh"), "5:1: body[3].mesh: no");
    assert_eq!(at("time.method"), "2:1: time.method: no");
    assert_eq!(at("wind[0]"), "1:1: wind[0]: no");
    assert_eq!(at(""), "1:1: no");
}

#[test]
fn columns_count_characters_and_survive_windows() {
    let text = "\u{feff}title = \"é\" # ü\r\n[time]\r\nstep = 0.01\r\nuntil = \"é\"\r\n";
    assert_eq!(
        error_lines(text),
        ["4:9: time.until: expected a number, found the string \"é\""]
    );
    let errors = spec::parse("s.toml", text).unwrap_err().to_string();
    assert!(
        errors.ends_with("4 | until = \"é\"\n  |         ^^^"),
        "{errors}"
    );
    let long = format!("title = \"{}\"\n", "é".repeat(500));
    let errors = spec::parse("s.toml", &format!("{}x = 1", long.replace('\n', ""))).unwrap_err();
    assert!(
        errors.to_string().lines().all(|l| l.chars().count() < 130),
        "{errors}"
    );
}
