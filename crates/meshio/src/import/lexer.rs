//! Lexer of text and binary files: words, numbers and fixed-size binary values, with errors that name the position.
//! Words are slices of the file; line numbers are counted only if an error needs one.

use super::error::{Fault, FilePosition, ImportError};

/// Byte order of binary values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// Content of a file: errors give a line in text and a byte offset in binary data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Text,
    Binary,
}

/// Lexer with a cursor over the bytes of a file.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    pub bytes: &'a [u8],
    /// Cursor: offset of the next byte.
    pub pos: usize,
    /// Name of the file in messages.
    pub file: &'a str,
    /// Current section in messages; may be empty.
    pub section: &'a str,
    pub content: Content,
    /// Byte that starts a comment up to the end of the line; 0 for none.
    pub comment: u8,
    /// Whether a backslash at the end of a line continues it on the next.
    pub line_continuation: bool,
}

/// Word in quotes for a message: shortened, and with control characters escaped.
pub(crate) fn quoted(word: &[u8]) -> String {
    let short = &word[..word.len().min(40)];
    let mut text = String::from("\"");
    for c in String::from_utf8_lossy(short).chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if word.len() > 40 {
        text.push('…');
    }
    text.push('"');
    text
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Lexer<'a> {
    /// Creates a lexer for text, with the cursor at the start.
    pub fn new(bytes: &'a [u8], file: &'a str) -> Lexer<'a> {
        Lexer {
            bytes,
            pos: 0,
            file,
            section: "",
            content: Content::Text,
            comment: 0,
            line_continuation: false,
        }
    }

    /// Creates an error at byte `at`.
    pub fn error_at(&self, at: usize, fault: Fault, hint: impl Into<String>) -> ImportError {
        let at = at.min(self.bytes.len());
        let position = match self.content {
            Content::Binary => FilePosition::Byte(at),
            Content::Text => {
                FilePosition::Line(1 + self.bytes[..at].iter().filter(|&&b| b == b'\n').count())
            }
        };
        ImportError {
            file: self.file.to_string(),
            position,
            section: self.section.to_string(),
            fault: Box::new(fault),
            hint: hint.into(),
        }
    }

    /// Creates an error at the cursor.
    pub fn error(&self, fault: Fault, hint: impl Into<String>) -> ImportError {
        self.error_at(self.pos, fault, hint)
    }

    /// Creates the error "expected …, found …" at byte `at`.
    pub fn unexpected(&self, at: usize, expected: impl Into<String>, found: &[u8]) -> ImportError {
        let fault = Fault::Unexpected {
            expected: expected.into(),
            found: quoted(found),
        };
        self.error_at(at, fault, "")
    }

    /// Creates the error of a file that ends before `expected`.
    pub fn truncated(&self, expected: impl Into<String>) -> ImportError {
        let fault = Fault::Truncated {
            expected: expected.into(),
        };
        self.error_at(
            self.bytes.len(),
            fault,
            "The file is probably truncated: write or copy it again.",
        )
    }

    /// Number of bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// Number of items to reserve memory for: `declared`, but no more than the rest of the file can hold at `min_bytes`
    /// each.
    pub fn capacity(&self, declared: u64, min_bytes: usize) -> usize {
        let possible = self.remaining() / min_bytes.max(1) + 1;
        usize::try_from(declared).map_or(possible, |d| d.min(possible))
    }

    /// Skips blanks, line ends and comments.
    pub fn skip_blank(&mut self) {
        loop {
            self.skip_inline();
            match self.bytes.get(self.pos) {
                Some(b'\n') => self.pos += 1,
                _ => return,
            }
        }
    }

    /// Skips blanks and comments without leaving the line.
    pub fn skip_inline(&mut self) {
        while let Some(&b) = self.bytes.get(self.pos) {
            if b == b'\n' {
                return;
            } else if is_blank(b) {
                self.pos += 1;
            } else if b == self.comment && b != 0 {
                let rest = &self.bytes[self.pos..];
                self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else if b == b'\\' && self.line_continuation {
                let rest = &self.bytes[self.pos + 1..];
                let blanks = rest
                    .iter()
                    .take_while(|&&b| b != b'\n' && is_blank(b))
                    .count();
                if rest.get(blanks).is_some_and(|&b| b != b'\n') {
                    return;
                }
                self.pos = (self.pos + blanks + 2).min(self.bytes.len());
            } else {
                return;
            }
        }
    }

    /// Reads up to the next blank.
    fn take_word(&mut self) -> &'a [u8] {
        let start = self.pos;
        while self.pos < self.bytes.len() && !is_blank(self.bytes[self.pos]) {
            self.pos += 1;
        }
        &self.bytes[start..self.pos]
    }

    /// Reads the next word on any line. Returns `None` at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        (self.pos < self.bytes.len()).then(|| self.take_word())
    }

    /// Reads the next word of this line. Returns `None` at the end of the line.
    pub fn word_in_line(&mut self) -> Option<&'a [u8]> {
        self.skip_inline();
        (self.pos < self.bytes.len() && self.bytes[self.pos] != b'\n').then(|| self.take_word())
    }

    /// Next word, without moving the cursor.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.clone().word()
    }

    /// Reads the rest of this line, without blanks at its ends. Returns `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.pos >= self.bytes.len() {
            return None;
        }
        let rest = &self.bytes[self.pos..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.pos = (self.pos + length + 1).min(self.bytes.len());
        Some(rest[..length].trim_ascii())
    }

    /// Reads the next word. The end of the file is an error.
    pub fn required_word(&mut self, expected: &str) -> Result<&'a [u8], ImportError> {
        self.word().ok_or_else(|| self.truncated(expected))
    }

    /// Parses a word that ends at the cursor as a finite number.
    pub fn float_of(&self, word: &[u8], what: impl Fn() -> String) -> Result<f64, ImportError> {
        match parse_float(word) {
            Some(x) if x.is_finite() => Ok(x),
            Some(_) => {
                let overflow = word.iter().any(|b| b.is_ascii_digit());
                let fault = Fault::NotFinite {
                    what: what(),
                    found: if overflow {
                        format!("{}, which overflows double precision", quoted(word))
                    } else {
                        "NaN or infinite ".to_string() + &quoted(word)
                    },
                };
                Err(self.error_at(self.pos - word.len(), fault, ""))
            }
            None => {
                let fault = Fault::Unexpected {
                    expected: format!("a number for {}", what()),
                    found: quoted(word),
                };
                let hint = if word.contains(&b',') {
                    "Not a number: write decimals with a point, not a comma."
                } else if word.starts_with(b"0x") {
                    "Not a decimal number: hexadecimal numbers are not read."
                } else {
                    "Not a number."
                };
                Err(self.error_at(self.pos - word.len(), fault, hint))
            }
        }
    }

    /// Reads the next word as a finite number.
    pub fn float(&mut self, what: impl Fn() -> String) -> Result<f64, ImportError> {
        match self.word() {
            Some(word) => self.float_of(word, what),
            None => Err(self.truncated(what())),
        }
    }

    /// Parses a word that ends at the cursor as an integer.
    pub fn int_of(&self, word: &[u8], what: impl Fn() -> String) -> Result<i64, ImportError> {
        parse_int(word).ok_or_else(|| {
            self.unexpected(
                self.pos - word.len(),
                format!("an integer for {}", what()),
                word,
            )
        })
    }

    /// Reads the next word as an integer.
    pub fn int(&mut self, what: impl Fn() -> String) -> Result<i64, ImportError> {
        match self.word() {
            Some(word) => self.int_of(word, what),
            None => Err(self.truncated(what())),
        }
    }

    /// Reads the next word as a count.
    pub fn count(&mut self, what: &str) -> Result<u64, ImportError> {
        let n = self.int(|| format!("the number of {what}"))?;
        u64::try_from(n).map_err(|_| {
            let fault = Fault::Unexpected {
                expected: format!("a number of {what}"),
                found: n.to_string(),
            };
            self.error(fault, "")
        })
    }

    /// Reads the next `n` bytes.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], ImportError> {
        if n > self.remaining() {
            let fault = Fault::Truncated {
                expected: format!("{n} bytes of {what}, {} remain", self.remaining()),
            };
            let hint =
                "The declared size exceeds the size of the file, which is probably truncated.";
            return Err(self.error(fault, hint));
        }
        let taken = &self.bytes[self.pos..self.pos + n];
        self.pos += n;
        Ok(taken)
    }

    /// Reads the next `n` records of `size` bytes. If the file is shorter, the error comes before any allocation.
    pub fn records(&mut self, n: u64, size: usize, what: &str) -> Result<&'a [u8], ImportError> {
        match usize::try_from(n).ok().and_then(|n| n.checked_mul(size)) {
            Some(length) => self.take(length, what),
            None => self.take(usize::MAX, what),
        }
    }

    /// Reads a 4-byte integer.
    pub fn i32(&mut self, endian: Endian, what: &str) -> Result<i32, ImportError> {
        Ok(i32_at(self.take(4, what)?, 0, endian))
    }

    /// Reads an 8-byte unsigned integer.
    pub fn u64(&mut self, endian: Endian, what: &str) -> Result<u64, ImportError> {
        Ok(u64_at(self.take(8, what)?, 0, endian))
    }

    /// Reads a double.
    pub fn f64(&mut self, endian: Endian, what: &str) -> Result<f64, ImportError> {
        Ok(f64_at(self.take(8, what)?, 0, endian))
    }
}

/// Parses a decimal number, with `e` or Fortran's `d` exponents. The result may be infinite or NaN.
pub(crate) fn parse_float(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    match text.parse() {
        Ok(x) => Some(x),
        Err(_) if text.len() < 64 && text.contains(['d', 'D']) => {
            text.replace(['d', 'D'], "e").parse().ok()
        }
        Err(_) => None,
    }
}

/// Parses a whole word as an integer.
pub(crate) fn parse_int(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() {
        return None;
    }
    let mut n: i64 = 0;
    for &b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        n = n.checked_mul(10)?.checked_add(i64::from(b - b'0'))?;
    }
    Some(if negative { -n } else { n })
}

/// Copies `N` bytes at offset `at`; the caller has checked the length.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut a = [0; N];
    a.copy_from_slice(&bytes[at..at + N]);
    a
}

macro_rules! value_at {
    ($($name:ident: $type:ty),*) => {$(
        /// Decodes the value at a byte offset; the caller has checked the length.
        pub(crate) fn $name(bytes: &[u8], at: usize, endian: Endian) -> $type {
            match endian {
                Endian::Little => <$type>::from_le_bytes(array(bytes, at)),
                Endian::Big => <$type>::from_be_bytes(array(bytes, at)),
            }
        }
    )*};
}
value_at!(i16_at: i16, u16_at: u16, i32_at: i32, u32_at: u32, i64_at: i64, u64_at: u64, f32_at: f32, f64_at: f64);

/// Finds the first occurrence of `needle` in `hay` at or after `from`.
pub(crate) fn find(hay: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = from;
    while at + needle.len() <= hay.len() {
        match hay[at..=hay.len() - needle.len()]
            .iter()
            .position(|&b| b == first)
        {
            None => return None,
            Some(k) => {
                at += k;
                if hay[at..].starts_with(needle) {
                    return Some(at);
                }
                at += 1;
            }
        }
    }
    None
}
