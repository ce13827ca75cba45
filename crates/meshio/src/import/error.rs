//! Why a file could not be read: where, what was expected, what was found, what to try.

use std::fmt;
use std::io;

use thiserror::Error;

/// A file that could not be read. Printed as one line:
/// `beam.msh, line 14, in $Nodes: expected a number for x of node 14, found "0,5". Write decimals with a point.`
#[derive(Debug)]
pub struct ImportError {
    /// The file as the user named it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// The part of the file (`$Nodes`, `POINTS`, …); empty where there is none.
    pub section: String,
    /// What is wrong.
    pub fault: Box<Fault>,
    /// What to try; may be empty.
    pub hint: String,
}

/// Where in a file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of text, from 1.
    Line(usize),
    /// A byte offset, from 0.
    Byte(usize),
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum Fault {
    /// The operating system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Nothing inside.
    #[error("the file is empty")]
    Empty,
    /// Neither name nor content says what it is.
    #[error("the format is not known: {found}")]
    UnknownFormat {
        /// What the file begins with.
        found: String,
    },
    /// Understood, and not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The thing refused.
        what: String,
    },
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the format wants here.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The file stops too early.
    #[error("unexpected end of file: expected {expected}")]
    Truncated {
        /// What the format wants here.
        expected: String,
    },
    /// A number that is not finite.
    #[error("{what} is {found}: not a finite number")]
    NotFinite {
        /// Which number.
        what: String,
        /// As written.
        found: String,
    },
    /// A declared count and the content disagree.
    #[error("declared {declared} {what}, found {found}")]
    Count {
        /// Of what.
        what: String,
        /// As declared.
        declared: String,
        /// As found.
        found: String,
    },
    /// A cell names a point that does not exist.
    #[error("{element} refers to unknown node {node}: {known}")]
    Reference {
        /// Which cell.
        element: String,
        /// The node as written.
        node: String,
        /// What nodes there are.
        known: String,
    },
    /// Something that must be unique is not.
    #[error("duplicate {what} {tag}")]
    Duplicate {
        /// What.
        what: &'static str,
        /// Its number.
        tag: String,
    },
    /// A required part is absent.
    #[error("{what} missing")]
    Missing {
        /// The part.
        what: String,
    },
    /// Data that does not decode.
    #[error("corrupt data: {what}")]
    Corrupt {
        /// What does not decode and how.
        what: String,
    },
    /// Something a mesh file has no business doing.
    #[error("{what} is not allowed")]
    Forbidden {
        /// The thing refused.
        what: String,
    },
    /// Shapes nobody can compute with.
    #[error("{what}")]
    Geometry {
        /// How many, which, and why.
        what: String,
    },
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        match self.place {
            Place::Whole => {}
            Place::Line(n) => write!(f, ", line {n}")?,
            Place::Byte(n) => write!(f, ", byte {n}")?,
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

/// Names out of files may hold anything; a message is one line.
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
    /// An error about the file as a whole.
    pub(crate) fn whole(file: &str, fault: Fault, hint: impl Into<String>) -> ImportError {
        ImportError {
            file: file.to_string(),
            place: Place::Whole,
            section: String::new(),
            fault: Box::new(fault),
            hint: hint.into(),
        }
    }
}

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Note,
    /// Probably not what was meant.
    Warning,
}

/// Something that was repaired, ignored or looks wrong, in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How serious.
    pub level: Level,
    /// The sentence.
    pub text: String,
}

impl Notice {
    /// Good to know.
    pub fn note(text: impl Into<String>) -> Notice {
        Notice {
            level: Level::Note,
            text: one_line(&text.into()),
        }
    }

    /// Probably not what was meant.
    pub fn warning(text: impl Into<String>) -> Notice {
        Notice {
            level: Level::Warning,
            text: one_line(&text.into()),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Level::Note => write!(f, "note: {}", self.text),
            Level::Warning => write!(f, "warning: {}", self.text),
        }
    }
}
