//! Queries of the schema: which values it accepts, and their description for error messages.

use serde_json::Value;

use super::schema::RAW;
use super::tree::{Node, Tree};

/// Returns the definition that a schema refers to, or the schema itself.
pub(super) fn resolve_ref(schema: &Value) -> &Value {
    match schema["$ref"]
        .as_str()
        .and_then(|r| r.strip_prefix("#/$defs/"))
    {
        Some(name) => &RAW["$defs"][name],
        None => schema,
    }
}

/// Iterates over the strings of a JSON array.
pub(super) fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Returns the values of an enumeration of strings. Returns `None` if the schema is something else.
pub(super) fn enum_values(schema: &Value) -> Option<Vec<&str>> {
    if schema["enum"].is_array() {
        return Some(strings(&schema["enum"]).collect());
    }
    let branches = schema["oneOf"].as_array()?;
    branches.iter().map(|b| b["const"].as_str()).collect()
}

/// Returns whether the type of a value is one the schema allows, without checking its range or content.
pub(super) fn accepts(schema: &Value, node: &Node) -> bool {
    let schema = resolve_ref(schema);
    if let Some(branches) = schema["anyOf"].as_array() {
        return branches.iter().any(|b| accepts(b, node));
    }
    let kind = schema["type"].as_str().unwrap_or("string");
    matches!(
        (&node.tree, kind),
        (Tree::Text(_), "string")
            | (Tree::Integer(_), "integer" | "number")
            | (Tree::Number(_), "number")
            | (Tree::Boolean(_), "boolean")
            | (Tree::List(_), "array")
            | (Tree::Table(_), "object")
    )
}

/// Returns whether the schema allows a number.
pub(super) fn accepts_number(schema: &Value) -> bool {
    let schema = resolve_ref(schema);
    match schema["anyOf"].as_array() {
        Some(branches) => branches.iter().any(accepts_number),
        None => schema["type"] == "number" || schema["type"] == "integer",
    }
}

/// Describes the kind of value that a schema expects, for error messages.
pub(super) fn expected_kind(schema: &Value) -> String {
    let schema = resolve_ref(schema);
    if let Some(branches) = schema["anyOf"].as_array() {
        return branches
            .iter()
            .map(expected_kind)
            .collect::<Vec<_>>()
            .join(" or ");
    }
    if let Some(words) = schema["x-words"].as_str() {
        return words.into();
    }
    if let Some(words) = enum_values(schema) {
        return quoted_list(&words);
    }
    match schema["type"].as_str() {
        Some("integer") => "an integer".into(),
        Some("number") => "a number".into(),
        Some("boolean") => "true or false".into(),
        Some("array") => {
            let items = match schema["items"]["type"].as_str() {
                Some("integer") => "integers",
                Some("number") => "numbers",
                Some("array") => "rows of numbers",
                _ => "entries",
            };
            match schema["minItems"]
                .as_u64()
                .filter(|_| schema["maxItems"].is_u64())
            {
                Some(n) => format!("a list of {n} {items}"),
                None => format!("a list of {items}"),
            }
        }
        Some("object") => "a table".into(),
        _ => "a string".into(),
    }
}

fn quoted_list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

/// Returns the keys of `schema` whose tables have the given key.
pub(super) fn tables_with_key<'a>(schema: &'a Value, key: &str) -> Vec<&'a str> {
    let below = |value: &'a Value| {
        let value = resolve_ref(value);
        let value = if value["items"].is_object() {
            resolve_ref(&value["items"])
        } else {
            value
        };
        let branches = value["anyOf"].as_array().map(Vec::as_slice);
        branches
            .unwrap_or(std::slice::from_ref(value))
            .iter()
            .map(resolve_ref)
    };
    let known = schema["properties"].as_object().into_iter().flatten();
    known
        .filter(|(_, value)| below(value).any(|v| v["properties"].get(key).is_some()))
        .map(|(name, _)| name.as_str())
        .collect()
}
