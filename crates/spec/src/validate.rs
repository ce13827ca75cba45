//! Validates the tree of a scene file against the schema and reports all errors with their locations.
//!
//! Serde stops at the first error and does not know its line. The validator uses only the schema generated from the
//! structs: a key added to a struct is validated without further code. It supports the keywords that this schema uses and
//! no others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::path::{child, push_index};
use super::schema_query::{
    accepts, accepts_number, enum_values, expected_kind, resolve_ref, strings, tables_with_key,
};
use super::suggestion::{nearest_name, suggestion};
use super::tree::{Node, Tree, quoted};
use super::{Source, schema::RAW};
use crate::error::SceneError;

/// Returns all errors of a tree against the schema.
pub(super) fn find_errors(source: &Source, root: &Node) -> Vec<SceneError> {
    let mut validator = Validator {
        source,
        errors: Vec::new(),
    };
    validator.value(&RAW, root, "");
    validator.errors
}

struct Validator<'a> {
    source: &'a Source,
    errors: Vec<SceneError>,
}

type Table = BTreeMap<String, Node>;

impl Validator<'_> {
    fn add_error(&mut self, node: &Node, path: &str, sentence: String) {
        self.errors
            .push(self.source.error_at(&node.value, path, sentence));
    }

    fn value(&mut self, schema: &Value, node: &Node, path: &str) {
        let schema = resolve_ref(schema);
        if let Some(branches) = schema["anyOf"].as_array() {
            return match branches.iter().find(|b| accepts(b, node)) {
                Some(branch) => self.value(branch, node, path),
                None => self.mismatch(schema, node, path),
            };
        }
        if let Some(words) = enum_values(schema) {
            return self.word(schema, &words, node, path);
        }
        match &node.tree {
            _ if !accepts(schema, node) => self.mismatch(schema, node, path),
            Tree::Table(table) => self.table(schema, node, table, path),
            Tree::List(items) => self.list(schema, node, items, path),
            Tree::Integer(n) => self.range(schema, node, *n as f64, path),
            Tree::Number(x) => self.range(schema, node, *x, path),
            Tree::Text(s) if s.is_empty() && schema["minLength"].as_u64() > Some(0) => {
                self.add_error(node, path, "must not be empty".into());
            }
            Tree::Text(_) | Tree::Boolean(_) | Tree::Date(_) | Tree::OutOfRange(_) => {}
        }
    }

    fn mismatch(&mut self, schema: &Value, node: &Node, path: &str) {
        let number = accepts_number(schema);
        let sentence = match &node.tree {
            Tree::OutOfRange(text) => {
                format!(
                    "{} does not fit into 64 bits",
                    quoted(text).replace('"', "")
                )
            }
            Tree::Table(_) if schema["type"] == "array" => {
                format!("expected a list, found a table; write [[{path}]] instead of [{path}]")
            }
            Tree::List(_) if schema["type"] == "object" && !path.contains('[') => {
                format!("expected one table, found a list; write [{path}] once")
            }
            Tree::Number(x) if number && !x.is_finite() => not_finite(*x),
            _ => {
                let instead = schema["x-instead"].as_str();
                let instead = instead.map(|i| format!("; {i}")).unwrap_or_default();
                let expected = expected_kind(schema);
                format!("expected {expected}, found {}{instead}", node.found())
            }
        };
        self.add_error(node, path, sentence);
    }

    fn word(&mut self, schema: &Value, words: &[&str], node: &Node, path: &str) {
        match &node.tree {
            Tree::Text(s) if words.contains(&s.as_str()) => {}
            Tree::Text(s) if schema["x-words"].is_string() => {
                let sentence = format!("must be {}, found {}", expected_kind(schema), quoted(s));
                self.add_error(node, path, sentence);
            }
            Tree::Text(s) => {
                let offered = words.iter().copied();
                let hint = suggestion(s, offered);
                self.add_error(node, path, format!("unknown value {}; {hint}", quoted(s)));
            }
            _ => {
                let sentence =
                    format!("expected {}, found {}", expected_kind(schema), node.found());
                self.add_error(node, path, sentence);
            }
        }
    }

    fn list(&mut self, schema: &Value, node: &Node, items: &[Node], path: &str) {
        let count = items.len() as u64;
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        if least.is_some_and(|n| count < n) || most.is_some_and(|n| count > n) {
            let sentence = match (least, most) {
                (Some(_), Some(_)) => {
                    format!("expected {}, found {}", expected_kind(schema), node.found())
                }
                _ => "must not be empty".into(),
            };
            return self.add_error(node, path, sentence);
        }
        for (i, item) in items.iter().enumerate() {
            let mut path = path.to_string();
            push_index(&mut path, i);
            self.value(&schema["items"], item, &path);
        }
    }

    fn range(&mut self, schema: &Value, node: &Node, x: f64, path: &str) {
        if !x.is_finite() {
            return self.add_error(node, path, not_finite(x));
        }
        let limit = |keyword: &str| schema[keyword].as_f64();
        let broken = [
            limit("exclusiveMinimum")
                .filter(|m| x <= *m)
                .map(|m| format!("greater than {m}")),
            limit("minimum")
                .filter(|m| x < *m)
                .map(|m| format!("at least {m}")),
            limit("exclusiveMaximum")
                .filter(|m| x >= *m)
                .map(|m| format!("less than {m}")),
            limit("maximum")
                .filter(|m| x > *m)
                .map(|m| format!("at most {m}")),
        ];
        for rule in broken.into_iter().flatten() {
            let found = match &node.tree {
                Tree::Integer(n) => n.to_string(),
                _ => format!("{x:?}"),
            };
            let hint = schema["x-hint"]
                .as_str()
                .map(|h| format!("; {h}"))
                .unwrap_or_default();
            self.add_error(node, path, format!("must be {rule}, found {found}{hint}"));
        }
    }

    fn table(&mut self, schema: &Value, node: &Node, table: &Table, path: &str) {
        let Some(known) = schema["properties"].as_object() else {
            return;
        };
        let mut meant = BTreeSet::new();
        let mut unknown = false;
        for (name, value) in table {
            let path = child(path, name);
            if let Some(schema) = known.get(name) {
                self.value(schema, value, &path);
                continue;
            }
            unknown = true;
            let missing = known
                .keys()
                .map(String::as_str)
                .filter(|k| !table.contains_key(*k));
            meant.extend(nearest_name(name, missing));
            let hint = match (
                nearest_name(name, known.keys().map(String::as_str)),
                tables_with_key(schema, name),
            ) {
                (None, homes) if !homes.is_empty() => {
                    format!("it belongs in \"{}\"", homes.join("\" or \""))
                }
                _ => suggestion(name, known.keys().map(String::as_str)),
            };
            let sentence = format!("unknown key; {hint}");
            self.errors
                .push(self.source.error_at(&value.key, &path, sentence));
        }
        let required = strings(&schema["required"]);
        for name in required.filter(|name| !table.contains_key(*name) && !meant.contains(name)) {
            self.missing(&known[name], node, &child(path, name), "");
        }
        if self.groups(schema, node, table, path, unknown) {
            self.dependent_keys(schema, node, table, path, &meant);
        }
    }

    fn missing(&mut self, schema: &Value, node: &Node, path: &str, because: &str) {
        let what = schema["description"].as_str().unwrap_or_default();
        let what = what
            .split("; ")
            .next()
            .unwrap_or_default()
            .trim_end_matches('.');
        let kind = expected_kind(resolve_ref(schema));
        self.add_error(
            node,
            path,
            format!("missing key{because}; expected {kind}: {what}"),
        );
    }

    /// Reports missing keys that other keys require.
    fn dependent_keys(
        &mut self,
        schema: &Value,
        node: &Node,
        table: &Table,
        path: &str,
        meant: &BTreeSet<&str>,
    ) {
        let mut reported = BTreeSet::new();
        for (name, needs) in schema["dependentRequired"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let lacks = |need: &&str| !table.contains_key(*need) && !meant.contains(need);
            for need in strings(needs)
                .filter(|_| table.contains_key(name))
                .filter(lacks)
            {
                if reported.insert(need) {
                    let because = format!(", which \"{name}\" needs");
                    let need_schema = &schema["properties"][need];
                    self.missing(need_schema, node, &child(path, need), &because);
                }
            }
        }
    }

    /// Checks groups of keys of which exactly one may be used. Returns false if two are used together.
    fn groups(
        &mut self,
        schema: &Value,
        node: &Node,
        table: &Table,
        path: &str,
        unknown: bool,
    ) -> bool {
        let Some(groups) = schema["x-groups"].as_array() else {
            return true;
        };
        let used: Vec<&str> = groups
            .iter()
            .filter_map(|keys| strings(keys).find(|k| table.contains_key(*k)))
            .collect();
        match used.as_slice() {
            [_] => {}
            // An unknown key is probably a misspelt one of the group, and is already reported.
            [] if unknown => {}
            [] => {
                let firsts: Vec<String> = groups
                    .iter()
                    .map(|keys| {
                        let names = strings(keys).map(|k| format!("\"{k}\""));
                        names.collect::<Vec<_>>().join("/")
                    })
                    .collect();
                let needs = schema["x-needs"]
                    .as_str()
                    .map(|n| format!("{n}: "))
                    .unwrap_or_default();
                self.add_error(
                    node,
                    path,
                    format!("{needs}needs one of {}", firsts.join(", ")),
                );
            }
            [first, rest @ ..] => {
                for other in rest {
                    let at = table.get(*other).unwrap_or(node);
                    let sentence =
                        format!("cannot be combined with \"{first}\"; keep one of the two");
                    let error = self.source.error_at(&at.key, &child(path, other), sentence);
                    self.errors.push(error);
                }
            }
        }
        used.len() < 2
    }
}

fn not_finite(x: f64) -> String {
    format!(
        "must be a finite number, found {}",
        format!("{x}").to_lowercase()
    )
}
