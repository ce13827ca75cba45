//! Reader of the arrays of .vtu files in all encodings, number by number.

use super::codec::{Layout, decode};
use super::error::{Fault, ImportError};
use super::lexer::{Content, Lexer, parse_float, parse_int, quoted};
use super::scalar_type::ScalarType;
use super::vtu::Reader;
use super::xml::Element;

impl Reader<'_> {
    /// Calls `sink` with each value of an array as a double.
    pub fn floats(
        &self,
        array: usize,
        name: &str,
        expected: Option<usize>,
        sink: &mut dyn FnMut(f64) -> Result<(), Fault>,
    ) -> Result<(), ImportError> {
        self.each(array, name, expected, &mut |value| match value {
            Value::Word(word) => match parse_float(word) {
                Some(x) => sink(x),
                None => Err(not_a_number(word)),
            },
            Value::Binary(number, bytes) => sink(number.float(bytes, 0, self.layout.endian)),
        })
    }

    /// Calls `sink` with each integer of an array.
    pub fn ints(
        &self,
        array: usize,
        name: &str,
        expected: Option<usize>,
        sink: &mut dyn FnMut(i64) -> Result<(), Fault>,
    ) -> Result<(), ImportError> {
        self.each(array, name, expected, &mut |value| match value {
            Value::Word(word) => match parse_int(word) {
                Some(i) => sink(i),
                None => Err(not_a_number(word)),
            },
            Value::Binary(number, bytes) => match number.int(bytes, 0, self.layout.endian) {
                Some(i) => sink(i),
                None => Err(Fault::Corrupt {
                    what: format!("{name} contains a number that is not an integer"),
                }),
            },
        })
    }

    /// Calls `sink` with each value of an array; there must be `expected` values if that is given.
    fn each(
        &self,
        array: usize,
        name: &str,
        expected: Option<usize>,
        sink: &mut dyn FnMut(Value) -> Result<(), Fault>,
    ) -> Result<(), ImportError> {
        let e = &self.elements[array];
        let name = quoted(name.as_bytes());
        let name = name.trim_matches('"');
        let kind = e.attribute("type").unwrap_or_default();
        let Some(number) = ScalarType::from_vtk_xml_name(&kind) else {
            let what = format!(
                "type \"{}\" of array \"{name}\"",
                kind.chars().take(40).collect::<String>()
            );
            return Err(self.fault(e.at, Fault::Unsupported { what }));
        };
        match e.attribute("format").as_deref() {
            Some("ascii") | None => self.ascii(e, name, expected, sink),
            Some("binary") => {
                let bytes = &self.lexer.bytes[e.content..e.end];
                let layout = Layout {
                    base64: true,
                    ..self.layout
                };
                self.binary(e, name, number, bytes, layout, expected, sink)
            }
            Some("appended") => {
                let (bytes, base64) = self.appended_at(e)?;
                let layout = Layout {
                    base64,
                    ..self.layout
                };
                self.binary(e, name, number, bytes, layout, expected, sink)
            }
            Some(other) => {
                let what = format!(
                    "format \"{}\" of array \"{name}\"",
                    other.chars().take(40).collect::<String>()
                );
                Err(self.fault(e.at, Fault::Unsupported { what }))
            }
        }
    }

    fn appended_at(&self, e: &Element) -> Result<(&[u8], bool), ImportError> {
        let Some((start, end, base64)) = self.appended else {
            let what = "the AppendedData are".to_string();
            return Err(self.fault(e.at, Fault::Missing { what }));
        };
        let offset = e.attribute("offset").unwrap_or_default();
        let place = offset
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|o| start.checked_add(o));
        match place.filter(|&p| p <= end) {
            Some(p) => Ok((&self.lexer.bytes[p..end], base64)),
            None => {
                let fault = Fault::Unexpected {
                    expected: format!(
                        "an offset within the {} bytes of appended data",
                        end - start
                    ),
                    found: format!("\"{}\"", offset.chars().take(40).collect::<String>()),
                };
                Err(self.lexer.error_at(
                    e.at,
                    fault,
                    "The offset is outside the appended data: the file may be truncated.",
                ))
            }
        }
    }

    fn wrong_count(&self, e: &Element, name: &str, found: u64, expected: usize) -> ImportError {
        let fault = Fault::Count {
            what: format!("values in the array \"{name}\""),
            declared: expected.to_string(),
            found: found.to_string(),
        };
        self.lexer.error_at(
            e.at,
            fault,
            "The counts of the Piece and its arrays must agree.",
        )
    }

    fn ascii(
        &self,
        e: &Element,
        name: &str,
        expected: Option<usize>,
        sink: &mut dyn FnMut(Value) -> Result<(), Fault>,
    ) -> Result<(), ImportError> {
        let mut lexer = Lexer {
            bytes: &self.lexer.bytes[..e.end],
            pos: e.content,
            ..self.lexer.clone()
        };
        let mut found = 0;
        while let Some(word) = lexer.word() {
            found += 1;
            if expected.is_some_and(|n| found > n as u64) {
                continue;
            }
            sink(Value::Word(word)).map_err(|f| lexer.error_at(lexer.pos - word.len(), f, ""))?;
        }
        match expected {
            Some(n) if n as u64 != found => Err(self.wrong_count(e, name, found, n)),
            _ => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "they describe one array")]
    fn binary(
        &self,
        e: &Element,
        name: &str,
        number: ScalarType,
        bytes: &[u8],
        layout: Layout,
        expected: Option<usize>,
        sink: &mut dyn FnMut(Value) -> Result<(), Fault>,
    ) -> Result<(), ImportError> {
        let lexer = Lexer {
            content: Content::Binary,
            ..self.lexer.clone()
        };
        let size = number.size();
        let wanted = expected.map(|n| n as u64 * size as u64);
        let mut refused = None;
        // A number may extend over two blocks.
        let mut partial: Vec<u8> = Vec::new();
        let mut feed = |piece: &[u8]| -> Result<(), Fault> {
            let mut piece = piece;
            if !partial.is_empty() {
                let take = (size - partial.len()).min(piece.len());
                partial.extend_from_slice(&piece[..take]);
                piece = &piece[take..];
                if partial.len() < size {
                    return Ok(());
                }
                sink(Value::Binary(number, &partial))?;
                partial.clear();
            }
            let whole = piece.chunks_exact(size);
            partial.extend_from_slice(whole.remainder());
            for bytes in whole {
                sink(Value::Binary(number, bytes))?;
            }
            Ok(())
        };
        let result = decode(bytes, layout, wanted, &mut |piece| {
            feed(piece).map_err(|f| {
                refused = Some(f);
                String::new()
            })
        });
        match (refused, result) {
            (Some(fault), _) => Err(lexer.error_at(e.at, fault, "")),
            (None, Ok(_)) => Ok(()),
            (None, Err(what)) => {
                let what = format!("array \"{name}\": {what}");
                Err(lexer.error_at(e.at, Fault::Corrupt { what }, ""))
            }
        }
    }
}

/// Number of an array as stored in the file.
enum Value<'a> {
    Word(&'a [u8]),
    Binary(ScalarType, &'a [u8]),
}

fn not_a_number(word: &[u8]) -> Fault {
    let hint = if word.first() == Some(&b'&') {
        " (entities are not allowed)"
    } else {
        ""
    };
    Fault::Unexpected {
        expected: "a number".to_string(),
        found: format!("{}{hint}", quoted(word)),
    }
}
