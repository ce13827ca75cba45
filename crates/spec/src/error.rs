//! Errors in scene files: file, line, column, key and message.

use std::fmt;
use std::ops::Range;

/// An error in a scene file or in a `--set` argument.
///
/// Shown as `scene.toml:12:5: body[1].material.poison: unknown key; did you mean "poisson"?`,
/// followed by the line with carets under the offending text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Name of the file, or the `--set` argument.
    pub file: String,
    /// Location in the file; `None` for a `--set` argument or a file that could not be read.
    pub location: Option<Box<Location>>,
    /// Path of the key, such as `body[1].material.poison`; empty if the error concerns no key.
    pub key: String,
    /// Message: what is wrong and what to try.
    pub sentence: String,
}

/// Line and column of an error, and the text to show with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Text of the line, or the part of it around the column.
    pub text: String,
    /// Characters of `text` before the caret.
    pub indent: usize,
    /// Number of carets.
    pub width: usize,
}

/// Number of characters of a long line that are shown.
const MAX_LINE_CHARS: usize = 110;
/// Number of shown characters before the caret.
const MAX_CHARS_BEFORE_CARET: usize = 60;

impl Location {
    /// Finds the location of a range of bytes, clamped to the text and to character boundaries.
    pub(crate) fn new(text: &str, range: Range<usize>) -> Location {
        let start = floor_boundary(text, range.start);
        let end = floor_boundary(text, range.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let line = 1 + text[..start].matches('\n').count();
        let before = text[line_start..start].chars().count();
        let marked = text[start..end.min(line_end)]
            .trim_end()
            .chars()
            .count()
            .max(1);
        let skip = before.saturating_sub(MAX_CHARS_BEFORE_CARET);
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        let all = text[line_start..line_end].trim_end_matches('\r');
        let text: String = all
            .chars()
            .skip(skip)
            .take(MAX_LINE_CHARS)
            .map(shown)
            .collect();
        let indent = before - skip;
        let width = marked.min(MAX_LINE_CHARS - indent);
        Location {
            line,
            column: before + 1,
            text: text.trim_end().into(),
            indent,
            width,
        }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(location) = &self.location {
            write!(f, ":{}:{}", location.line, location.column)?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.sentence)?;
        if let Some(location) = &self.location {
            let number = location.line.to_string();
            let margin = " ".repeat(number.len());
            write!(f, "\n{margin} |\n{number} | {}", location.text)?;
            write!(
                f,
                "\n{margin} | {}{}",
                " ".repeat(location.indent),
                "^".repeat(location.width)
            )?;
        }
        Ok(())
    }
}

/// Largest number of errors that are reported; more usually have one common cause.
pub const MAX_ERRORS: usize = 20;

/// All errors found in a scene, in the order of the file; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneErrors(Vec<SceneError>);

impl SceneErrors {
    /// Iterates over the errors.
    pub fn iter(&self) -> std::slice::Iter<'_, SceneError> {
        self.0.iter()
    }

    /// Sorts errors by location and keeps the first [`MAX_ERRORS`]. Returns `None` if there are none.
    pub fn collect(mut errors: Vec<SceneError>) -> Option<SceneErrors> {
        errors.sort_by_key(|e| e.location.as_ref().map(|s| (s.line, s.column)));
        errors.dedup();
        errors.truncate(MAX_ERRORS);
        (!errors.is_empty()).then_some(SceneErrors(errors))
    }
}

impl From<SceneError> for SceneErrors {
    fn from(error: SceneError) -> Self {
        SceneErrors(vec![error])
    }
}

impl<'a> IntoIterator for &'a SceneErrors {
    type Item = &'a SceneError;
    type IntoIter = std::slice::Iter<'a, SceneError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::error::Error for SceneErrors {}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}
