//! The parser on thousands of damaged scenes: no panic, all errors have locations inside the file, and nothing is accepted
//! that the schema refuses.

use base::random::Random;
use scene::error::SceneError;
use scene::spec::{self, Source};

const CORPUS: [&str; 4] = [
    include_str!("../../../scenes/beam.toml"),
    include_str!("../../../scenes/jello.toml"),
    include_str!("../../../scenes/spring-001.toml"),
    r#"
gravity = [0, 0, 0]
time = { step = 0.01, until = 1, method = { name = "dirk", A = [[0.5]], b = [1], c = [0.5] }, stabilise = {} }
solver = { newton = "local-global", linear = "cg", iterations = 3 }
[[body]]
mesh = { file = "bunny.obj", scale = 2.0, fill = { cell = 0.1 } }
springs = { stiffness = 1e3, law = "squared", mass = 1 }
place = { translate = [0, 1, 0], rotate-deg = [0, 90, 0], scale = 0.5 }
tether = [{ where = "corners", stiffness = 1, motion = { shake = { axis = [1, 1, 0], amplitude = 1, frequency = 2 } } }]
push = [{ where = { sphere = { center = [0, 0, 0], radius = 1 } }, force = [1, 0, 0], from = 0, to = 1 }]
fix = [{ where = { min = [0, 0, 0], max = [1, 1, 1] }, axes = "yz" }]
[[body]]
mesh = { torus = { radius = 1, tube = 0.3, cells = 4 } }
material = { young = 1e5, poisson = 0.4, density = 1000, viscosity = { shear = 1, bulk = 2 } }
damping = { stiffness = 0.01, rate = "frozen" }
[[wind]]
velocity = [1, 0, 0]
drag = 1
gust = { amplitude = 0.5, frequency = 1 }
[output]
formats = ["vtu", "gltf"]
"#,
];

const PIECES: [&str; 32] = [
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\"",
    "'",
    "\n",
    "#",
    "[[body]]",
    "[time]",
    "nan",
    "-inf",
    "1e999",
    "-1",
    "0",
    "99999999999999999999",
    "0x7fffffffffffffff",
    "1979-05-27T07:32:00Z",
    "true",
    "é",
    "\u{0}",
    "\r\n",
    "\t",
    "where = {}",
    "name",
    "[[[[[[[[[[[[[[[[",
    "\"\"\"",
    "a.b.c.d = 1",
    "material",
];

fn damaged(random: &mut Random) -> String {
    let mut text = CORPUS[random.below(CORPUS.len())].to_string();
    for _ in 0..1 + random.below(4) {
        let boundaries: Vec<usize> = text
            .char_indices()
            .map(|(i, _)| i)
            .chain([text.len()])
            .collect();
        let mut location = || boundaries[random.below(boundaries.len())];
        let (a, b) = (location(), location());
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 12));
        let to = (to..=text.len())
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(text.len());
        match random.below(6) {
            0 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, PIECES[random.below(PIECES.len())]),
            2 => text.replace_range(from..to, PIECES[random.below(PIECES.len())]),
            3 => {
                let copy = text[from..to].to_string();
                text.insert_str(b, &copy);
            }
            4 => text.truncate(from),
            _ => swap_tokens(&mut text, random),
        }
    }
    text
}

/// Replaces a word by another of the same scene: mostly still TOML, mostly wrong.
fn swap_tokens(text: &mut String, random: &mut Random) {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    if words.is_empty() {
        return;
    }
    let (old, new) = (
        &words[random.below(words.len())],
        &words[random.below(words.len())],
    );
    *text = text.replacen(old.as_str(), new, 1);
}

fn assert_inside(error: &SceneError, text: &str) {
    let location = error
        .location
        .as_ref()
        .unwrap_or_else(|| panic!("no place: {error}\n{text}"));
    let lines: Vec<&str> = text.split('\n').collect();
    assert!(
        (1..=lines.len()).contains(&location.line),
        "line {} outside:\n{text}",
        location.line
    );
    let width = lines[location.line - 1].chars().count();
    assert!(
        (1..=width + 1).contains(&location.column),
        "column {} outside: {error}\n{text}",
        location.column
    );
    assert!(!error.sentence.is_empty());
}

#[test]
fn damaged_scenes_are_refused_with_valid_locations() {
    let validator = jsonschema::validator_for(&spec::schema()).unwrap();
    let mut random = Random::new(0x5eed_0001);
    let (mut fine, mut refused) = (0, 0);
    for _ in 0..6000 {
        let text = damaged(&mut random);
        match spec::parse("fuzz.toml", &text) {
            Err(errors) => {
                refused += 1;
                assert!((1..=20).contains(&errors.iter().count()));
                errors.iter().for_each(|e| assert_inside(e, &text));
                assert!(errors.to_string().starts_with("fuzz.toml:"));
            }
            Ok((scene, _)) => {
                fine += 1;
                let json = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
                assert!(
                    validator.is_valid(&json),
                    "accepted against the schema:\n{text}"
                );
                let written = toml::to_string(&scene).unwrap();
                assert_eq!(
                    spec::parse("again", &written).unwrap().0,
                    scene,
                    "{written}"
                );
            }
        }
    }
    // Both accepted and refused scenes must occur.
    assert!(
        fine > 200 && refused > 2000,
        "{fine} fine, {refused} refused"
    );
}

#[test]
fn damaged_overrides_never_panic() {
    const KEYS: [&str; 8] = [
        "body",
        "[0]",
        ".",
        "beam",
        "time",
        "method",
        "\"",
        "[99999999999999999999]",
    ];
    let mut random = Random::new(0x5eed_0002);
    for _ in 0..4000 {
        let mut source = Source::new("s.toml", CORPUS[random.below(CORPUS.len())]).unwrap();
        for _ in 0..1 + random.below(2) {
            let key: String = (0..random.below(7))
                .map(|_| KEYS[random.below(KEYS.len())])
                .collect();
            let value: String = (0..random.below(4))
                .map(|_| PIECES[random.below(PIECES.len())])
                .collect();
            let _ = source.set(&key, &value);
        }
        if let Err(errors) = source.scene() {
            assert!(
                errors
                    .iter()
                    .all(|e| !e.sentence.is_empty() && !e.file.is_empty())
            );
        }
    }
}
