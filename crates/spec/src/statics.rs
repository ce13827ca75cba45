//! Keys that have no effect in statics, which has no time, velocities or inertia.

use super::path::{Step, shown};
use super::tree::{Node, Tree};

/// Keys without effect in statics, with the reason; `[]` stands for every entry of a list.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("time.step", "the load steps are set by time.steps"),
    ("time.fps", "a frame is written at every load step"),
    ("time.calm-start", "there is no start-up"),
    (
        "time.stabilise",
        "there is no motion whose energy could drift",
    ),
    (
        "time.control",
        "only kind = \"retreat\", which halves load steps that fail, and \"fixed\" apply",
    ),
    ("solver.accuracy", "there is no error of a time step"),
    ("event", "there is no time at which it could happen"),
    ("handle", "there is no time in which it could move"),
    ("wind", "wind acts on moving bodies; use pushes"),
    ("body[].damping", "damping acts on velocities"),
    ("output.modes", "there are no vibrations"),
    ("body[].velocity", "there are no velocities"),
    ("body[].material.viscosity", "viscosity acts on velocities"),
    ("body[].springs.damping", "damping acts on velocities"),
    ("particle[].velocity", "there are no velocities"),
    ("spring[].damping", "damping acts on velocities"),
    ("contact.friction", "friction acts on sliding velocities"),
    (
        "contact.friction-mode",
        "friction acts on sliding velocities",
    ),
    ("contact.slip-speed", "friction acts on sliding velocities"),
    (
        "contact.pair[].friction",
        "friction acts on sliding velocities",
    ),
    ("body[].friction", "friction acts on sliding velocities"),
    ("obstacle[].friction", "friction acts on sliding velocities"),
];

/// Kinds of step control that apply to load steps.
const LOAD_STEP_CONTROLS: [&str; 2] = ["retreat", "fixed"];

/// Returns the paths of all keys of a tree that have no effect in statics, with the reason.
pub(super) fn keys_without_effect(root: &Node) -> Vec<(Vec<Step>, &'static str)> {
    let mut found = Vec::new();
    for &(pattern, reason) in WITHOUT_EFFECT {
        let keys: Vec<&str> = pattern.split('.').collect();
        let mut paths = Vec::new();
        find(root, &keys, &mut Vec::new(), &mut paths);
        paths.retain(|path| shown(path) != "time.control" || !controls_load_steps(root));
        found.extend(paths.into_iter().map(|path| (path, reason)));
    }
    found
}

/// Collects the paths of the tree that match a pattern.
fn find(node: &Node, keys: &[&str], at: &mut Vec<Step>, out: &mut Vec<Vec<Step>>) {
    let Some((key, rest)) = keys.split_first() else {
        return out.push(at.clone());
    };
    let (name, each) = match key.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (*key, false),
    };
    let Some(child) = entry(node, name) else {
        return;
    };
    at.push(Step::Key(name.into()));
    match (&child.tree, each) {
        (Tree::List(items), true) => {
            for (i, item) in items.iter().enumerate() {
                at.push(Step::Index(i));
                find(item, rest, at, out);
                at.pop();
            }
        }
        _ => find(child, rest, at, out),
    }
    at.pop();
}

fn entry<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.tree {
        Tree::Table(table) => table.get(key),
        _ => None,
    }
}

fn controls_load_steps(root: &Node) -> bool {
    let kind = entry(root, "time")
        .and_then(|time| entry(time, "control"))
        .and_then(|control| entry(control, "kind"));
    matches!(kind.map(|k| &k.tree), Some(Tree::Text(kind)) if LOAD_STEP_CONTROLS.contains(&kind.as_str()))
}

/// Returns whether the method of a scene is `static`.
pub(super) fn is_static(root: &Node) -> bool {
    let method = entry(root, "time").and_then(|time| entry(time, "method"));
    let name = method.map(|m| entry(m, "name").unwrap_or(m));
    matches!(name.map(|n| &n.tree), Some(Tree::Text(name)) if name == march::methods::STATIC.name)
}

/// Removes a key from its table.
pub(super) fn remove(root: &mut Node, path: &[Step]) {
    let Some((Step::Key(last), parents)) = path.split_last() else {
        return;
    };
    let mut node = root;
    for step in parents {
        let next = match (&mut node.tree, step) {
            (Tree::Table(table), Step::Key(key)) => table.get_mut(key),
            (Tree::List(items), Step::Index(i)) => items.get_mut(*i),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return,
        }
    }
    if let Tree::Table(table) = &mut node.tree {
        table.remove(last);
    }
}
