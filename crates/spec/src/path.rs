//! Paths of keys, such as `body[1].material.poison`, `body.beam.place` and `body."my beam"`.

use std::fmt::Write;

/// A component of a path: a key or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Error while parsing a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    #[error("the path has an empty key; write keys separated by single dots")]
    EmptyKey,
    #[error("a quote is not closed")]
    Quote,
    #[error("an index must be a number in brackets, such as body[0]")]
    Index,
    #[error("the key is nested deeper than {MAX_DEPTH} levels")]
    Deep,
}

/// Largest depth of a path; limits the recursion over tables that `--set` creates.
const MAX_DEPTH: usize = 32;

/// Appends a key to a path, in quotes if it is not a bare TOML key.
pub(super) fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(bare) {
        path.push_str(key);
    } else {
        path.push_str(&super::tree::quoted(key));
    }
}

/// Appends an index to a path.
pub(super) fn push_index(path: &mut String, index: usize) {
    // Writing into a String cannot fail.
    let _ = write!(path, "[{index}]");
}

/// Returns the path of a key below `parent`.
pub(super) fn child(parent: &str, key: &str) -> String {
    let mut path = parent.to_string();
    push_key(&mut path, key);
    path
}

/// Formats components as a path.
pub(super) fn shown(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) => push_key(&mut path, key),
            Step::Index(i) => push_index(&mut path, *i),
        }
    }
    path
}

/// Parses a path.
pub(super) fn steps(path: &str) -> Result<Vec<Step>, PathError> {
    let mut steps = Vec::new();
    let mut rest = path.trim();
    loop {
        let (key, after) = first_key(rest)?;
        steps.push(Step::Key(key));
        rest = after;
        while let Some(inner) = rest.strip_prefix('[') {
            let (number, after) = inner.split_once(']').ok_or(PathError::Index)?;
            steps.push(Step::Index(
                number.trim().parse().map_err(|_| PathError::Index)?,
            ));
            rest = after;
        }
        if steps.len() > MAX_DEPTH {
            return Err(PathError::Deep);
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(steps),
            None => return Err(PathError::Index),
        }
    }
}

fn first_key(text: &str) -> Result<(String, &str), PathError> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let (key, after) = inner.split_once(quote).ok_or(PathError::Quote)?;
            return Ok((key.to_string(), after));
        }
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let key = text[..end].trim();
    if key.is_empty() {
        return Err(PathError::EmptyKey);
    }
    Ok((key.to_string(), &text[end..]))
}
