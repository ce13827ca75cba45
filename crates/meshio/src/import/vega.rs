//! Reader of Vega FEM .veg files: vertices, elements, sets (Vega FEM user manual, "File formats"). Materials and regions
//! are ignored. `*INCLUDE` is followed inside the folder of the file only.

use std::path::{Component, Path};

use mesh::{CellKind, Group};

use super::Format;
use super::cells::CellType;
use super::error::{Fault, ImportError};
use super::lexer::{Lexer, parse_int, quoted};
use super::mesh_builder::MeshBuilder;
use super::tag_map::TagMap;

const TET: CellType = CellType::of_kind(CellKind::Tet4);
const HEX: CellType = CellType::of_kind(CellKind::Hex8);

/// Reads a .veg file; included files are in the folder of `path`.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    path: Option<&Path>,
) -> Result<MeshBuilder, ImportError> {
    let mut reader = Reader {
        builder: MeshBuilder::new(Format::Vega),
        section: Section::None,
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
    let mut lexer = Lexer::new(bytes, file);
    lexer.comment = b'#';
    reader.lines(&mut lexer, folder, &mut chain)?;
    reader.finish(&lexer)
}

/// Section that the current line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    VerticesHeader,
    Vertices { declared: u64 },
    ElementsKind,
    ElementsHeader { hex: bool },
    Elements { hex: bool, declared: u64 },
    Set,
    Skipped,
}

/// Vega file being read.
struct Reader {
    builder: MeshBuilder,
    section: Section,
    /// Vertex numbers of the file, until the elements begin.
    tags: Vec<i64>,
    points: Option<TagMap>,
    element_ids: Vec<i64>,
    sets: Vec<(String, Vec<i64>)>,
    materials: usize,
}

/// Words of a line, separated by blanks or commas.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace() || *b == b',')
        .filter(|w| !w.is_empty())
}

impl Reader {
    /// Reads all lines of a file; `chain` lists the files that include it.
    fn lines(
        &mut self,
        lexer: &mut Lexer,
        folder: Option<&Path>,
        chain: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        loop {
            lexer.skip_blank();
            let at = lexer.pos;
            let Some(line) = lexer.line() else {
                return Ok(());
            };
            if line.is_empty() {
                continue;
            }
            if let Some(keyword) = line.strip_prefix(b"*") {
                if keyword.len() >= 7 && keyword[..7].eq_ignore_ascii_case(b"INCLUDE") {
                    self.include(lexer, at, keyword[7..].trim_ascii(), folder, chain)?;
                } else {
                    self.begin(lexer, at, keyword)?;
                }
            } else {
                self.line(lexer, at, line)?;
            }
        }
    }

    /// Begins the section of a keyword.
    fn begin(&mut self, lexer: &mut Lexer, at: usize, keyword: &[u8]) -> Result<(), ImportError> {
        self.end_section(lexer, at)?;
        let mut parts = words(keyword);
        let name = parts.next().unwrap_or_default().to_ascii_uppercase();
        (self.section, lexer.section) = match name.as_slice() {
            b"VERTICES" => (Section::VerticesHeader, "*VERTICES"),
            b"ELEMENTS" => (Section::ElementsKind, "*ELEMENTS"),
            b"SET" => {
                let set = parts
                    .next()
                    .map_or(String::new(), |n| String::from_utf8_lossy(n).into_owned());
                self.sets.push((set, Vec::new()));
                (Section::Set, "*SET")
            }
            b"MATERIAL" => {
                self.materials += 1;
                (Section::Skipped, "*MATERIAL")
            }
            b"REGION" => (Section::Skipped, "*REGION"),
            _ => {
                let keyword = quoted(&name);
                self.builder
                    .note(format!("the section {keyword} was ignored"));
                (Section::Skipped, "")
            }
        };
        Ok(())
    }

    /// Checks that the section that ends here is complete.
    fn end_section(&mut self, lexer: &Lexer, at: usize) -> Result<(), ImportError> {
        let (what, declared, found) = match self.section {
            Section::Vertices { declared } => ("vertices", declared, self.tags.len()),
            Section::Elements { declared, .. } => ("elements", declared, self.element_ids.len()),
            _ => return Ok(()),
        };
        self.section = Section::Skipped;
        if declared == found as u64 {
            return Ok(());
        }
        let fault = Fault::Count {
            what: what.to_string(),
            declared: declared.to_string(),
            found: found.to_string(),
        };
        Err(lexer.error_at(at, fault, "The count and the list must agree."))
    }

    fn line(&mut self, lexer: &mut Lexer, at: usize, line: &[u8]) -> Result<(), ImportError> {
        match self.section {
            Section::None => Err(lexer.unexpected(at, "a section such as *VERTICES", line)),
            Section::Skipped => Ok(()),
            Section::VerticesHeader => {
                let declared = self.first_count(lexer, at, line, "vertices")?;
                self.section = Section::Vertices { declared };
                Ok(())
            }
            Section::Vertices { declared } => self.vertex(lexer, at, line, declared),
            Section::ElementsKind => {
                let hex = match line.to_ascii_uppercase().as_slice() {
                    b"TET" | b"TETRAHEDRON" | b"TETRAHEDRAL" => false,
                    b"CUBIC" | b"HEX" => true,
                    _ => {
                        let what = format!("element type {}", quoted(line));
                        let hint = "Vega meshes are made of TET or CUBIC elements.";
                        return Err(lexer.error_at(at, Fault::Unsupported { what }, hint));
                    }
                };
                self.section = Section::ElementsHeader { hex };
                Ok(())
            }
            Section::ElementsHeader { hex } => {
                let declared = self.first_count(lexer, at, line, "elements")?;
                let tags = std::mem::take(&mut self.tags);
                self.points = Some(TagMap::new(&tags).map_err(|i| {
                    let (what, tag) = ("vertex number", tags[i].to_string());
                    lexer.error_at(at, Fault::Duplicate { what, tag }, "")
                })?);
                self.section = Section::Elements { hex, declared };
                Ok(())
            }
            Section::Elements { hex, declared } => self.element(lexer, at, line, hex, declared),
            Section::Set => {
                for word in words(line) {
                    let id = parse_int(word)
                        .ok_or_else(|| lexer.unexpected(at, "an element number", word))?;
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
        lexer: &Lexer,
        at: usize,
        line: &[u8],
        what: &str,
    ) -> Result<u64, ImportError> {
        let word = words(line).next().unwrap_or_default();
        let n = parse_int(word).and_then(|n| u64::try_from(n).ok());
        n.ok_or_else(|| lexer.unexpected(at, format!("the number of {what}"), word))
    }

    fn vertex(
        &mut self,
        lexer: &mut Lexer,
        at: usize,
        line: &[u8],
        declared: u64,
    ) -> Result<(), ImportError> {
        if self.tags.len() as u64 >= declared {
            return Err(self.too_many(lexer, at, "vertices", declared));
        }
        let mut parts = words(line);
        let word = parts.next().unwrap_or_default();
        let id = parse_int(word).ok_or_else(|| lexer.unexpected(at, "a vertex number", word))?;
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            let word = parts.next().unwrap_or_default();
            // The error position is the start of the line.
            let there = Lexer {
                pos: at + word.len(),
                ..lexer.clone()
            };
            *x = there.float_of(word, || format!("{axis} of vertex {id}"))?;
        }
        self.tags.push(id);
        self.builder.mesh.points.push(point);
        Ok(())
    }

    fn too_many(&self, lexer: &Lexer, at: usize, what: &str, declared: u64) -> ImportError {
        let fault = Fault::Count {
            what: what.to_string(),
            declared: declared.to_string(),
            found: "more".to_string(),
        };
        lexer.error_at(at, fault, "The count and the list must agree.")
    }

    fn element(
        &mut self,
        lexer: &Lexer,
        at: usize,
        line: &[u8],
        hex: bool,
        declared: u64,
    ) -> Result<(), ImportError> {
        if self.element_ids.len() as u64 >= declared {
            return Err(self.too_many(lexer, at, "elements", declared));
        }
        let kind = if hex { &HEX } else { &TET };
        let mut parts = words(line);
        let word = parts.next().unwrap_or_default();
        let id = parse_int(word).ok_or_else(|| lexer.unexpected(at, "an element number", word))?;
        let mut nodes = [0; 8];
        for node in &mut nodes[..kind.nodes] {
            let Some(word) = parts.next() else {
                return Err(lexer.unexpected(
                    at,
                    format!("{} nodes of element {id}", kind.nodes),
                    line,
                ));
            };
            let point = parse_int(word).and_then(|n| self.points.as_ref()?.find(n));
            *node = point.ok_or_else(|| {
                let fault = Fault::Reference {
                    element: format!("element {id}"),
                    node: quoted(word).trim_matches('"').to_string(),
                    known: self.points.as_ref().map_or(String::new(), TagMap::describe),
                };
                lexer.error_at(at, fault, "")
            })?;
        }
        self.element_ids.push(id);
        let label = || format!("element {id}");
        self.builder
            .push(lexer, at, label, kind, &nodes[..kind.nodes])?;
        Ok(())
    }

    fn include(
        &mut self,
        lexer: &Lexer,
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
                quoted(name.as_bytes())
            );
            return Err(lexer.error_at(at, Fault::Forbidden { what }, ""));
        }
        if chain.contains(&name) || chain.len() > 8 {
            let what = format!("recursive *INCLUDE of {}", quoted(name.as_bytes()));
            return Err(lexer.error_at(at, Fault::Forbidden { what }, ""));
        }
        let Some(folder) = folder else {
            self.builder
                .warn(format!("*INCLUDE {name} was not followed"));
            return Ok(());
        };
        let full = folder.join(path);
        let Ok(bytes) = std::fs::read(&full) else {
            self.builder.warn(format!(
                "*INCLUDE {name}: no such file; its content is missing"
            ));
            return Ok(());
        };
        let file = full.display().to_string();
        let mut inner = Lexer::new(&bytes, &file);
        inner.comment = b'#';
        chain.push(name);
        self.lines(&mut inner, Some(folder), chain)?;
        chain.pop();
        Ok(())
    }

    fn finish(mut self, lexer: &Lexer) -> Result<MeshBuilder, ImportError> {
        self.end_section(lexer, lexer.bytes.len())?;
        let ids = TagMap::new(&self.element_ids);
        for (name, list) in std::mem::take(&mut self.sets) {
            let Ok(ids) = &ids else { continue };
            let mut cells: Vec<u32> = list.iter().filter_map(|&i| ids.find(i)).collect();
            if cells.len() < list.len() {
                let n = list.len() - cells.len();
                self.builder.warn(format!(
                    "the set \"{name}\" names {n} elements that do not exist"
                ));
            }
            cells.sort_unstable();
            cells.dedup();
            if !cells.is_empty() {
                let points = Vec::new();
                self.builder.groups.push(Group {
                    name,
                    cells,
                    points,
                });
            }
        }
        if self.materials > 0 {
            let n = self.materials;
            self.builder.note(format!(
                "the materials of the file ({n}) were ignored: scenes define materials"
            ));
        }
        Ok(self.builder)
    }
}
