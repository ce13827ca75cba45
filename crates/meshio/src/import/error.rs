//! Errors and notices of readers: position in the file, what was expected, what was found, what to try.

use std::fmt;
use std::io;

use thiserror::Error;

/// Error of reading a file, printed as one line:
/// `beam.msh, line 14, in $Nodes: expected a number for x of node 14, found "0,5". Write decimals with a point.`
#[derive(Debug)]
pub struct ImportError {
    /// The file as the user named it.
    pub file: String,
    /// Position in the file.
    pub position: FilePosition,
    /// Section of the file (`$Nodes`, `POINTS`, …); may be empty.
    pub section: String,
    /// What is wrong.
    pub fault: Box<Fault>,
    /// What to try; may be empty.
    pub hint: String,
}

/// Position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePosition {
    /// The file as a whole.
    Whole,
    /// A line of text, from 1.
    Line(usize),
    /// A byte offset, from 0.
    Byte(usize),
}

/// Kind of error in a file.
#[derive(Debug, Error)]
pub enum Fault {
    /// The operating system reported an error.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// Neither the name nor the content tells the format.
    #[error("the format is not known: {found}")]
    UnknownFormat {
        /// Description of the first bytes.
        found: String,
    },
    /// The file uses a feature that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The unsupported feature.
        what: String,
    },
    /// The file contains something other than the format requires.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the format requires here.
        expected: String,
        /// What the file contains.
        found: String,
    },
    /// The file ends too early.
    #[error("unexpected end of file: expected {expected}")]
    Truncated {
        /// What the format requires here.
        expected: String,
    },
    /// A number is infinite or NaN.
    #[error("{what} is {found}: not a finite number")]
    NotFinite {
        /// Name of the number.
        what: String,
        /// The number as written.
        found: String,
    },
    /// A declared count and the content disagree.
    #[error("declared {declared} {what}, found {found}")]
    Count {
        /// The things that are counted.
        what: String,
        /// The declared count.
        declared: String,
        /// The count that was found.
        found: String,
    },
    /// A cell refers to a node that does not exist.
    #[error("{element} refers to unknown node {node}: {known}")]
    Reference {
        /// Name of the cell.
        element: String,
        /// The node number as written.
        node: String,
        /// Description of the existing node numbers.
        known: String,
    },
    /// Something that must be unique occurs twice.
    #[error("duplicate {what} {tag}")]
    Duplicate {
        /// Kind of the duplicate.
        what: &'static str,
        /// Its number or name.
        tag: String,
    },
    /// A required part is missing.
    #[error("{what} missing")]
    Missing {
        /// The missing part, with its verb: "POINTS are".
        what: String,
    },
    /// Data that cannot be decoded.
    #[error("corrupt data: {what}")]
    Corrupt {
        /// The data and the reason.
        what: String,
    },
    /// The file uses a feature that is refused for security.
    #[error("{what} is not allowed")]
    Forbidden {
        /// The refused feature.
        what: String,
    },
    /// The mesh has cells without volume.
    #[error("{what}")]
    Geometry {
        /// Number of such cells, the first of them, and the reason.
        what: String,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        match self.position {
            FilePosition::Whole => {}
            FilePosition::Line(n) => write!(f, ", line {n}")?,
            FilePosition::Byte(n) => write!(f, ", byte {n}")?,
        }
        if !self.section.is_empty() {
            write!(f, ", in {}", self.section)?;
        }
        write!(f, ": {}.", one_line(&self.fault.to_string()))?;
        if !self.hint.is_empty() {
            write!(f, " {}", self.hint)?;
        }
        Ok(())
    }
}

/// Replaces control characters by blanks: names in files may contain any, and a message is one line.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.fault.as_ref() {
            Fault::Io(e) => Some(e),
            _ => None,
        }
    }
}

impl ImportError {
    /// Creates an error about the file as a whole.
    pub(crate) fn whole(file: &str, fault: Fault, hint: impl Into<String>) -> ImportError {
        ImportError {
            file: file.to_string(),
            position: FilePosition::Whole,
            section: String::new(),
            fault: Box::new(fault),
            hint: hint.into(),
        }
    }
}

/// Severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Information without need to act.
    Note,
    /// Probably a mistake in the file.
    Warning,
}

/// Message about something in a file that was repaired, ignored or looks wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Severity of the notice.
    pub severity: Severity,
    /// Text of the message.
    pub text: String,
}

impl Notice {
    /// Creates a note.
    pub fn note(text: impl Into<String>) -> Notice {
        Notice {
            severity: Severity::Note,
            text: one_line(&text.into()),
        }
    }

    /// Creates a warning.
    pub fn warning(text: impl Into<String>) -> Notice {
        Notice {
            severity: Severity::Warning,
            text: one_line(&text.into()),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.severity {
            Severity::Note => write!(f, "note: {}", self.text),
            Severity::Warning => write!(f, "warning: {}", self.text),
        }
    }
}
