//! The text of a scene file and its parsed tree, which maps keys to lines for error messages.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::path::{self, Step};
use super::tree::{Node, Origin, Tree};
use super::{Scene, check, statics, suggestion::suggestion, validate};
use crate::error::{Location, SceneError, SceneErrors};

/// Text and TOML tree of a scene file, with overrides; locates the line of a key for error messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the file shown in errors.
    pub name: String,
    /// Text of the file.
    pub text: String,
    sets: Vec<String>,
    root: Node,
}

/// Largest size of a scene file; larger files are refused.
const MAX_FILE_BYTES: u64 = 64 << 20;

impl Source {
    /// Returns the folder of the scene file, to which other files are relative.
    pub fn folder(&self) -> &Path {
        Path::new(&self.name).parent().unwrap_or(Path::new(""))
    }

    /// Reads a scene file and parses its TOML.
    pub fn read(path: &Path) -> Result<Source, SceneErrors> {
        let name = path.display().to_string();
        let unreadable = |sentence: String| SceneError {
            file: name.clone(),
            location: None,
            key: String::new(),
            sentence,
        };
        if path.is_dir() {
            return Err(unreadable("is a directory; give a scene file in it".into()).into());
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
        match read {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(unreadable(format!("no such file{}", did_you_mean_file(path))).into());
            }
            Err(e) => return Err(unreadable(format!("could not be read: {e}")).into()),
            Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => {
                let mib = MAX_FILE_BYTES >> 20;
                return Err(unreadable(format!(
                    "is larger than {mib} MiB; a scene file is smaller"
                ))
                .into());
            }
            Ok(_) => {}
        }
        match String::from_utf8(bytes) {
            Ok(text) => Source::new(&name, &text),
            Err(e) => {
                let at = e.utf8_error().valid_up_to();
                let byte = e.as_bytes()[at];
                let text = String::from_utf8_lossy(e.as_bytes());
                let sentence =
                    format!("not UTF-8 text: byte 0x{byte:02x} at {at}; save the file as UTF-8");
                let location = Some(Box::new(Location::new(&text, at..at + 1)));
                Err(SceneError {
                    location,
                    ..unreadable(sentence)
                }
                .into())
            }
        }
    }

    /// Parses TOML; reports all syntax errors.
    pub fn new(name: &str, text: &str) -> Result<Source, SceneErrors> {
        // Some editors begin a file with a byte order mark; it is not part of the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (table, mistakes) = DeTable::parse_recoverable(text);
        let errors = mistakes.iter().map(|e| syntax(name, text, e)).collect();
        if let Some(errors) = SceneErrors::collect(errors) {
            return Err(errors);
        }
        let root = Node::document(&table, &Origin::File);
        Ok(Source {
            name: name.into(),
            text: text.into(),
            sets: Vec::new(),
            root,
        })
    }

    /// Overrides a key, as `--set KEY=VALUE` does: `body[0].material.young`, or by name `body.beam.material.young`.
    ///
    /// Missing tables are created. `value` is TOML; text that is not valid TOML is taken as a string.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SceneError> {
        let argument = format!("--set {key}={value}");
        let refuse = |key: String, sentence: String| SceneError {
            file: argument.clone(),
            location: None,
            key,
            sentence,
        };
        let steps = path::steps(key).map_err(|e| refuse(String::new(), e.to_string()))?;
        let origin = Origin::Set(self.sets.len());
        let node = match DeValue::parse(value) {
            Ok(v) => Node::of(&v, 0..0, &|_| origin.clone()),
            Err(_) => Node {
                key: origin.clone(),
                value: origin.clone(),
                tree: Tree::Text(value.to_string()),
            },
        };
        // On a copy: a refused override must not change the tree.
        let mut root = self.root.clone();
        set_node(&mut root, &steps, node, &origin).map_err(|(key, why)| refuse(key, why))?;
        self.root = root;
        self.sets.push(argument);
        Ok(())
    }

    /// Turns the scene into one of statics, as `--static` does: sets the method and leaves out keys that have no effect
    /// in statics. Returns the paths of these keys.
    pub fn set_static(&mut self) -> Result<Vec<String>, SceneError> {
        self.set("time.method", "\"static\"")?;
        let unused = statics::keys_without_effect(&self.root);
        for (path, _) in &unused {
            statics::remove(&mut self.root, path);
        }
        Ok(unused.iter().map(|(path, _)| path::shown(path)).collect())
    }

    /// Returns the paths of the keys that have no effect because the scene is static, with the reason.
    pub(super) fn unused_in_statics(&self) -> Vec<(String, &'static str)> {
        let keys = statics::keys_without_effect(&self.root);
        keys.iter()
            .map(|(path, why)| (path::shown(path), *why))
            .collect()
    }

    /// Returns the tree with the default of `time.until` in statics, which has none otherwise.
    fn with_static_end(&self) -> Node {
        let mut root = self.root.clone();
        if statics::is_static(&root)
            && let Tree::Table(table) = &mut root.tree
            && let Some(time) = table.get_mut("time")
        {
            let at = time.value.clone();
            if let Tree::Table(time) = &mut time.tree {
                time.entry("until".into()).or_insert_with(|| Node {
                    key: at.clone(),
                    value: at,
                    tree: Tree::Number(1.0),
                });
            }
        }
        root
    }

    /// Validates the tree and returns the scene with defaults filled in, or all errors found.
    pub fn scene(&self) -> Result<Scene, SceneErrors> {
        if let Tree::Table(table) = &self.root.tree
            && table.is_empty()
        {
            let sentence = "empty scene; write at least [time] with step and until, and a [[body]]";
            return Err(self.error("", sentence).into());
        }
        let root = self.with_static_end();
        if let Some(errors) = SceneErrors::collect(validate::find_errors(self, &root)) {
            return Err(errors);
        }
        let mut scene: Scene = serde_path_to_error::deserialize(root.json())
            .map_err(|e| self.error(&e.path().to_string(), e.inner().to_string()))?;
        for (i, body) in scene.body.iter_mut().enumerate() {
            body.name = body.name_or_number(i);
        }
        match SceneErrors::collect(check::find_errors(&scene, self)) {
            Some(errors) => Err(errors),
            None => Ok(scene),
        }
    }

    /// Returns an error located at the key of a path, or at its nearest parent in the file.
    pub fn error(&self, path: &str, sentence: impl Into<String>) -> SceneError {
        let steps = path::steps(path).unwrap_or_default();
        let mut node = &self.root;
        for step in &steps {
            let next = match (&node.tree, step) {
                (Tree::Table(table), Step::Key(key)) => table.get(key),
                (Tree::List(items), Step::Index(i)) => items.get(*i),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        self.error_at(&node.value, path, sentence.into())
    }

    /// Returns an error at an origin.
    pub(super) fn error_at(&self, origin: &Origin, path: &str, sentence: String) -> SceneError {
        let (file, location) = match origin {
            Origin::File(range) => (
                self.name.clone(),
                Some(Box::new(Location::new(&self.text, range.clone()))),
            ),
            Origin::Set(i) => (self.sets.get(*i).cloned().unwrap_or_default(), None),
        };
        SceneError {
            file,
            location,
            key: path.into(),
            sentence,
        }
    }
}

/// Returns `; did you mean "…"?` if the folder has a file with a similar name, else an empty string.
fn did_you_mean_file(path: &Path) -> String {
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return String::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    names.sort();
    let wanted = path
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    match super::nearest_name(wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("; did you mean \"{near}\"?"),
        None => String::new(),
    }
}

fn syntax(name: &str, text: &str, error: &toml::de::Error) -> SceneError {
    let range: Range<usize> = error.span().unwrap_or(text.len()..text.len());
    SceneError {
        file: name.into(),
        location: Some(Box::new(Location::new(text, range))),
        key: String::new(),
        sentence: format!("not TOML: {}", error.message().trim().replace('\n', "; ")),
    }
}

/// Sets the node at a path. The error is the key at which that fails and the reason.
fn set_node(
    root: &mut Node,
    steps: &[Step],
    new: Node,
    origin: &Origin,
) -> Result<(), (String, String)> {
    let mut node = root;
    for (i, step) in steps.iter().enumerate() {
        let here = || path::shown(&steps[..=i]);
        name_becomes_table(node, &steps[..i]);
        let found = node.found();
        node = match (&mut node.tree, step) {
            (Tree::Table(table), Step::Key(key)) => table
                .entry(key.clone())
                .or_insert_with(|| Node::implied(origin.clone())),
            (Tree::List(items), Step::Index(k)) => {
                let count = items.len();
                items
                    .get_mut(*k)
                    .ok_or_else(|| (here(), format!("out of range; the list has {count}")))?
            }
            (Tree::List(items), Step::Key(key)) => {
                let names: Vec<String> = items.iter().map(|n| name_of(n).into()).collect();
                let Some(k) = names.iter().position(|name| name == key) else {
                    let known = names.iter().map(String::as_str).filter(|n| !n.is_empty());
                    let why = format!("no entry has this name; {}", suggestion(key, known));
                    return Err((here(), why));
                };
                &mut items[k]
            }
            _ => {
                let why = format!("is {found}, which has no keys");
                return Err((path::shown(&steps[..i]), why));
            }
        };
    }
    *node = new;
    Ok(())
}

/// Expands `time.method = "newmark"` to `{ name = "newmark" }`, which allows parameters to be set below it.
fn name_becomes_table(node: &mut Node, at: &[Step]) {
    if path::shown(at) != "time.method" {
        return;
    }
    if let Tree::Text(_) = &node.tree {
        let name = node.clone();
        node.tree = Tree::Table(BTreeMap::from([("name".to_string(), name)]));
    }
}

fn name_of(node: &Node) -> &str {
    match &node.tree {
        Tree::Table(table) => match table.get("name").map(|n| &n.tree) {
            Some(Tree::Text(name)) => name,
            _ => "",
        },
        _ => "",
    }
}
