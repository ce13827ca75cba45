//! Legacy VTK files, versions 1 to 5.1, ascii and binary (big-endian): unstructured grids and polygonal data.
//!
//! VTK file formats, "Simple Legacy Formats". Cells are lists `n p₁ … pₙ` up to version 4.2 and
//! `OFFSETS`/`CONNECTIVITY` since 5.0; the file decides, not the version it claims.

use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Content, Endian, Scan, shown};
use super::values::Number;
use super::vtk_legacy_data::attributes;
use super::{Format, vtk_cells, vtk_lists};
use vtk_lists::Lists;

/// A legacy file being read.
pub(crate) struct Reader<'a> {
    pub scan: Scan<'a>,
    pub binary: bool,
    pub draft: Draft,
}

/// Reads a legacy VTK file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let mut reader = Reader {
        scan: Scan::new(bytes, file),
        binary: false,
        draft: Draft::new(Format::Vtk),
    };
    reader.header()?;
    reader.dataset()?;
    Ok(reader.draft)
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<(), ImportError> {
        let scan = &mut self.scan;
        scan.section = "header";
        let first = scan.line().unwrap_or_default();
        let lower = first.to_ascii_lowercase();
        if lower.starts_with(b"#vtk datafile") {
            let line = shown(first);
            self.draft.warn(format!(
                "the first line is {line}: \"# vtk DataFile Version …\" is meant, with a blank after #"
            ));
        } else if !lower.starts_with(b"# vtk datafile") {
            let expected = "\"# vtk DataFile Version …\" on the first line";
            return Err(scan.unexpected(0, expected, first));
        }
        scan.line();
        let at = scan.pos;
        let mode = scan
            .line()
            .ok_or_else(|| scan.truncated("ASCII or BINARY in line 3"))?;
        self.binary = match mode.to_ascii_uppercase().as_slice() {
            b"ASCII" => false,
            b"BINARY" => true,
            _ => {
                let mut e = scan.unexpected(at, "ASCII or BINARY in line 3", mode);
                e.hint = "Line 2 is the title; is it missing?".to_string();
                return Err(e);
            }
        };
        scan.section = "";
        if self.binary {
            scan.content = Content::Binary;
        }
        Ok(())
    }

    /// The next keyword, upper case.
    pub fn keyword(&mut self) -> Option<Vec<u8>> {
        let word = self.scan.word()?;
        let upper = word.to_ascii_uppercase();
        if upper != word {
            let text = "keywords are written in lower case; they were read all the same";
            if self.draft.notices.iter().all(|n| n.text != text) {
                self.draft.note(text);
            }
        }
        Some(upper)
    }

    fn dataset(&mut self) -> Result<(), ImportError> {
        let word = self.scan.need("DATASET")?;
        if !word.eq_ignore_ascii_case(b"DATASET") {
            let at = self.scan.pos - word.len();
            return Err(self.scan.unexpected(at, "DATASET", word));
        }
        let kind = self.scan.need("the kind of DATASET")?;
        let polygons = match kind.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" => false,
            b"POLYDATA" => true,
            _ => {
                let what = format!("DATASET {}", shown(kind));
                let hint = "UNSTRUCTURED_GRID and POLYDATA are read.";
                return Err(self.scan.fail(Fault::Unsupported { what }, hint));
            }
        };
        let mut points = None;
        let mut cells: Option<Lists> = None;
        let mut types = None;
        while let Some(keyword) = self.keyword() {
            match keyword.as_slice() {
                b"POINTS" if points.is_none() => points = Some(self.points()?),
                b"CELLS" if !polygons && cells.is_none() => {
                    let n = points.ok_or_else(|| self.missing("POINTS before CELLS are"))?;
                    cells = Some(vtk_lists::read(self, "CELLS", n)?);
                }
                b"CELL_TYPES" if !polygons && types.is_none() => types = Some(self.cell_types()?),
                b"VERTICES" | b"LINES" | b"POLYGONS" | b"TRIANGLE_STRIPS" if polygons => {
                    let n = points.ok_or_else(|| self.missing("POINTS before cells are"))?;
                    self.poly(&keyword, n)?;
                }
                b"FIELD" | b"METADATA" | b"POINT_DATA" | b"CELL_DATA" => {
                    if let (Some(c), Some(t)) = (cells.take(), types.take()) {
                        self.cells(&c, &t)?;
                    }
                    if !attributes(self, &keyword)? {
                        break;
                    }
                }
                _ => {
                    let done = self.draft.seen > 0 || (cells.is_some() && types.is_some());
                    if !done {
                        let expected = "POINTS, CELLS or CELL_TYPES";
                        let at = self.scan.pos - keyword.len();
                        return Err(self.scan.unexpected(at, expected, &keyword));
                    }
                    let word = shown(&keyword);
                    self.draft.warn(format!("what follows {word} was ignored"));
                    break;
                }
            }
        }
        if points.is_none() {
            return Err(self.missing("POINTS are"));
        }
        match (cells, types) {
            (Some(c), Some(t)) => self.cells(&c, &t),
            (Some(_), None) => Err(self.missing("CELL_TYPES are")),
            (None, Some(_)) => Err(self.missing("CELLS are")),
            (None, None) => Ok(()),
        }
    }

    fn missing(&self, what: &str) -> ImportError {
        let what = what.to_string();
        let mut scan = self.scan.clone();
        scan.section = "";
        scan.fail(Fault::Missing { what }, "")
    }

    /// The type word of an array.
    pub fn number(&mut self) -> Result<Number, ImportError> {
        let word = self.scan.need("a type of numbers")?;
        Number::vtk(word).ok_or_else(|| {
            let at = self.scan.pos - word.len();
            self.scan
                .unexpected(at, "a type such as float, double or int", word)
        })
    }

    /// Binary data begin after the end of the line.
    pub fn begin_binary(&mut self) -> Result<(), ImportError> {
        while self.scan.remaining() > 0 && self.scan.bytes[self.scan.pos] != b'\n' {
            if !self.scan.bytes[self.scan.pos].is_ascii_whitespace() {
                let word = self.scan.need("the end of the line")?;
                let at = self.scan.pos - word.len();
                return Err(self.scan.unexpected(at, "the end of the line", word));
            }
            self.scan.pos += 1;
        }
        self.scan.take(1, "the end of the line").map(|_| ())
    }

    fn points(&mut self) -> Result<usize, ImportError> {
        self.scan.section = "POINTS";
        let n = self.scan.count("points")?;
        let number = self.number()?;
        let points = &mut self.draft.mesh.points;
        if self.binary {
            self.begin_binary()?;
            let start = self.scan.pos;
            let width = 3 * number.size();
            let bytes = self.scan.records(n, width, "points")?;
            let points = &mut self.draft.mesh.points;
            points.reserve_exact(bytes.len() / width);
            for (i, r) in bytes.chunks_exact(width).enumerate() {
                let p = [0, 1, 2].map(|k| number.float(r, k * number.size(), Endian::Big));
                if let Some(k) = p.iter().position(|x| !x.is_finite()) {
                    let fault = Fault::NotFinite {
                        what: format!("coordinate {} of point {i}", ["x", "y", "z"][k]),
                        found: format!("{} (NaN or infinite)", p[k]),
                    };
                    return Err(self.scan.fail_at(start + i * width, fault, ""));
                }
                points.push(p);
            }
        } else {
            points.reserve_exact(self.scan.room(n, 6));
            for i in 0..n {
                let mut p = [0.0; 3];
                for (x, axis) in p.iter_mut().zip(["x", "y", "z"]) {
                    *x = self.scan.float(|| format!("{axis} of point {i} of {n}"))?;
                }
                points.push(p);
            }
        }
        self.scan.section = "";
        if n > u64::from(u32::MAX) {
            let what = format!("{n} points (more than 4 billion)");
            return Err(self.scan.fail(Fault::Unsupported { what }, ""));
        }
        Ok(n as usize)
    }

    fn cell_types(&mut self) -> Result<Vec<u8>, ImportError> {
        self.scan.section = "CELL_TYPES";
        let n = self.scan.count("cell types")?;
        let mut types = Vec::with_capacity(self.scan.room(n, 2));
        let byte = |t: i64| u8::try_from(t).unwrap_or(u8::MAX);
        if self.binary {
            self.begin_binary()?;
            let bytes = self.scan.records(n, 4, "cell types")?;
            types.extend(
                bytes
                    .chunks_exact(4)
                    .map(|r| byte(Number::I32.int(r, 0, Endian::Big).unwrap_or(255))),
            );
        } else {
            for i in 0..n {
                types.push(byte(self.scan.int(|| format!("type {i} of {n}"))?));
            }
        }
        self.scan.section = "";
        Ok(types)
    }

    fn cells(&mut self, cells: &Lists, types: &[u8]) -> Result<(), ImportError> {
        self.scan.section = "CELLS";
        if types.len() != cells.len() {
            let fault = Fault::Count {
                what: "cell types".to_string(),
                declared: types.len().to_string(),
                found: format!("{} cells", cells.len()),
            };
            return Err(self.scan.fail(fault, "CELLS and CELL_TYPES must agree."));
        }
        self.draft.reserve(cells.len(), 4);
        let (scan, draft) = (&self.scan, &mut self.draft);
        cells.each(scan, |index, at, nodes| {
            vtk_cells::push(draft, scan, at, index, i64::from(types[index]), nodes)
        })?;
        self.scan.section = "";
        Ok(())
    }

    fn poly(&mut self, keyword: &[u8], points: usize) -> Result<(), ImportError> {
        let (name, id) = match keyword {
            b"VERTICES" => ("VERTICES", 2),
            b"LINES" => ("LINES", 4),
            b"POLYGONS" => ("POLYGONS", 7),
            _ => ("TRIANGLE_STRIPS", 6),
        };
        let lists = vtk_lists::read(self, name, points)?;
        let (scan, draft) = (&self.scan, &mut self.draft);
        lists.each(scan, |index, at, nodes| {
            vtk_cells::push(draft, scan, at, index, id, nodes)
        })
    }
}
