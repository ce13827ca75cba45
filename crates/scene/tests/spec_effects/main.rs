//! Every key of the schema has an effect on the output of a run, or is refused by name.
//!
//! The keys are read from the schema. Each is set to values of its type in small scenes (`bases`) until one of them changes
//! a file, the report, a notice or the failure of a run.

mod bases;

use std::collections::BTreeMap;
use std::path::Path;

use march::METHODS;
use rayon::prelude::*;
use scene::build::build;
use scene::run::{Flow, RunOptions, RunOutcome, attempt};
use scene::spec::{self, Source};
use serde_json::{Value, json};
use solid::material::LAWS;

/// A key of the schema: its path with every list at its first entry, and the schema of its value.
#[derive(Clone, Debug)]
struct Key {
    path: String,
    schema: Value,
}

impl Key {
    fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// Path of the table that it belongs to.
    fn table(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => resolved(root, &root["$defs"][name.trim_start_matches("#/$defs/")]),
        None => schema,
    }
}

fn branches(schema: &Value) -> &[Value] {
    let list = schema["anyOf"].as_array();
    list.map_or(std::slice::from_ref(schema), Vec::as_slice)
}

/// Collects all keys below a schema.
fn keys(root: &Value, schema: &Value, path: &str, out: &mut Vec<Key>) {
    for schema in branches(resolved(root, schema)) {
        let schema = resolved(root, schema);
        keys_of_items(root, schema, path, out);
        for (name, value) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            let path = path.trim_start_matches('.').to_string();
            out.push(Key {
                path: path.clone(),
                schema: value.clone(),
            });
            keys(root, value, &path, out);
        }
    }
}

fn keys_of_items(root: &Value, schema: &Value, path: &str, out: &mut Vec<Key>) {
    if schema["items"].is_object() {
        keys(root, &schema["items"], &format!("{path}[0]"), out);
    }
}

/// Values of an enumeration of strings.
fn words(schema: &Value) -> Option<Vec<String>> {
    let text = |v: &Value| v.as_str().map(str::to_string);
    match (schema["enum"].as_array(), schema["oneOf"].as_array()) {
        (Some(list), _) => list.iter().map(text).collect(),
        (_, Some(list)) => list.iter().map(|b| text(&b["const"])).collect(),
        _ => None,
    }
}

/// Sample values of a schema as TOML; none for tables and lists of tables, whose keys are set instead.
fn values(root: &Value, schema: &Value) -> Vec<String> {
    let limits = schema.clone();
    let each = branches(resolved(root, schema)).iter();
    each.flat_map(|schema| {
        let schema = resolved(root, schema);
        if let Some(words) = words(schema) {
            return words.iter().map(|w| format!("{w:?}")).collect();
        }
        match schema["type"].as_str() {
            Some("boolean") => vec!["true".into(), "false".into()],
            Some("integer") => allowed(&[&limits, schema], &[0.0, 1.0, 2.0, 3.0, 5.0, 14.0]),
            Some("number") => decimals(&[&limits, schema]),
            Some("string") => strings(),
            Some("array") => lists(root, schema),
            _ => Vec::new(),
        }
    })
    .collect()
}

/// Selects the numbers that schemas allow.
fn allowed(schemas: &[&Value], numbers: &[f64]) -> Vec<String> {
    let fits = |x: &&f64| {
        schemas.iter().all(|s| {
            let limit = |name: &str| s[name].as_f64();
            limit("minimum").is_none_or(|m| **x >= m)
                && limit("exclusiveMinimum").is_none_or(|m| **x > m)
                && limit("maximum").is_none_or(|m| **x <= m)
                && limit("exclusiveMaximum").is_none_or(|m| **x < m)
        })
    };
    numbers.iter().filter(fits).map(f64::to_string).collect()
}

fn decimals(schemas: &[&Value]) -> Vec<String> {
    let numbers = [
        0.3, -0.4, -0.2, 0.003, 0.02, 2.5, 1e-4, 0.07, 1e-6, 40.0, 5e3, 0.0, 1.0,
    ];
    let mut all = allowed(schemas, &numbers);
    all.iter_mut()
        .filter(|x| !x.contains('.'))
        .for_each(|x| x.push_str(".0"));
    all
}

fn strings() -> Vec<String> {
    let own = [
        "other",
        "second",
        "right",
        "grouped.msh",
        "start.vtu",
        "slope.csv",
    ]
    .into_iter();
    let laws = LAWS.iter().map(|l| l.name);
    let methods = METHODS.iter().map(|m| m.name);
    let all = own.chain(laws).chain(methods);
    all.map(|word| format!("{word:?}")).collect()
}

fn lists(root: &Value, schema: &Value) -> Vec<String> {
    let one = values(root, &schema["items"]);
    let fixed = schema["minItems"]
        .as_u64()
        .filter(|n| Some(*n) == schema["maxItems"].as_u64());
    match (fixed, one.as_slice()) {
        (_, []) => Vec::new(),
        // Different numbers, as equal ones could hide an effect.
        (Some(n), one) => {
            let turned = |k: usize| (0..n as usize).map(move |i| one[(i + k) % one.len()].as_str());
            let list = |k: usize| format!("[{}]", turned(k).collect::<Vec<_>>().join(", "));
            (0..one.len().min(4)).map(list).collect()
        }
        // Recorded motions: a time and a point.
        (None, one) if one[0].matches(',').count() == 3 => {
            vec!["[[0.0, 0.1, 0.0, 0.0], [0.02, 0.3, 0.1, 0.0]]".into()]
        }
        // Including tableaux of one and two stages.
        (None, one) if one[0].starts_with('[') => {
            let implicit = ["[[0.3, 0.0], [0.4, 0.3]]", "[[0.3, 0.0], [0.7, 0.3]]"];
            let explicit = ["[[0.0, 0.0], [0.6, 0.0]]"];
            let all = implicit.into_iter().chain(explicit);
            all.map(String::from).collect()
        }
        (None, one) => {
            // Two numbers, and the nodes of all faces of a box.
            let longer = [
                "[0.3, 0.7]",
                "[0.6, 0.4]",
                "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
            ];
            let longer = longer.map(String::from);
            one.iter().map(|x| format!("[{x}]")).chain(longer).collect()
        }
    }
}

/// Output of a run by file name.
type Traces = BTreeMap<String, Vec<u8>>;

/// Runs a scene with a key set. The error is the message of a refusal.
fn traces(text: &str, folder: &Path, set: Option<(&str, &str)>) -> Result<Traces, String> {
    let name = folder.join("base.toml").display().to_string();
    let mut source = Source::new(&name, text).map_err(|e| e.to_string())?;
    if let Some((key, value)) = set {
        source.set(key, value).map_err(|e| e.to_string())?;
    }
    let scene = source.scene().map_err(|e| e.to_string())?;
    // A key that causes much more work has an effect.
    let mut session = build(scene, &source).map_err(|e| e.to_string())?;
    if session.model.nodes() > 20_000 {
        return Ok(Traces::from([("nodes".into(), vec![1])]));
    }
    let out = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: out.path().into(),
        resume: None,
    };
    let mut kept = 0;
    let mut steps = 0;
    let RunOutcome { report, .. } = attempt(&mut session, &options, &mut |_| {
        steps += 1;
        kept += u64::from(out.path().join("checkpoint.supple").exists());
        if steps > 300 { Flow::Stop } else { Flow::On }
    })
    .map_err(|e| e.to_string())?;
    let mut report = serde_json::to_value(report).unwrap();
    // Wall time, and entries that only repeat the value of the key.
    for name in ["wall_seconds", "threads", "seed"] {
        report[name] = json!(null);
    }
    let mut traces = Traces::from([
        ("report".into(), report.to_string().into_bytes()),
        ("notices".into(), session.notices.join("\n").into_bytes()),
        ("checkpoints".into(), vec![u8::from(kept > 0)]),
    ]);
    gather(out.path(), out.path(), &mut traces);
    Ok(traces)
}

/// Collects all files of a run except files with wall times or the text of the scene.
fn gather(root: &Path, folder: &Path, out: &mut Traces) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            gather(root, &path, out);
        } else if !["report.json", "checkpoint.supple", "capsule.supple"].contains(&name.as_str()) {
            out.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// Effect of setting a key.
#[derive(Clone, Debug, PartialEq)]
enum KeyEffect {
    /// It changed the output of a run.
    Effect,
    /// It was refused in all scenes, and at least once by name.
    Refused,
    /// It was accepted and changed nothing.
    Silent,
    /// No scene has its table.
    Unreached(String),
}

/// A scene and its output without changes.
struct Base {
    text: String,
    traces: Traces,
}

/// Sets a key to its sample values in the scenes until it has an effect.
fn effect_of_key(root: &Value, key: &Key, bases: &[Base], folder: &Path) -> KeyEffect {
    let (mut taken, mut by_name, mut last) = (false, false, String::new());
    for base in bases {
        for value in values(root, &key.schema) {
            match traces(&base.text, folder, Some((&key.path, &value))) {
                Ok(traces) if traces != base.traces => return KeyEffect::Effect,
                Ok(_) => taken = true,
                // A switch without which a scene that runs is refused.
                Err(refusal) if value == "false" && refusal.contains(key.name()) => {
                    return KeyEffect::Effect;
                }
                Err(refusal) => {
                    by_name |= refusal.contains(key.name());
                    last = refusal;
                }
            }
        }
    }
    match (taken, by_name) {
        (true, _) => KeyEffect::Silent,
        (false, true) => KeyEffect::Refused,
        (false, false) => KeyEffect::Unreached(last),
    }
}

fn all_keys() -> (Value, Vec<Key>) {
    let root = spec::schema();
    let mut out = Vec::new();
    keys(&root, &root, "", &mut out);
    // The template of an emitter is a body, whose keys are those of `body`; method and damping of an event have the keys of
    // `time.method` and of `body.damping`.
    let repeated = [("emit", "body."), ("event", "method."), ("event", "modal[")];
    out.retain(|k| {
        let of = |&(table, part): &(&str, &str)| k.path.starts_with(table) && k.path.contains(part);
        !repeated.iter().any(of)
    });
    (root, out)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in bases::FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn opened(texts: Vec<String>, folder: &Path) -> Vec<Base> {
    let open = |text: String| {
        let traces = traces(&text, folder, None).unwrap_or_else(|e| panic!("{text}\n{e}"));
        Base { text, traces }
    };
    texts.into_par_iter().map(open).collect()
}

#[test]
fn every_key_has_an_effect_or_is_refused_by_name() {
    let folder = folder();
    let (root, keys) = all_keys();
    assert!(keys.len() > 150, "only {} keys", keys.len());
    let kinds = keys.iter().find(|k| k.path == "time.control.kind").unwrap();
    let kinds = words(resolved(&root, &kinds.schema)).unwrap();
    let mut texts = bases::bases();
    texts.extend(kinds.iter().flat_map(|k| bases::controlled(k)));
    let bases = opened(texts, folder.path());
    let leaves = keys
        .par_iter()
        .filter(|k| !values(&root, &k.schema).is_empty());
    let fates: Vec<(&str, KeyEffect)> = leaves
        .map(|key| {
            (
                key.path.as_str(),
                effect_of_key(&root, key, &bases, folder.path()),
            )
        })
        .collect();
    let wrong: Vec<_> = fates
        .iter()
        .filter(|(_, effect_of_key)| {
            matches!(effect_of_key, KeyEffect::Silent | KeyEffect::Unreached(_))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let refused = fates
        .iter()
        .filter(|(_, effect_of_key)| *effect_of_key == KeyEffect::Refused);
    let refused: Vec<&str> = refused.map(|(path, _)| *path).collect();
    // The node nearest to a point is no face. Abscissae are only compared with the row sums of the tableau: consistent ones
    // change nothing.
    assert_eq!(
        refused,
        ["body[0].traction[0].where.near", "time.method.c"],
        "the schema offers what is always refused"
    );
}

/// In tables that have a kind, every kind uses a key or refuses it by name.
#[test]
fn every_kind_uses_or_refuses_the_keys_of_its_table() {
    let folder = folder();
    let (root, keys) = all_keys();
    let tables = [
        (
            "time.control",
            (|kind| bases::controlled(kind).to_vec()) as fn(&str) -> Vec<String>,
        ),
        ("time.stabilise", |kind| vec![bases::stabilised(kind)]),
    ];
    let mut seen = 0;
    for (table, texts) in tables {
        let of_table: Vec<&Key> = keys.iter().filter(|k| k.table() == table).collect();
        let kind = of_table.iter().find(|k| k.name() == "kind").unwrap();
        for kind in words(resolved(&root, &kind.schema)).unwrap() {
            let texts = texts(&kind);
            if let Err(refusal) = traces(&texts[0], folder.path(), None) {
                panic!("{kind}: {refusal}");
            }
            let bases = opened(texts, folder.path());
            for key in of_table.iter().filter(|k| k.name() != "kind") {
                let effect_of_key = effect_of_key(&root, key, &bases, folder.path());
                let fine = matches!(effect_of_key, KeyEffect::Effect | KeyEffect::Refused);
                assert!(
                    fine,
                    "{} under kind = \"{kind}\": {effect_of_key:?}",
                    key.path
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "only {seen} pairs of kinds and keys");
}
