//! STL, binary and ascii. The corners of the triangles are welded where they coincide exactly: the format has no
//! other way to say that triangles are neighbours. A file is binary when its size says so, whatever its header.

use std::collections::HashMap;

use mesh::{Group, Kind};

use super::Format;
use super::cells::CellType;
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Content, Endian, Scan, f32_at, u32_at};

const TRIANGLE: CellType = CellType::plain(Kind::Tri3);

/// Reads an STL file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Draft, ImportError> {
    let scan = Scan::new(bytes, file);
    let count = (bytes.len() >= 84).then(|| u64::from(u32_at(bytes, 80, Endian::Little)));
    let size = count.map(|n| 84 + 50 * n);
    let is_text = bytes.trim_ascii_start().to_ascii_lowercase_prefix(b"solid");
    let mut reader = Reader {
        scan,
        draft: Draft::new(Format::Stl),
        welded: HashMap::new(),
        corners: 0,
    };
    match (count, size) {
        (Some(n), Some(size)) if size == bytes.len() as u64 => reader.binary(n)?,
        _ if is_text => reader.ascii()?,
        (Some(n), Some(size)) if size < bytes.len() as u64 && n > 0 => {
            let extra = bytes.len() as u64 - size;
            let text = format!("{extra} bytes after the last triangle were ignored");
            reader.draft.warn(text);
            reader.binary(n)?;
        }
        (Some(n), Some(size)) => {
            let fault = Fault::Truncated {
                expected: format!("{size} bytes for {n} triangles, {} there are", bytes.len()),
            };
            let mut scan = reader.scan;
            scan.content = Content::Binary;
            return Err(scan.fail_at(bytes.len(), fault, "The file was probably cut."));
        }
        _ => {
            let first = &bytes[..bytes.len().min(24)];
            let mut e =
                reader
                    .scan
                    .unexpected(0, "\"solid\" or a binary STL of at least 84 bytes", first);
            e.hint = "Unexpected end of file, or not STL.".to_string();
            return Err(e);
        }
    }
    let (corners, points) = (reader.corners, reader.draft.mesh.points.len());
    if points < corners {
        reader
            .draft
            .note(format!("{corners} corners were welded to {points} points"));
    }
    Ok(reader.draft)
}

trait Prefix {
    fn to_ascii_lowercase_prefix(&self, word: &[u8]) -> bool;
}

impl Prefix for [u8] {
    fn to_ascii_lowercase_prefix(&self, word: &[u8]) -> bool {
        self.get(..word.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(word))
    }
}

struct Reader<'a> {
    scan: Scan<'a>,
    draft: Draft,
    welded: HashMap<[u64; 3], u32>,
    corners: usize,
}

impl Reader<'_> {
    fn corner(&mut self, point: [f64; 3]) -> u32 {
        self.corners += 1;
        // Adding zero makes −0 and 0 the same point.
        let key = point.map(|x| (x + 0.0).to_bits());
        let points = &mut self.draft.mesh.points;
        *self.welded.entry(key).or_insert_with(|| {
            points.push(point);
            points.len() as u32 - 1
        })
    }

    fn binary(&mut self, n: u64) -> Result<(), ImportError> {
        self.scan.content = Content::Binary;
        self.scan.pos = 84;
        let records = self.scan.records(n, 50, "triangles")?;
        self.draft.reserve(records.len() / 50, 3);
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
                    return Err(self.scan.fail_at(at, fault, ""));
                }
                *node = self.corner(point);
            }
            let label = || format!("triangle {i}");
            self.draft.push(&self.scan, at, label, &TRIANGLE, &nodes)?;
        }
        Ok(())
    }

    fn ascii(&mut self) -> Result<(), ImportError> {
        let mut count = 0;
        let mut solid: Option<(String, u32)> = None;
        while let Some(word) = self.scan.word() {
            let at = self.scan.pos - word.len();
            match word.to_ascii_lowercase().as_slice() {
                b"solid" => {
                    let name = self.scan.line().unwrap_or_default();
                    let name = String::from_utf8_lossy(name).into_owned();
                    solid = Some((name, self.draft.mesh.len() as u32));
                }
                b"endsolid" => {
                    self.scan.line();
                    self.end_solid(solid.take());
                }
                b"facet" => {
                    count += 1;
                    self.facet(count)?;
                }
                _ => return Err(self.scan.unexpected(at, "facet or endsolid", word)),
            }
        }
        if solid.is_some() {
            return Err(self.scan.truncated("endsolid"));
        }
        Ok(())
    }

    fn end_solid(&mut self, solid: Option<(String, u32)>) {
        let end = self.draft.mesh.len() as u32;
        if let Some((name, first)) = solid.filter(|(name, first)| !name.is_empty() && *first < end)
        {
            self.draft.groups.push(Group {
                name,
                cells: (first..end).collect(),
                points: Vec::new(),
            });
        }
    }

    fn expect(&mut self, word: &str, facet: usize) -> Result<(), ImportError> {
        let found = self
            .scan
            .word()
            .ok_or_else(|| self.scan.truncated(format!("\"{word}\" of facet {facet}")))?;
        if found.eq_ignore_ascii_case(word.as_bytes()) {
            return Ok(());
        }
        let at = self.scan.pos - found.len();
        Err(self
            .scan
            .unexpected(at, format!("\"{word}\" of facet {facet}"), found))
    }

    fn facet(&mut self, n: usize) -> Result<(), ImportError> {
        let at = self.scan.pos;
        self.expect("normal", n)?;
        for _ in 0..3 {
            // Normals are often nonsense; they are not used.
            self.scan.need("a normal")?;
        }
        self.expect("outer", n)?;
        self.expect("loop", n)?;
        let mut nodes = [0; 3];
        for node in &mut nodes {
            self.expect("vertex", n)?;
            let mut point = [0.0; 3];
            for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                *x = self
                    .scan
                    .float(|| format!("{axis} of a corner of facet {n}"))?;
            }
            *node = self.corner(point);
        }
        self.expect("endloop", n)?;
        self.expect("endfacet", n)?;
        let label = || format!("facet {n}");
        self.draft.push(&self.scan, at, label, &TRIANGLE, &nodes)?;
        Ok(())
    }
}
