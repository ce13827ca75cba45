//! Lists of point numbers in legacy VTK files, in both layouts.

use super::error::{Fault, ImportError};
use super::scan::{Endian, Scan, parse_int, shown};
use super::values::Number;
use super::vtk_legacy::Reader;

/// Integers, parsed already or still in the file.
enum Integers<'a> {
    Parsed(Vec<u32>),
    Raw {
        bytes: &'a [u8],
        start: usize,
        number: Number,
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

    /// Where integer `i` stands in the file; `None` where that is forgotten.
    fn place(&self, i: usize) -> Option<usize> {
        match self {
            Integers::Parsed(_) => None,
            Integers::Raw { start, number, .. } => Some(start + i * number.size()),
        }
    }
}

/// The lists.
pub(crate) struct Lists<'a> {
    count: usize,
    points: usize,
    section_start: usize,
    /// Where each list starts; `None` where each list begins with its length.
    offsets: Option<Integers<'a>>,
    ids: Integers<'a>,
}

/// Reads the lists after the keyword `name`, of which there are `points` points to choose from.
pub(crate) fn read<'a>(
    reader: &mut Reader<'a>,
    name: &'static str,
    points: usize,
) -> Result<Lists<'a>, ImportError> {
    reader.scan.section = name;
    let section_start = reader.scan.pos;
    let count = reader.scan.count("cells")?;
    let size = reader.scan.count("numbers")?;
    let next = reader.scan.peek().unwrap_or_default();
    let mut lists = Lists {
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
            Some(k) => return Err(reader.scan.unexpected(reader.scan.pos, "CONNECTIVITY", &k)),
            None => return Err(reader.scan.truncated("CONNECTIVITY")),
        }
        lists.ids = integers(reader, size, "connectivity", points, section_start)?;
    } else if reader.binary {
        reader.begin_binary()?;
        let start = reader.scan.pos;
        let bytes = reader.scan.records(size, 4, "cells")?;
        lists.ids = Integers::Raw {
            bytes,
            start,
            number: Number::I32,
        };
        lists.count = usize::try_from(count).unwrap_or(usize::MAX);
        if lists.count > lists.ids.len() {
            return Err(size_fault(&reader.scan, size, format!("{count} cells")));
        }
    } else {
        lists.ids = Integers::Parsed(old_ascii(reader, count, size, points)?);
        lists.count = count as usize;
    }
    reader.scan.section = "";
    Ok(lists)
}

fn size_fault(scan: &Scan, size: u64, found: String) -> ImportError {
    let fault = Fault::Count {
        what: "numbers for the cells".to_string(),
        declared: size.to_string(),
        found,
    };
    let hint = "The second number after CELLS counts all numbers that follow, the lengths of the lists included.";
    scan.fail(fault, hint)
}

fn unknown_point(scan: &Scan, at: usize, cell: usize, node: String, points: usize) -> ImportError {
    let fault = Fault::Reference {
        element: format!("cell {cell}"),
        node,
        known: format!("there are only {points} points, numbered from 0"),
    };
    scan.fail_at(at, fault, "")
}

/// `n p₁ … pₙ`, cell after cell.
fn old_ascii(
    reader: &mut Reader,
    count: u64,
    size: u64,
    points: usize,
) -> Result<Vec<u32>, ImportError> {
    let scan = &mut reader.scan;
    let mut ids = Vec::with_capacity(scan.room(size, 2));
    for cell in 0..count {
        let word = scan
            .word()
            .ok_or_else(|| scan.truncated(format!("cell {cell} of {count}")))?;
        let length = parse_int(word).and_then(|n| u32::try_from(n).ok());
        let Some(length) = length else {
            let at = scan.pos - word.len();
            if word.first().is_some_and(u8::is_ascii_alphabetic) {
                let fault = Fault::Count {
                    what: "cells".to_string(),
                    declared: count.to_string(),
                    found: cell.to_string(),
                };
                return Err(scan.fail_at(at, fault, "The count and the list must agree."));
            }
            let expected = format!("the number of points of cell {cell}");
            return Err(scan.unexpected(at, expected, word));
        };
        ids.push(length);
        for _ in 0..length {
            let word = scan
                .word()
                .ok_or_else(|| scan.truncated(format!("a point of cell {cell} of {count}")))?;
            let id = parse_int(word)
                .and_then(|i| u32::try_from(i).ok())
                .filter(|&i| (i as usize) < points);
            ids.push(id.ok_or_else(|| {
                let node = shown(word).trim_matches('"').to_string();
                unknown_point(scan, scan.pos - word.len(), cell as usize, node, points)
            })?);
        }
    }
    let found = ids.len() as u64;
    if found != size {
        // Some writers put the number of cells there; nothing valid looks like that.
        if size != count || count == 0 {
            return Err(size_fault(
                scan,
                size,
                format!("{found} expected for {count} cells"),
            ));
        }
        reader.draft.warn(format!(
            "CELLS declares {size} numbers where {found} follow (the number of cells was written instead)"
        ));
    }
    Ok(ids)
}

/// An array of the new layout: type, then numbers below `limit`.
fn integers<'a>(
    reader: &mut Reader<'a>,
    n: u64,
    what: &str,
    limit: usize,
    section_start: usize,
) -> Result<Integers<'a>, ImportError> {
    let number = reader.number()?;
    if reader.binary {
        reader.begin_binary()?;
        let start = reader.scan.pos;
        let bytes = reader.scan.records(n, number.size(), what)?;
        return Ok(Integers::Raw {
            bytes,
            start,
            number,
        });
    }
    let scan = &mut reader.scan;
    let mut values = Vec::with_capacity(scan.room(n, 2));
    for i in 0..n {
        let word = scan
            .word()
            .ok_or_else(|| scan.truncated(format!("number {i} of {n} of {what}")))?;
        let value = parse_int(word).and_then(|v| u32::try_from(v).ok());
        match value.filter(|&v| (v as usize) < limit) {
            Some(v) => values.push(v),
            None if limit < usize::MAX && parse_int(word).is_some() => {
                let fault = Fault::Reference {
                    element: format!("entry {i} of CONNECTIVITY"),
                    node: shown(word).trim_matches('"').to_string(),
                    known: format!("there are only {limit} points, numbered from 0"),
                };
                return Err(scan.fail_at(scan.pos - word.len(), fault, ""));
            }
            None => {
                let at = scan.pos.max(section_start) - word.len();
                return Err(scan.unexpected(at, format!("number {i} of {n} of {what}"), word));
            }
        }
    }
    Ok(Integers::Parsed(values))
}

impl Lists<'_> {
    /// Number of lists.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Calls `f` with each list: its number, place in the file and points.
    pub fn each(
        &self,
        scan: &Scan,
        mut f: impl FnMut(usize, usize, &[u32]) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut nodes = Vec::new();
        let mut next = 0;
        for cell in 0..self.count {
            let (first, length) = self.extent(scan, cell, next)?;
            next = first + length;
            nodes.clear();
            for k in first..next {
                let id = self.ids.at(k);
                let valid = id
                    .and_then(|i| usize::try_from(i).ok())
                    .filter(|&i| i < self.points);
                let at = self.ids.place(k).unwrap_or(self.section_start);
                nodes.push(valid.ok_or_else(|| {
                    let node = id.map_or("that is not an integer".to_string(), |i| i.to_string());
                    unknown_point(scan, at, cell, node, self.points)
                })? as u32);
            }
            f(
                cell,
                self.ids
                    .place(first.min(self.ids.len().saturating_sub(1)))
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
            return Err(scan.fail_at(self.section_start, fault, ""));
        }
        Ok(())
    }

    /// First id and length of a cell; `next` is where the one before ended.
    fn extent(&self, scan: &Scan, cell: usize, next: usize) -> Result<(usize, usize), ImportError> {
        let total = self.ids.len();
        let wrong = |at: Option<usize>, found: String| {
            let fault = Fault::Unexpected {
                expected: format!("a possible size of cell {cell} ({total} numbers in all)"),
                found,
            };
            let hint = "Impossible: legacy VTK is big-endian; was the file written in the wrong byte order?";
            scan.fail_at(at.unwrap_or(self.section_start), fault, hint)
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
                        Err(wrong(self.ids.place(next), found))
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
                        offsets.place(cell + 1),
                        format!("offsets {a} and {b}"),
                    ))
                }
            }
        }
    }
}
