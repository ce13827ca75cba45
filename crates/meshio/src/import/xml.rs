//! Parser of the subset of XML that VTK files use: elements, attributes and the position of text. DTDs and entities
//! other than the five built-in ones are refused, and no other file is opened.

use super::error::{Fault, ImportError};
use super::lexer::{Lexer, find, quoted};

/// XML element: its attributes, and the positions of its tags and content.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub name: &'a [u8],
    attributes: Vec<(&'a [u8], &'a [u8])>,
    /// Byte offset of the start tag.
    pub at: usize,
    /// Byte offset of the content.
    pub content: usize,
    /// Byte offset of the end tag.
    pub end: usize,
    /// Index of the enclosing element.
    pub parent: Option<usize>,
}

impl Element<'_> {
    /// Value of an attribute, with the built-in entities replaced. Returns `None` if the element does not have it.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self
            .attributes
            .iter()
            .find(|(n, _)| *n == name.as_bytes())?;
        let text = String::from_utf8_lossy(value).into_owned();
        Some(if text.contains('&') {
            text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&")
        } else {
            text
        })
    }
}

/// Most elements of a file.
const MAX_ELEMENTS: usize = 1_000_000;

/// Parses the elements of a file, in order. Raw appended data are skipped.
pub(crate) fn parse<'a>(lexer: &mut Lexer<'a>) -> Result<Vec<Element<'a>>, ImportError> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    while let Some(at) = find(lexer.bytes, b"<", lexer.pos) {
        lexer.pos = at;
        let rest = &lexer.bytes[at..];
        if rest.starts_with(b"<?") {
            skip_to(lexer, b"?>")?;
        } else if rest.starts_with(b"<!--") {
            skip_to(lexer, b"-->")?;
        } else if rest.starts_with(b"<!") {
            let what = "a document type, entity or CDATA declaration (DTD/entities)".to_string();
            let hint = "Mesh files need none; remove it.";
            return Err(lexer.error(Fault::Forbidden { what }, hint));
        } else if rest.starts_with(b"</") {
            let Some(top) = open.pop() else {
                return Err(malformed(
                    lexer,
                    at,
                    "an end tag without a start".to_string(),
                ));
            };
            lexer.pos = at + 2;
            let name = tag_name(lexer);
            if name != elements[top].name {
                let what = format!("{} ends with {}", quoted(elements[top].name), quoted(name));
                return Err(malformed(lexer, at, what));
            }
            elements[top].end = at;
            skip_to(lexer, b">")?;
        } else {
            if elements.len() >= MAX_ELEMENTS {
                let what = format!("a file of more than {MAX_ELEMENTS} XML elements");
                return Err(lexer.error(Fault::Unsupported { what }, ""));
            }
            let (mut element, empty) = start_tag(lexer, at)?;
            element.parent = open.last().copied();
            if !empty {
                open.push(elements.len());
                if element.name == b"AppendedData" {
                    element.end = appended_end(lexer, &element)?;
                    lexer.pos = element.end;
                }
            }
            elements.push(element);
        }
    }
    match open.last() {
        None => Ok(elements),
        Some(&i) => {
            let what = format!(
                "{} is never closed (the file may be truncated)",
                quoted(elements[i].name)
            );
            Err(malformed(lexer, lexer.bytes.len(), what))
        }
    }
}

fn malformed(lexer: &Lexer, at: usize, what: String) -> ImportError {
    let what = format!("the XML is not well-formed: {what}");
    lexer.error_at(at, Fault::Corrupt { what }, "")
}

fn skip_to(lexer: &mut Lexer, end: &[u8]) -> Result<(), ImportError> {
    match find(lexer.bytes, end, lexer.pos) {
        Some(at) => {
            lexer.pos = at + end.len();
            Ok(())
        }
        None => Err(malformed(
            lexer,
            lexer.pos,
            format!("{} is missing", quoted(end)),
        )),
    }
}

/// Finds the end tag of the appended data, searching backwards because raw data may contain any bytes.
fn appended_end(lexer: &Lexer, element: &Element) -> Result<usize, ImportError> {
    let end = b"</AppendedData";
    let body = &lexer.bytes[element.content..];
    let last = body.windows(end.len()).rposition(|w| w == end);
    last.map(|k| element.content + k).ok_or_else(|| {
        malformed(
            lexer,
            lexer.bytes.len(),
            "AppendedData is never closed (the file may be truncated)".to_string(),
        )
    })
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.') || b >= 0x80
}

fn tag_name<'a>(lexer: &mut Lexer<'a>) -> &'a [u8] {
    let start = lexer.pos;
    while lexer.pos < lexer.bytes.len() && is_name(lexer.bytes[lexer.pos]) {
        lexer.pos += 1;
    }
    &lexer.bytes[start..lexer.pos]
}

/// Parses the start tag at byte `at`. Returns the element and whether it is empty (`<a/>`).
fn start_tag<'a>(lexer: &mut Lexer<'a>, at: usize) -> Result<(Element<'a>, bool), ImportError> {
    lexer.pos = at + 1;
    let name = tag_name(lexer);
    if name.is_empty() {
        return Err(malformed(lexer, at, "a < without a name".to_string()));
    }
    let mut attributes = Vec::new();
    loop {
        lexer.skip_blank();
        let rest = &lexer.bytes[lexer.pos..];
        let empty = rest.starts_with(b"/>");
        if empty || rest.starts_with(b">") {
            lexer.pos += if empty { 2 } else { 1 };
            let element = Element {
                name,
                attributes,
                at,
                content: lexer.pos,
                end: lexer.pos,
                parent: None,
            };
            return Ok((element, empty));
        }
        let key = tag_name(lexer);
        lexer.skip_blank();
        let equals = lexer.bytes.get(lexer.pos) == Some(&b'=');
        lexer.pos += usize::from(equals);
        lexer.skip_blank();
        let quote = lexer.bytes.get(lexer.pos).copied();
        let Some(quote @ (b'"' | b'\'')) = quote.filter(|_| equals && !key.is_empty()) else {
            let what = format!("an attribute of {} is damaged", quoted(name));
            return Err(malformed(lexer, lexer.pos, what));
        };
        lexer.pos += 1;
        let start = lexer.pos;
        skip_to(lexer, &[quote])?;
        attributes.push((key, &lexer.bytes[start..lexer.pos - 1]));
    }
}
