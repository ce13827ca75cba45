//! Reader of the point lists of cells in legacy VTK files, in both layouts.

use super::error::{Fault, ImportError};
use super::lexer::{Endian, Lexer, parse_int, quoted};
use super::scalar_type::ScalarType;
use super::vtk_legacy::Reader;

/// Array of integers, parsed from text or still in binary form.
enum Integers<'a> {
    Parsed(Vec<u32>),
    Raw {
        bytes: &'a [u8],
        start: usize,
        number: ScalarType,
    },
}

impl Integers<'_> {
    fn len(&self) -> usize {
        match self {
            Integers::Parsed(v) => v.len(),
            Integers::Raw { bytes, number, .. } => bytes.len() / number.size(),
        }
    }

    fn at(&self, i: usize) -> Option<i64> {
        match self {
            Integers::Parsed(v) => Some(i64::from(v[i])),
            Integers::Raw { bytes, number, .. } => {
                number.int(bytes, i * number.size(), Endian::Big)
            }
        }
    }

    /// Byte offset of integer `i` in the file. Returns `None` for parsed text.
    fn offset(&self, i: usize) -> Option<usize> {
        match self {
            Integers::Parsed(_) => None,
            Integers::Raw { start, number, .. } => Some(start + i * number.size()),
        }
    }
}

/// Point lists of cells.
pub(crate) struct CellLists<'a> {
    count: usize,
    points: usize,
    section_start: usize,
    /// Start of each list in `ids`; `None` if each list begins with its length.
    offsets: Option<Integers<'a>>,
    ids: Integers<'a>,
}

/// Reads the lists after the keyword `name`, for a mesh of `points` points.
pub(crate) fn read<'a>(
    reader: &mut Reader<'a>,
    name: &'static str,
    points: usize,
) -> Result<CellLists<'a>, ImportError> {
    reader.lexer.section = name;
    let section_start = reader.lexer.pos;
    let count = reader.lexer.count("cells")?;
    let size = reader.lexer.count("numbers")?;
    let next = reader.lexer.peek().unwrap_or_default();
    let mut lists = CellLists {
        count: 0,
        points,
        section_start,
        offsets: None,
        ids: Integers::Parsed(Vec::new()),
    };
    if next.eq_ignore_ascii_case(b"OFFSETS") {
        reader.keyword();
        lists.offsets = Some(integers(
            reader,
            count,
            "offsets",
            usize::MAX,
            section_start,
        )?);
        lists.count = (count as usize).saturating_sub(1);
        match reader.keyword() {
            Some(k) if k == b"CONNECTIVITY" => {}
            Some(k) => {
                return Err(reader
                    .lexer
                    .unexpected(reader.lexer.pos, "CONNECTIVITY", &k));
            }
            None => return Err(reader.lexer.truncated("CONNECTIVITY")),
        }
        lists.ids = integers(reader, size, "connectivity", points, section_start)?;
    } else if reader.binary {
        reader.begin_binary()?;
        let start = reader.lexer.pos;
        let bytes = reader.lexer.records(size, 4, "cells")?;
        lists.ids = Integers::Raw {
            bytes,
            start,
            number: ScalarType::I32,
        };
        lists.count = usize::try_from(count).unwrap_or(usize::MAX);
        if lists.count > lists.ids.len() {
            return Err(size_fault(&reader.lexer, size, format!("{count} cells")));
        }
    } else {
        lists.ids = Integers::Parsed(length_prefixed_text(reader, count, size, points)?);
        lists.count = count as usize;
    }
    reader.lexer.section = "";
    Ok(lists)
}

fn size_fault(lexer: &Lexer, size: u64, found: String) -> ImportError {
    let fault = Fault::Count {
        what: "numbers for the cells".to_string(),
        declared: size.to_string(),
        found,
    };
    let hint = "The second number after CELLS counts all numbers that follow, the lengths of the lists included.";
    lexer.error(fault, hint)
}

fn unknown_point(
    lexer: &Lexer,
    at: usize,
    cell: usize,
    node: String,
    points: usize,
) -> ImportError {
    let fault = Fault::Reference {
        element: format!("cell {cell}"),
        node,
        known: format!("there are only {points} points, numbered from 0"),
    };
    lexer.error_at(at, fault, "")
}

/// Reads the old layout `n p₁ … pₙ` of all cells from text.
fn length_prefixed_text(
    reader: &mut Reader,
    count: u64,
    size: u64,
    points: usize,
) -> Result<Vec<u32>, ImportError> {
    let lexer = &mut reader.lexer;
    let mut ids = Vec::with_capacity(lexer.capacity(size, 2));
    for cell in 0..count {
        let word = lexer
            .word()
            .ok_or_else(|| lexer.truncated(format!("cell {cell} of {count}")))?;
        let length = parse_int(word).and_then(|n| u32::try_from(n).ok());
        let Some(length) = length else {
            let at = lexer.pos - word.len();
            if word.first().is_some_and(u8::is_ascii_alphabetic) {
                let fault = Fault::Count {
                    what: "cells".to_string(),
                    declared: count.to_string(),
                    found: cell.to_string(),
                };
                return Err(lexer.error_at(at, fault, "The count and the list must agree."));
            }
            let expected = format!("the number of points of cell {cell}");
            return Err(lexer.unexpected(at, expected, word));
        };
        ids.push(length);
        for _ in 0..length {
            let word = lexer
                .word()
                .ok_or_else(|| lexer.truncated(format!("a point of cell {cell} of {count}")))?;
            let id = parse_int(word)
                .and_then(|i| u32::try_from(i).ok())
                .filter(|&i| (i as usize) < points);
            ids.push(id.ok_or_else(|| {
                let node = quoted(word).trim_matches('"').to_string();
                unknown_point(lexer, lexer.pos - word.len(), cell as usize, node, points)
            })?);
        }
    }
    let found = ids.len() as u64;
    if found != size {
        // Some writers put the number of cells there, which is never a valid count of numbers.
        if size != count || count == 0 {
            return Err(size_fault(
                lexer,
                size,
                format!("{found} expected for {count} cells"),
            ));
        }
        reader.builder.warn(format!(
            "CELLS declares {size} numbers where {found} follow (the number of cells was written instead)"
        ));
    }
    Ok(ids)
}

/// Reads an array of the new layout: its type, then numbers below `limit`.
fn integers<'a>(
    reader: &mut Reader<'a>,
    n: u64,
    what: &str,
    limit: usize,
    section_start: usize,
) -> Result<Integers<'a>, ImportError> {
    let number = reader.scalar_type()?;
    if reader.binary {
        reader.begin_binary()?;
        let start = reader.lexer.pos;
        let bytes = reader.lexer.records(n, number.size(), what)?;
        return Ok(Integers::Raw {
            bytes,
            start,
            number,
        });
    }
    let lexer = &mut reader.lexer;
    let mut values = Vec::with_capacity(lexer.capacity(n, 2));
    for i in 0..n {
        let word = lexer
            .word()
            .ok_or_else(|| lexer.truncated(format!("number {i} of {n} of {what}")))?;
        let value = parse_int(word).and_then(|v| u32::try_from(v).ok());
        match value.filter(|&v| (v as usize) < limit) {
            Some(v) => values.push(v),
            None if limit < usize::MAX && parse_int(word).is_some() => {
                let fault = Fault::Reference {
                    element: format!("entry {i} of CONNECTIVITY"),
                    node: quoted(word).trim_matches('"').to_string(),
                    known: format!("there are only {limit} points, numbered from 0"),
                };
                return Err(lexer.error_at(lexer.pos - word.len(), fault, ""));
            }
            None => {
                let at = lexer.pos.max(section_start) - word.len();
                return Err(lexer.unexpected(at, format!("number {i} of {n} of {what}"), word));
            }
        }
    }
    Ok(Integers::Parsed(values))
}

impl CellLists<'_> {
    /// Number of lists.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Calls `f` with the number, byte offset and points of each list.
    pub fn each(
        &self,
        lexer: &Lexer,
        mut f: impl FnMut(usize, usize, &[u32]) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut nodes = Vec::new();
        let mut next = 0;
        for cell in 0..self.count {
            let (first, length) = self.extent(lexer, cell, next)?;
            next = first + length;
            nodes.clear();
            for k in first..next {
                let id = self.ids.at(k);
                let valid = id
                    .and_then(|i| usize::try_from(i).ok())
                    .filter(|&i| i < self.points);
                let at = self.ids.offset(k).unwrap_or(self.section_start);
                nodes.push(valid.ok_or_else(|| {
                    let node = id.map_or("that is not an integer".to_string(), |i| i.to_string());
                    unknown_point(lexer, at, cell, node, self.points)
                })? as u32);
            }
            f(
                cell,
                self.ids
                    .offset(first.min(self.ids.len().saturating_sub(1)))
                    .unwrap_or(self.section_start),
                &nodes,
            )?;
        }
        if next != self.ids.len() {
            let fault = Fault::Count {
                what: "numbers for the cells".to_string(),
                declared: self.ids.len().to_string(),
                found: format!("{next} expected for {} cells", self.count),
            };
            return Err(lexer.error_at(self.section_start, fault, ""));
        }
        Ok(())
    }

    /// Start in `ids` and length of the list of a cell; `next` is the end of the previous list.
    fn extent(
        &self,
        lexer: &Lexer,
        cell: usize,
        next: usize,
    ) -> Result<(usize, usize), ImportError> {
        let total = self.ids.len();
        let wrong = |at: Option<usize>, found: String| {
            let fault = Fault::Unexpected {
                expected: format!("a possible size of cell {cell} ({total} numbers in all)"),
                found,
            };
            let hint = "Binary legacy VTK files are big-endian: check the byte order of the file.";
            lexer.error_at(at.unwrap_or(self.section_start), fault, hint)
        };
        match &self.offsets {
            None => {
                if next >= total {
                    return Err(wrong(None, "no numbers left".to_string()));
                }
                let length = self.ids.at(next);
                let fits = length
                    .and_then(|n| usize::try_from(n).ok())
                    .filter(|&n| n < total - next);
                match fits {
                    Some(n) => Ok((next + 1, n)),
                    None => {
                        let found = format!("{}", length.unwrap_or(-1));
                        Err(wrong(self.ids.offset(next), found))
                    }
                }
            }
            Some(offsets) => {
                let (a, b) = (offsets.at(cell), offsets.at(cell + 1));
                let (a, b) = (a.unwrap_or(-1), b.unwrap_or(-1));
                if a == next as i64 && b >= a && b <= total as i64 {
                    Ok((next, (b - a) as usize))
                } else {
                    Err(wrong(
                        offsets.offset(cell + 1),
                        format!("offsets {a} and {b}"),
                    ))
                }
            }
        }
    }
}
