//! Reader of STL files, binary and text. Corners of triangles that coincide exactly are welded, as the format has no
//! other way to connect triangles. A file is binary if its size is that of a binary file, whatever its header.

use std::collections::HashMap;

use mesh::{CellKind, Group};

use super::Format;
use super::cells::CellType;
use super::error::{Fault, ImportError};
use super::lexer::{Content, Endian, Lexer, f32_at, u32_at};
use super::mesh_builder::MeshBuilder;

const TRIANGLE: CellType = CellType::of_kind(CellKind::Tri3);

/// Reads an STL file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let lexer = Lexer::new(bytes, file);
    let count = (bytes.len() >= 84).then(|| u64::from(u32_at(bytes, 80, Endian::Little)));
    let size = count.map(|n| 84 + 50 * n);
    let is_text = starts_with_ignore_case(bytes.trim_ascii_start(), b"solid");
    let mut reader = Reader {
        lexer,
        builder: MeshBuilder::new(Format::Stl),
        welded: HashMap::new(),
        corners: 0,
    };
    match (count, size) {
        (Some(n), Some(size)) if size == bytes.len() as u64 => reader.binary(n)?,
        _ if is_text => reader.ascii()?,
        (Some(n), Some(size)) if size < bytes.len() as u64 && n > 0 => {
            let extra = bytes.len() as u64 - size;
            let text = format!("the bytes after the last triangle ({extra}) were ignored");
            reader.builder.warn(text);
            reader.binary(n)?;
        }
        (Some(n), Some(size)) => {
            let fault = Fault::Truncated {
                expected: format!(
                    "{size} bytes for {n} triangles, the file has {}",
                    bytes.len()
                ),
            };
            let mut lexer = reader.lexer;
            lexer.content = Content::Binary;
            return Err(lexer.error_at(bytes.len(), fault, "The file is probably truncated."));
        }
        _ => {
            let first = &bytes[..bytes.len().min(24)];
            let mut e =
                reader
                    .lexer
                    .unexpected(0, "\"solid\" or a binary STL of at least 84 bytes", first);
            e.hint = "Unexpected end of file, or not STL.".to_string();
            return Err(e);
        }
    }
    let (corners, points) = (reader.corners, reader.builder.mesh.points.len());
    if points < corners {
        reader
            .builder
            .note(format!("{corners} corners were welded to {points} points"));
    }
    Ok(reader.builder)
}

fn starts_with_ignore_case(bytes: &[u8], word: &[u8]) -> bool {
    bytes
        .get(..word.len())
        .is_some_and(|s| s.eq_ignore_ascii_case(word))
}

/// STL file being read.
struct Reader<'a> {
    lexer: Lexer<'a>,
    builder: MeshBuilder,
    /// Point at each position, by the bits of the coordinates.
    welded: HashMap<[u64; 3], u32>,
    /// Number of corners read.
    corners: usize,
}

impl Reader<'_> {
    /// Returns the point at a position, adding it if it is new.
    fn corner(&mut self, point: [f64; 3]) -> u32 {
        self.corners += 1;
        // Adding zero makes −0 and 0 the same point.
        let key = point.map(|x| (x + 0.0).to_bits());
        let points = &mut self.builder.mesh.points;
        *self.welded.entry(key).or_insert_with(|| {
            points.push(point);
            points.len() as u32 - 1
        })
    }

    fn binary(&mut self, n: u64) -> Result<(), ImportError> {
        self.lexer.content = Content::Binary;
        self.lexer.pos = 84;
        let records = self.lexer.records(n, 50, "triangles")?;
        self.builder.reserve(records.len() / 50, 3);
        for (i, r) in records.chunks_exact(50).enumerate() {
            let at = 84 + 50 * i;
            let mut nodes = [0; 3];
            for (k, node) in nodes.iter_mut().enumerate() {
                let start = 12 + 12 * k;
                let point = [0, 4, 8].map(|b| f64::from(f32_at(r, start + b, Endian::Little)));
                if point.iter().any(|x| !x.is_finite()) {
                    let fault = Fault::NotFinite {
                        what: format!("a coordinate of triangle {i}"),
                        found: format!("{point:?} (NaN or infinite)"),
                    };
                    return Err(self.lexer.error_at(at, fault, ""));
                }
                *node = self.corner(point);
            }
            let label = || format!("triangle {i}");
            self.builder
                .push(&self.lexer, at, label, &TRIANGLE, &nodes)?;
        }
        Ok(())
    }

    fn ascii(&mut self) -> Result<(), ImportError> {
        let mut count = 0;
        let mut solid: Option<(String, u32)> = None;
        while let Some(word) = self.lexer.word() {
            let at = self.lexer.pos - word.len();
            match word.to_ascii_lowercase().as_slice() {
                b"solid" => {
                    let name = self.lexer.line().unwrap_or_default();
                    let name = String::from_utf8_lossy(name).into_owned();
                    solid = Some((name, self.builder.mesh.len() as u32));
                }
                b"endsolid" => {
                    self.lexer.line();
                    self.end_solid(solid.take());
                }
                b"facet" => {
                    count += 1;
                    self.facet(count)?;
                }
                _ => return Err(self.lexer.unexpected(at, "facet or endsolid", word)),
            }
        }
        if solid.is_some() {
            return Err(self.lexer.truncated("endsolid"));
        }
        Ok(())
    }

    fn end_solid(&mut self, solid: Option<(String, u32)>) {
        let end = self.builder.mesh.len() as u32;
        if let Some((name, first)) = solid.filter(|(name, first)| !name.is_empty() && *first < end)
        {
            self.builder.groups.push(Group {
                name,
                cells: (first..end).collect(),
                points: Vec::new(),
            });
        }
    }

    fn expect(&mut self, word: &str, facet: usize) -> Result<(), ImportError> {
        let found = self
            .lexer
            .word()
            .ok_or_else(|| self.lexer.truncated(format!("\"{word}\" of facet {facet}")))?;
        if found.eq_ignore_ascii_case(word.as_bytes()) {
            return Ok(());
        }
        let at = self.lexer.pos - found.len();
        Err(self
            .lexer
            .unexpected(at, format!("\"{word}\" of facet {facet}"), found))
    }

    fn facet(&mut self, n: usize) -> Result<(), ImportError> {
        let at = self.lexer.pos;
        self.expect("normal", n)?;
        for _ in 0..3 {
            // Normals are often wrong and are not used.
            self.lexer.required_word("a normal")?;
        }
        self.expect("outer", n)?;
        self.expect("loop", n)?;
        let mut nodes = [0; 3];
        for node in &mut nodes {
            self.expect("vertex", n)?;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                *x = self
                    .lexer
                    .float(|| format!("{axis} of a corner of facet {n}"))?;
            }
            *node = self.corner(point);
        }
        self.expect("endloop", n)?;
        self.expect("endfacet", n)?;
        let label = || format!("facet {n}");
        self.builder
            .push(&self.lexer, at, label, &TRIANGLE, &nodes)?;
        Ok(())
    }
}
