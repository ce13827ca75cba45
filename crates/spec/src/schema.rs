//! The JSON Schema of scene files, generated from the structs and their doc comments.
//!
//! The structs use private keywords that the published schema does not contain. `x-groups` lists groups of keys of which
//! exactly one may be used and becomes `oneOf`. `x-needs`, `x-hint`, `x-words` and `x-instead` are texts for error
//! messages. The `null` of optional values is removed, because TOML has no null.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::Scene;

/// The schema with private keywords, which [`super::validate`] uses.
pub(super) static RAW: LazyLock<Value> = LazyLock::new(|| {
    let mut schema = schemars::schema_for!(Scene).to_value();
    each(&mut schema, &without_null);
    schema
});

/// Returns the JSON Schema (draft 2020-12) of scene files.
pub fn schema() -> Value {
    let mut schema = RAW.clone();
    each(&mut schema, &groups_to_one_of);
    drop_unused_definitions(&mut schema);
    schema
}

/// Returns the text of `schema/scene.schema.json`.
pub fn schema_text() -> String {
    // A JSON value always has a text.
    let mut text = serde_json::to_string_pretty(&schema()).unwrap_or_default();
    text.push('\n');
    text
}

fn each(value: &mut Value, change: &dyn Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(|v| each(v, change));
            change(object);
        }
        Value::Array(items) => items.iter_mut().for_each(|v| each(v, change)),
        _ => {}
    }
}

fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|t| t != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".into(), one);
        }
    }
    let Some(Value::Array(branches)) = schema.get_mut("anyOf") else {
        return;
    };
    branches.retain(|b| b["type"] != "null");
    if let [Value::Object(only)] = branches.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (keyword, value) in only {
            schema.entry(keyword).or_insert(value);
        }
    }
}

/// Removes definitions that are not referenced, until all are.
fn drop_unused_definitions(schema: &mut Value) {
    loop {
        let text = schema.to_string();
        let Some(definitions) = schema["$defs"].as_object_mut() else {
            return;
        };
        let before = definitions.len();
        definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        if definitions.len() == before {
            return;
        }
    }
}

fn groups_to_one_of(schema: &mut Map<String, Value>) {
    for keyword in ["x-needs", "x-hint", "x-words", "x-instead"] {
        schema.remove(keyword);
    }
    let Some(groups) = schema.remove("x-groups") else {
        return;
    };
    let required = |key: &Value| json!({ "required": [key] });
    let group = |keys: &Value| match keys.as_array().map(Vec::as_slice) {
        Some([one]) => required(one),
        Some(several) => json!({ "anyOf": several.iter().map(required).collect::<Vec<_>>() }),
        None => json!({}),
    };
    let branches: Vec<Value> = groups.as_array().into_iter().flatten().map(group).collect();
    schema.insert("oneOf".into(), branches.into());
}
