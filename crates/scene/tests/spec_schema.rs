//! The JSON Schema is up to date, complete, and agrees with the parser.

use std::path::PathBuf;

use scene::spec;
use serde_json::Value;
use testdata::repository;

const REFRESH: &str = "SUPPLE_WRITE=1 cargo test -p supple-scene --test spec_schema";

/// Shipped scenes and those of the contract, except one with unsupported features.
fn scenes() -> Vec<PathBuf> {
    let contract = testdata::shared("contract/scenes");
    let folders: Vec<PathBuf> = contract
        .into_iter()
        .chain([repository().join("scenes")])
        .collect();
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|e| e == "toml") && !path.ends_with("ball.toml")
        })
        .collect();
    files.sort();
    files
}

fn json(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&spec::schema()).unwrap()
}

#[test]
fn schema_on_disk_is_fresh() {
    let path = repository().join("schema/scene.schema.json");
    if std::env::var_os("SUPPLE_WRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, spec::schema_text()).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == spec::schema_text(),
        "schema/scene.schema.json is stale; refresh it with\n  {REFRESH}"
    );
}

#[test]
fn every_scene_parses_validates_and_survives_being_written() {
    let validator = validator();
    let files = scenes();
    assert!(files.len() >= 7, "only {} scenes found", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (scene, _) =
            spec::parse(&path.display().to_string(), &text).unwrap_or_else(|e| panic!("{e}"));
        let problems: Vec<_> = validator
            .iter_errors(&json(&text))
            .map(|e| e.to_string())
            .collect();
        assert!(problems.is_empty(), "{}: {problems:#?}", path.display());

        let written = toml::to_string(&scene).unwrap();
        let (again, _) =
            spec::parse("written", &written).unwrap_or_else(|e| panic!("{written}\n{e}"));
        assert_eq!(scene, again, "{}", path.display());
    }
}

#[test]
fn every_misspelt_key_and_impossible_value_is_refused() {
    let good = r#"
        time = { step = 0.01, until = 1.0 }
        [[body]]
        mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }
        material = { young = 1e5, poisson = 0.4, density = 1000 }
        fix = [{ where = { x = 0 }, axes = "xy", motion = { keys = [{ t = 0 }] } }]
        [[wind]]
        velocity = [0, 0, 1]
        drag = 1
    "#;
    let slips = [
        ("step =", "stepp ="),
        ("step = 0.01", "step = 0"),
        ("step = 0.01", "step = 'fast'"),
        ("time =", "tame ="),
        ("box =", "bax ="),
        ("cells = [1, 1, 1]", "cells = [1, 1]"),
        ("cells = [1, 1, 1]", "cells = [1, 0, 1]"),
        ("size = [1, 1, 1]", "size = [1, 0, 1]"),
        ("mesh = { box", "mesh = { blob = {}, box"),
        ("poisson = 0.4", "poisson = 0.5"),
        ("poisson = 0.4, ", ""),
        ("young = 1e5, poisson = 0.4, ", ""),
        ("young = 1e5", "young = 1e5, kappa = 1"),
        ("material =", "springs = { stiffness = 1 }\n material ="),
        ("where = { x = 0 }", "where = {}"),
        ("where = { x = 0 }", "where = 'corner'"),
        ("where = { x = 0 }", "where = { x = 0, group = 'a' }"),
        ("axes = \"xy\"", "axes = \"xx\""),
        ("keys = [{ t = 0 }]", "keys = []"),
        (
            "keys = [{ t = 0 }]",
            "keys = [{ t = 0, rotate = [0, 0, 0] }]",
        ),
        ("drag =", "drug ="),
        ("drag = 1", "drag = -1"),
        ("[[wind]]", "[contact]\nkind = \"spring\"\n[[wind]]"),
        (
            "[[wind]]",
            "[[obstacle]]\nsphere = { center = [0, 0, 0], radius = 1 }\nfriction = -1\n[[wind]]",
        ),
        ("[[wind]]", "[[obstacle]]\nmotion = {}\n[[wind]]"),
        (
            "[[wind]]",
            "[contact]\nkind = \"barrier\"\nreach = 0\n[[wind]]",
        ),
        ("material =", "bonds = { horizon = 0, young = 1 }\n#"),
    ];
    let validator = validator();
    assert!(validator.is_valid(&json(good)));
    spec::parse("good", good).unwrap_or_else(|e| panic!("{e}"));
    for (right, wrong) in slips {
        let text = good.replacen(right, wrong, 1);
        assert_ne!(text, good, "{right} does not occur");
        assert!(
            !validator.is_valid(&json(&text)),
            "the schema lets {wrong} pass"
        );
        assert!(
            spec::parse("bad", &text).is_err(),
            "the parser lets {wrong} pass"
        );
    }
}

/// Visits every object of the schema.
fn each_object(value: &Value, see: &mut dyn FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            see(object);
            object.values().for_each(|v| each_object(v, see));
        }
        Value::Array(items) => items.iter().for_each(|v| each_object(v, see)),
        _ => {}
    }
}

#[test]
fn every_table_is_closed_and_every_key_described() {
    let mut tables = 0;
    each_object(&spec::schema(), &mut |schema| {
        assert!(
            schema.keys().all(|k| !k.starts_with("x-")),
            "private keyword in {schema:?}"
        );
        assert!(
            schema.get("type").is_none_or(|t| t != "null"),
            "null in {schema:?}"
        );
        let Some(keys) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        tables += 1;
        assert_eq!(schema["additionalProperties"], false, "{schema:?}");
        for (key, described) in keys {
            assert!(
                described["description"].is_string(),
                "{key} has no description"
            );
        }
    });
    assert!(tables > 30, "only {tables} tables");
}
