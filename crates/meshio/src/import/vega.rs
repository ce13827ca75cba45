//! Vega FEM's .veg: vertices, elements, sets (Vega FEM user manual, "File formats"). Materials and regions are left
//! to the scene. `*INCLUDE` is followed inside the folder of the file only.

use std::path::{Component, Path};

use mesh::{Group, Kind};

use super::Format;
use super::cells::CellType;
use super::draft::Draft;
use super::error::{Fault, ImportError};
use super::scan::{Scan, parse_int, shown};
use super::tags::Tags;

const TET: CellType = CellType::plain(Kind::Tet4);
const HEX: CellType = CellType::plain(Kind::Hex8);

/// Reads a .veg file; `path` tells the folder of included files.
pub(crate) fn read(bytes: &[u8], file: &str, path: Option<&Path>) -> Result<Draft, ImportError> {
    let mut reader = Reader {
        draft: Draft::new(Format::Vega),
        part: Part::None,
        tags: Vec::new(),
        points: None,
        element_ids: Vec::new(),
        sets: Vec::new(),
        materials: 0,
    };
    let folder = path.map(|p| p.parent().unwrap_or(Path::new("")));
    let mut chain = Vec::new();
    if let Some(name) = path.and_then(|p| p.file_name()) {
        chain.push(name.to_string_lossy().into_owned());
    }
    let mut scan = Scan::new(bytes, file);
    scan.comment = b'#';
    reader.lines(&mut scan, folder, &mut chain)?;
    reader.finish(&scan)
}

/// What the lines belong to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    None,
    VerticesHeader,
    Vertices { declared: u64 },
    ElementsKind,
    ElementsHeader { hex: bool },
    Elements { hex: bool, declared: u64 },
    Set,
    Skipped,
}

struct Reader {
    draft: Draft,
    part: Part,
    tags: Vec<i64>,
    points: Option<Tags>,
    element_ids: Vec<i64>,
    sets: Vec<(String, Vec<i64>)>,
    materials: usize,
}

/// Words of a line; commas separate too.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace() || *b == b',')
        .filter(|w| !w.is_empty())
}

impl Reader {
    fn lines(
        &mut self,
        scan: &mut Scan,
        folder: Option<&Path>,
        chain: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        loop {
            scan.skip_blank();
            let at = scan.pos;
            let Some(line) = scan.line() else {
                return Ok(());
            };
            if line.is_empty() {
                continue;
            }
            if let Some(keyword) = line.strip_prefix(b"*") {
                if keyword.len() >= 7 && keyword[..7].eq_ignore_ascii_case(b"INCLUDE") {
                    self.include(scan, at, keyword[7..].trim_ascii(), folder, chain)?;
                } else {
                    self.begin(scan, at, keyword)?;
                }
            } else {
                self.line(scan, at, line)?;
            }
        }
    }

    fn begin(&mut self, scan: &mut Scan, at: usize, keyword: &[u8]) -> Result<(), ImportError> {
        self.end_part(scan, at)?;
        let mut parts = words(keyword);
        let name = parts.next().unwrap_or_default().to_ascii_uppercase();
        (self.part, scan.section) = match name.as_slice() {
            b"VERTICES" => (Part::VerticesHeader, "*VERTICES"),
            b"ELEMENTS" => (Part::ElementsKind, "*ELEMENTS"),
            b"SET" => {
                let set = parts
                    .next()
                    .map_or(String::new(), |n| String::from_utf8_lossy(n).into_owned());
                self.sets.push((set, Vec::new()));
                (Part::Set, "*SET")
            }
            b"MATERIAL" => {
                self.materials += 1;
                (Part::Skipped, "*MATERIAL")
            }
            b"REGION" => (Part::Skipped, "*REGION"),
            _ => {
                let keyword = shown(&name);
                self.draft
                    .note(format!("the section {keyword} was ignored"));
                (Part::Skipped, "")
            }
        };
        Ok(())
    }

    /// Whether the part that ends here is complete.
    fn end_part(&mut self, scan: &Scan, at: usize) -> Result<(), ImportError> {
        let (what, declared, found) = match self.part {
            Part::Vertices { declared } => ("vertices", declared, self.tags.len()),
            Part::Elements { declared, .. } => ("elements", declared, self.element_ids.len()),
            _ => return Ok(()),
        };
        self.part = Part::Skipped;
        if declared == found as u64 {
            return Ok(());
        }
        let fault = Fault::Count {
            what: what.to_string(),
            declared: declared.to_string(),
            found: found.to_string(),
        };
        Err(scan.fail_at(at, fault, "The count and the list must agree."))
    }

    fn line(&mut self, scan: &mut Scan, at: usize, line: &[u8]) -> Result<(), ImportError> {
        match self.part {
            Part::None => Err(scan.unexpected(at, "a section such as *VERTICES", line)),
            Part::Skipped => Ok(()),
            Part::VerticesHeader => {
                let declared = self.first_count(scan, at, line, "vertices")?;
                self.part = Part::Vertices { declared };
                Ok(())
            }
            Part::Vertices { declared } => self.vertex(scan, at, line, declared),
            Part::ElementsKind => {
                let hex = match line.to_ascii_uppercase().as_slice() {
                    b"TET" | b"TETRAHEDRON" | b"TETRAHEDRAL" => false,
                    b"CUBIC" | b"HEX" => true,
                    _ => {
                        let what = format!("element type {}", shown(line));
                        let hint = "Vega meshes are made of TET or CUBIC elements.";
                        return Err(scan.fail_at(at, Fault::Unsupported { what }, hint));
                    }
                };
                self.part = Part::ElementsHeader { hex };
                Ok(())
            }
            Part::ElementsHeader { hex } => {
                let declared = self.first_count(scan, at, line, "elements")?;
                let tags = std::mem::take(&mut self.tags);
                self.points = Some(Tags::new(&tags).map_err(|i| {
                    let (what, tag) = ("vertex number", tags[i].to_string());
                    scan.fail_at(at, Fault::Duplicate { what, tag }, "")
                })?);
                self.part = Part::Elements { hex, declared };
                Ok(())
            }
            Part::Elements { hex, declared } => self.element(scan, at, line, hex, declared),
            Part::Set => {
                for word in words(line) {
                    let id = parse_int(word)
                        .ok_or_else(|| scan.unexpected(at, "an element number", word))?;
                    if let Some((_, ids)) = self.sets.last_mut() {
                        ids.push(id);
                    }
                }
                Ok(())
            }
        }
    }

    fn first_count(
        &self,
        scan: &Scan,
        at: usize,
        line: &[u8],
        what: &str,
    ) -> Result<u64, ImportError> {
        let word = words(line).next().unwrap_or_default();
        let n = parse_int(word).and_then(|n| u64::try_from(n).ok());
        n.ok_or_else(|| scan.unexpected(at, format!("the number of {what}"), word))
    }

    fn vertex(
        &mut self,
        scan: &mut Scan,
        at: usize,
        line: &[u8],
        declared: u64,
    ) -> Result<(), ImportError> {
        if self.tags.len() as u64 >= declared {
            return Err(self.too_many(scan, at, "vertices", declared));
        }
        let mut parts = words(line);
        let word = parts.next().unwrap_or_default();
        let id = parse_int(word).ok_or_else(|| scan.unexpected(at, "a vertex number", word))?;
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            let word = parts.next().unwrap_or_default();
            // The message points at the line.
            let there = Scan {
                pos: at + word.len(),
                ..scan.clone()
            };
            *x = there.float_of(word, || format!("{axis} of vertex {id}"))?;
        }
        self.tags.push(id);
        self.draft.mesh.points.push(point);
        Ok(())
    }

    fn too_many(&self, scan: &Scan, at: usize, what: &str, declared: u64) -> ImportError {
        let fault = Fault::Count {
            what: what.to_string(),
            declared: declared.to_string(),
            found: "more".to_string(),
        };
        scan.fail_at(at, fault, "The count and the list must agree.")
    }

    fn element(
        &mut self,
        scan: &Scan,
        at: usize,
        line: &[u8],
        hex: bool,
        declared: u64,
    ) -> Result<(), ImportError> {
        if self.element_ids.len() as u64 >= declared {
            return Err(self.too_many(scan, at, "elements", declared));
        }
        let kind = if hex { &HEX } else { &TET };
        let mut parts = words(line);
        let word = parts.next().unwrap_or_default();
        let id = parse_int(word).ok_or_else(|| scan.unexpected(at, "an element number", word))?;
        let mut nodes = [0; 8];
        for node in &mut nodes[..kind.nodes] {
            let Some(word) = parts.next() else {
                return Err(scan.unexpected(
                    at,
                    format!("{} nodes of element {id}", kind.nodes),
                    line,
                ));
            };
            let point = parse_int(word).and_then(|n| self.points.as_ref()?.find(n));
            *node = point.ok_or_else(|| {
                let fault = Fault::Reference {
                    element: format!("element {id}"),
                    node: shown(word).trim_matches('"').to_string(),
                    known: self.points.as_ref().map_or(String::new(), Tags::known),
                };
                scan.fail_at(at, fault, "")
            })?;
        }
        self.element_ids.push(id);
        let label = || format!("element {id}");
        self.draft
            .push(scan, at, label, kind, &nodes[..kind.nodes])?;
        Ok(())
    }

    fn include(
        &mut self,
        scan: &Scan,
        at: usize,
        name: &[u8],
        folder: Option<&Path>,
        chain: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let name = String::from_utf8_lossy(name).into_owned();
        let path = Path::new(&name);
        let inside = path
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        if !inside || name.is_empty() {
            let what = format!(
                "*INCLUDE {} outside the folder of the file",
                shown(name.as_bytes())
            );
            return Err(scan.fail_at(at, Fault::Forbidden { what }, ""));
        }
        if chain.contains(&name) || chain.len() > 8 {
            let what = format!("recursive *INCLUDE of {}", shown(name.as_bytes()));
            return Err(scan.fail_at(at, Fault::Forbidden { what }, ""));
        }
        let Some(folder) = folder else {
            self.draft.warn(format!("*INCLUDE {name} was not followed"));
            return Ok(());
        };
        let full = folder.join(path);
        let Ok(bytes) = std::fs::read(&full) else {
            self.draft.warn(format!(
                "*INCLUDE {name}: no such file; what it would add is missing"
            ));
            return Ok(());
        };
        let file = full.display().to_string();
        let mut inner = Scan::new(&bytes, &file);
        inner.comment = b'#';
        chain.push(name);
        self.lines(&mut inner, Some(folder), chain)?;
        chain.pop();
        Ok(())
    }

    fn finish(mut self, scan: &Scan) -> Result<Draft, ImportError> {
        self.end_part(scan, scan.bytes.len())?;
        let ids = Tags::new(&self.element_ids);
        for (name, list) in std::mem::take(&mut self.sets) {
            let Ok(ids) = &ids else { continue };
            let mut cells: Vec<u32> = list.iter().filter_map(|&i| ids.find(i)).collect();
            if cells.len() < list.len() {
                let n = list.len() - cells.len();
                self.draft.warn(format!(
                    "the set \"{name}\" names {n} elements that do not exist"
                ));
            }
            cells.sort_unstable();
            cells.dedup();
            if !cells.is_empty() {
                let points = Vec::new();
                self.draft.groups.push(Group {
                    name,
                    cells,
                    points,
                });
            }
        }
        if self.materials > 0 {
            let n = self.materials;
            self.draft.note(format!(
                "{n} materials of the file are ignored: the scene gives them"
            ));
        }
        Ok(self.draft)
    }
}
