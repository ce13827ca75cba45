//! Just enough XML for VTK's files: elements, attributes, text by place. No DTD, no entities but the five built in,
//! nothing is ever fetched.

use super::error::{Fault, ImportError};
use super::scan::{Scan, find, shown};

/// A start tag, with its content by place.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub name: &'a [u8],
    attributes: Vec<(&'a [u8], &'a [u8])>,
    /// Where the tag stands.
    pub at: usize,
    /// Where its content begins.
    pub content: usize,
    /// Where its end tag stands; set when that is met.
    pub end: usize,
    /// The element around it.
    pub parent: Option<usize>,
}

impl Element<'_> {
    /// An attribute, with the built-in entities replaced.
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

/// More elements than any mesh file has.
const MOST: usize = 1_000_000;

/// The elements of a file, in order. Raw appended data are not looked into.
pub(crate) fn parse<'a>(scan: &mut Scan<'a>) -> Result<Vec<Element<'a>>, ImportError> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    while let Some(at) = find(scan.bytes, b"<", scan.pos) {
        scan.pos = at;
        let rest = &scan.bytes[at..];
        if rest.starts_with(b"<?") {
            skip_to(scan, b"?>")?;
        } else if rest.starts_with(b"<!--") {
            skip_to(scan, b"-->")?;
        } else if rest.starts_with(b"<!") {
            let what = "a document type, entity or CDATA declaration (DTD/entities)".to_string();
            let hint = "Mesh files need none; remove it.";
            return Err(scan.fail(Fault::Forbidden { what }, hint));
        } else if rest.starts_with(b"</") {
            let Some(top) = open.pop() else {
                return Err(malformed(
                    scan,
                    at,
                    "an end tag without a start".to_string(),
                ));
            };
            scan.pos = at + 2;
            let name = tag_name(scan);
            if name != elements[top].name {
                let what = format!("{} ends with {}", shown(elements[top].name), shown(name));
                return Err(malformed(scan, at, what));
            }
            elements[top].end = at;
            skip_to(scan, b">")?;
        } else {
            if elements.len() >= MOST {
                let what = format!("a file of more than {MOST} XML elements");
                return Err(scan.fail(Fault::Unsupported { what }, ""));
            }
            let (mut element, empty) = start_tag(scan, at)?;
            element.parent = open.last().copied();
            if !empty {
                open.push(elements.len());
                if element.name == b"AppendedData" {
                    element.end = appended_end(scan, &element)?;
                    scan.pos = element.end;
                }
            }
            elements.push(element);
        }
    }
    match open.last() {
        None => Ok(elements),
        Some(&i) => {
            let what = format!(
                "{} is never closed (was the file cut?)",
                shown(elements[i].name)
            );
            Err(malformed(scan, scan.bytes.len(), what))
        }
    }
}

fn malformed(scan: &Scan, at: usize, what: String) -> ImportError {
    let what = format!("the XML is not well-formed: {what}");
    scan.fail_at(at, Fault::Corrupt { what }, "")
}

fn skip_to(scan: &mut Scan, end: &[u8]) -> Result<(), ImportError> {
    match find(scan.bytes, end, scan.pos) {
        Some(at) => {
            scan.pos = at + end.len();
            Ok(())
        }
        None => Err(malformed(
            scan,
            scan.pos,
            format!("{} is missing", shown(end)),
        )),
    }
}

/// Raw data may hold anything, so their end is looked for from the back.
fn appended_end(scan: &Scan, element: &Element) -> Result<usize, ImportError> {
    let end = b"</AppendedData";
    let body = &scan.bytes[element.content..];
    let last = body.windows(end.len()).rposition(|w| w == end);
    last.map(|k| element.content + k).ok_or_else(|| {
        malformed(
            scan,
            scan.bytes.len(),
            "AppendedData is never closed (was the file cut?)".to_string(),
        )
    })
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.') || b >= 0x80
}

fn tag_name<'a>(scan: &mut Scan<'a>) -> &'a [u8] {
    let start = scan.pos;
    while scan.pos < scan.bytes.len() && is_name(scan.bytes[scan.pos]) {
        scan.pos += 1;
    }
    &scan.bytes[start..scan.pos]
}

/// A start tag at the cursor; whether it is empty (`<a/>`).
fn start_tag<'a>(scan: &mut Scan<'a>, at: usize) -> Result<(Element<'a>, bool), ImportError> {
    scan.pos = at + 1;
    let name = tag_name(scan);
    if name.is_empty() {
        return Err(malformed(scan, at, "a < without a name".to_string()));
    }
    let mut attributes = Vec::new();
    loop {
        scan.skip_blank();
        let rest = &scan.bytes[scan.pos..];
        let empty = rest.starts_with(b"/>");
        if empty || rest.starts_with(b">") {
            scan.pos += if empty { 2 } else { 1 };
            let element = Element {
                name,
                attributes,
                at,
                content: scan.pos,
                end: scan.pos,
                parent: None,
            };
            return Ok((element, empty));
        }
        let key = tag_name(scan);
        scan.skip_blank();
        let equals = scan.bytes.get(scan.pos) == Some(&b'=');
        scan.pos += usize::from(equals);
        scan.skip_blank();
        let quote = scan.bytes.get(scan.pos).copied();
        let Some(quote @ (b'"' | b'\'')) = quote.filter(|_| equals && !key.is_empty()) else {
            let what = format!("an attribute of {} is damaged", shown(name));
            return Err(malformed(scan, scan.pos, what));
        };
        scan.pos += 1;
        let start = scan.pos;
        skip_to(scan, &[quote])?;
        attributes.push((key, &scan.bytes[start..scan.pos - 1]));
    }
}
