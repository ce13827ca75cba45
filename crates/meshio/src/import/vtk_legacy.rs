//! Reader of legacy VTK files, versions 1 to 5.1, text and binary (big-endian): unstructured grids and polygonal data.
//!
//! VTK file formats, "Simple Legacy Formats". Cells are lists `n p₁ … pₙ` up to version 4.2 and
//! `OFFSETS`/`CONNECTIVITY` since 5.0; the content decides, not the version in the header.

use super::error::{Fault, ImportError};
use super::lexer::{Content, Endian, Lexer, quoted};
use super::mesh_builder::MeshBuilder;
use super::scalar_type::ScalarType;
use super::vtk_legacy_data::attributes;
use super::{Format, vtk_cells, vtk_lists};
use vtk_lists::CellLists;

/// Legacy VTK file being read.
pub(crate) struct Reader<'a> {
    pub lexer: Lexer<'a>,
    pub binary: bool,
    pub builder: MeshBuilder,
}

/// Reads a legacy VTK file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut reader = Reader {
        lexer: Lexer::new(bytes, file),
        binary: false,
        builder: MeshBuilder::new(Format::Vtk),
    };
    reader.header()?;
    reader.dataset()?;
    Ok(reader.builder)
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<(), ImportError> {
        let lexer = &mut self.lexer;
        lexer.section = "header";
        let first = lexer.line().unwrap_or_default();
        let lower = first.to_ascii_lowercase();
        if lower.starts_with(b"#vtk datafile") {
            let line = quoted(first);
            self.builder.warn(format!(
                "the first line is {line} instead of \"# vtk DataFile Version …\": the blank after # is missing"
            ));
        } else if !lower.starts_with(b"# vtk datafile") {
            let expected = "\"# vtk DataFile Version …\" on the first line";
            return Err(lexer.unexpected(0, expected, first));
        }
        lexer.line();
        let at = lexer.pos;
        let mode = lexer
            .line()
            .ok_or_else(|| lexer.truncated("ASCII or BINARY in line 3"))?;
        self.binary = match mode.to_ascii_uppercase().as_slice() {
            b"ASCII" => false,
            b"BINARY" => true,
            _ => {
                let mut e = lexer.unexpected(at, "ASCII or BINARY in line 3", mode);
                e.hint = "Line 2 is the title; is it missing?".to_string();
                return Err(e);
            }
        };
        lexer.section = "";
        if self.binary {
            lexer.content = Content::Binary;
        }
        Ok(())
    }

    /// Reads the next keyword and converts it to upper case. Returns `None` at the end of the file.
    pub fn keyword(&mut self) -> Option<Vec<u8>> {
        let word = self.lexer.word()?;
        let upper = word.to_ascii_uppercase();
        if upper != word {
            let text = "keywords in lower case were accepted";
            if self.builder.notices.iter().all(|n| n.text != text) {
                self.builder.note(text);
            }
        }
        Some(upper)
    }

    fn dataset(&mut self) -> Result<(), ImportError> {
        let word = self.lexer.required_word("DATASET")?;
        if !word.eq_ignore_ascii_case(b"DATASET") {
            let at = self.lexer.pos - word.len();
            return Err(self.lexer.unexpected(at, "DATASET", word));
        }
        let kind = self.lexer.required_word("the kind of DATASET")?;
        let polygons = match kind.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" => false,
            b"POLYDATA" => true,
            _ => {
                let what = format!("DATASET {}", quoted(kind));
                let hint = "UNSTRUCTURED_GRID and POLYDATA are read.";
                return Err(self.lexer.error(Fault::Unsupported { what }, hint));
            }
        };
        let mut points = None;
        let mut cells: Option<CellLists> = None;
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
                    self.polydata_cells(&keyword, n)?;
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
                    let done = self.builder.cells_read > 0 || (cells.is_some() && types.is_some());
                    if !done {
                        let expected = "POINTS, CELLS or CELL_TYPES";
                        let at = self.lexer.pos - keyword.len();
                        return Err(self.lexer.unexpected(at, expected, &keyword));
                    }
                    let word = quoted(&keyword);
                    self.builder
                        .warn(format!("what follows {word} was ignored"));
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
        let mut lexer = self.lexer.clone();
        lexer.section = "";
        lexer.error(Fault::Missing { what }, "")
    }

    /// Reads the scalar type of an array.
    pub fn scalar_type(&mut self) -> Result<ScalarType, ImportError> {
        let word = self.lexer.required_word("a type of numbers")?;
        ScalarType::from_vtk_name(word).ok_or_else(|| {
            let at = self.lexer.pos - word.len();
            self.lexer
                .unexpected(at, "a type such as float, double or int", word)
        })
    }

    /// Skips the end of the line, after which binary data begin.
    pub fn begin_binary(&mut self) -> Result<(), ImportError> {
        while self.lexer.remaining() > 0 && self.lexer.bytes[self.lexer.pos] != b'\n' {
            if !self.lexer.bytes[self.lexer.pos].is_ascii_whitespace() {
                let word = self.lexer.required_word("the end of the line")?;
                let at = self.lexer.pos - word.len();
                return Err(self.lexer.unexpected(at, "the end of the line", word));
            }
            self.lexer.pos += 1;
        }
        self.lexer.take(1, "the end of the line").map(|_| ())
    }

    fn points(&mut self) -> Result<usize, ImportError> {
        self.lexer.section = "POINTS";
        let n = self.lexer.count("points")?;
        let number = self.scalar_type()?;
        let points = &mut self.builder.mesh.points;
        if self.binary {
            self.begin_binary()?;
            let start = self.lexer.pos;
            let width = 3 * number.size();
            let bytes = self.lexer.records(n, width, "points")?;
            let points = &mut self.builder.mesh.points;
            points.reserve_exact(bytes.len() / width);
            for (i, r) in bytes.chunks_exact(width).enumerate() {
                let p = [0, 1, 2].map(|k| number.float(r, k * number.size(), Endian::Big));
                if let Some(k) = p.iter().position(|x| !x.is_finite()) {
                    let fault = Fault::NotFinite {
                        what: format!("coordinate {} of point {i}", ["x", "y", "z"][k]),
                        found: format!("{} (NaN or infinite)", p[k]),
                    };
                    return Err(self.lexer.error_at(start + i * width, fault, ""));
                }
                points.push(p);
            }
        } else {
            points.reserve_exact(self.lexer.capacity(n, 6));
            for i in 0..n {
                let mut p = [0.0; 3];
                for (x, axis) in p.iter_mut().zip(["x", "y", "z"]) {
                    *x = self.lexer.float(|| format!("{axis} of point {i} of {n}"))?;
                }
                points.push(p);
            }
        }
        self.lexer.section = "";
        if n > u64::from(u32::MAX) {
            let what = format!("{n} points (more than 4 billion)");
            return Err(self.lexer.error(Fault::Unsupported { what }, ""));
        }
        Ok(n as usize)
    }

    fn cell_types(&mut self) -> Result<Vec<u8>, ImportError> {
        self.lexer.section = "CELL_TYPES";
        let n = self.lexer.count("cell types")?;
        let mut types = Vec::with_capacity(self.lexer.capacity(n, 2));
        let byte = |t: i64| u8::try_from(t).unwrap_or(u8::MAX);
        if self.binary {
            self.begin_binary()?;
            let bytes = self.lexer.records(n, 4, "cell types")?;
            types.extend(
                bytes
                    .chunks_exact(4)
                    .map(|r| byte(ScalarType::I32.int(r, 0, Endian::Big).unwrap_or(255))),
            );
        } else {
            for i in 0..n {
                types.push(byte(self.lexer.int(|| format!("type {i} of {n}"))?));
            }
        }
        self.lexer.section = "";
        Ok(types)
    }

    fn cells(&mut self, cells: &CellLists, types: &[u8]) -> Result<(), ImportError> {
        self.lexer.section = "CELLS";
        if types.len() != cells.len() {
            let fault = Fault::Count {
                what: "cell types".to_string(),
                declared: types.len().to_string(),
                found: format!("{} cells", cells.len()),
            };
            return Err(self.lexer.error(fault, "CELLS and CELL_TYPES must agree."));
        }
        self.builder.reserve(cells.len(), 4);
        let (lexer, builder) = (&self.lexer, &mut self.builder);
        cells.each(lexer, |index, at, nodes| {
            vtk_cells::push(builder, lexer, at, index, i64::from(types[index]), nodes)
        })?;
        self.lexer.section = "";
        Ok(())
    }

    /// Reads the cells of one section of polygonal data.
    fn polydata_cells(&mut self, keyword: &[u8], points: usize) -> Result<(), ImportError> {
        let (name, id) = match keyword {
            b"VERTICES" => ("VERTICES", 2),
            b"LINES" => ("LINES", 4),
            b"POLYGONS" => ("POLYGONS", 7),
            _ => ("TRIANGLE_STRIPS", 6),
        };
        let lists = vtk_lists::read(self, name, points)?;
        let (lexer, builder) = (&self.lexer, &mut self.builder);
        lists.each(lexer, |index, at, nodes| {
            vtk_cells::push(builder, lexer, at, index, id, nodes)
        })
    }
}
