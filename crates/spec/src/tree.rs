//! A TOML document as a tree whose nodes know their location in the file.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Origin of a node: the file or a `--set` argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// These bytes of the file.
    File(Range<usize>),
    /// The `--set` argument of this number.
    Set(usize),
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Origin of the key; that of the value for elements of lists.
    pub key: Origin,
    /// Origin of the value.
    pub value: Origin,
    pub tree: Tree,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Text(String),
    Integer(i64),
    /// May be infinite or NaN.
    Number(f64),
    /// Text of a number that fits neither of the above.
    OutOfRange(String),
    Boolean(bool),
    Date(String),
    List(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

impl Node {
    /// Returns an empty table that a `--set` path implies.
    pub fn implied(origin: Origin) -> Node {
        Node {
            key: origin.clone(),
            value: origin,
            tree: Tree::Table(BTreeMap::new()),
        }
    }

    /// Builds the tree of a document.
    pub fn document(
        table: &Spanned<DeTable<'_>>,
        origin: &impl Fn(Range<usize>) -> Origin,
    ) -> Node {
        Node {
            key: origin(0..0),
            value: origin(0..0),
            tree: table_of(table.get_ref(), origin),
        }
    }

    /// Builds the node of a value whose key is at `key`.
    pub fn of(
        value: &Spanned<DeValue<'_>>,
        key: Range<usize>,
        origin: &impl Fn(Range<usize>) -> Origin,
    ) -> Node {
        let span = value.span();
        let tree = match value.get_ref() {
            DeValue::String(s) => Tree::Text(s.to_string()),
            DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
                Ok(n) => Tree::Integer(n),
                Err(_) => Tree::OutOfRange(i.to_string()),
            },
            DeValue::Float(x) => match x.as_str().parse::<f64>() {
                Ok(n) if n.is_infinite() && !x.as_str().contains("inf") => {
                    Tree::OutOfRange(x.to_string())
                }
                Ok(n) => Tree::Number(n),
                Err(_) => Tree::OutOfRange(x.to_string()),
            },
            DeValue::Boolean(b) => Tree::Boolean(*b),
            DeValue::Datetime(d) => Tree::Date(d.to_string()),
            DeValue::Array(items) => Tree::List(
                items
                    .iter()
                    .map(|v| Node::of(v, v.span(), origin))
                    .collect(),
            ),
            DeValue::Table(table) => table_of(table, origin),
        };
        // Tables that dotted keys and headers imply have no text of their own.
        let own = if span.is_empty() { key.clone() } else { span };
        Node {
            key: origin(key),
            value: origin(own),
            tree,
        }
    }

    /// Converts the tree to JSON; numbers that JSON lacks become null, which every schema here refuses.
    pub fn json(&self) -> Value {
        match &self.tree {
            Tree::Text(s) | Tree::Date(s) => Value::from(s.as_str()),
            Tree::Integer(n) => Value::from(*n),
            Tree::Number(x) => Value::from(*x),
            Tree::OutOfRange(_) => Value::Null,
            Tree::Boolean(b) => Value::from(*b),
            Tree::List(items) => items.iter().map(Node::json).collect(),
            Tree::Table(table) => table.iter().map(|(k, v)| (k.clone(), v.json())).collect(),
        }
    }

    /// Describes the value for error messages: `the string "fast"`.
    pub fn found(&self) -> String {
        match &self.tree {
            Tree::Text(s) => format!("the string {}", quoted(s)),
            Tree::Integer(n) => format!("the integer {n}"),
            Tree::Number(x) => format!("the number {x:?}"),
            Tree::OutOfRange(s) => format!("the number {}", shortened(s)),
            Tree::Boolean(b) => b.to_string(),
            Tree::Date(s) => format!("the date {s}"),
            Tree::List(items) if items.is_empty() => "an empty list".into(),
            Tree::List(items) if items.len() == 1 => "a list of 1".into(),
            Tree::List(items) => format!("a list of {}", items.len()),
            Tree::Table(_) => "a table".into(),
        }
    }
}

fn table_of(table: &DeTable<'_>, origin: &impl Fn(Range<usize>) -> Origin) -> Tree {
    let entry = |(k, v): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        (k.get_ref().to_string(), Node::of(v, k.span(), origin))
    };
    Tree::Table(table.iter().map(entry).collect())
}

/// Returns a string in quotes, escaped and shortened for an error message.
pub(super) fn quoted(s: &str) -> String {
    format!("{:?}", shortened(s))
}

fn shortened(s: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut short: String = s.chars().take(MAX_CHARS).collect();
    if short.len() < s.len() {
        short.push('…');
    }
    short
}
