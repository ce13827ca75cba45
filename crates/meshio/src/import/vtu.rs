//! Reader of VTK XML unstructured grids (.vtu): text, base64, appended raw or base64, zlib and lzma, either byte order.

use super::codec::{Compressor, Layout};
use super::error::{Fault, ImportError};
use super::lexer::{Endian, Lexer, quoted};
use super::mesh_builder::MeshBuilder;
use super::xml::{self, Element};
use super::{DataArray, Format, vtk_cells};

/// Reads a .vtu file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut lexer = Lexer::new(bytes, file);
    lexer.section = "XML";
    let elements = xml::parse(&mut lexer)?;
    let mut reader = Reader {
        layout: layout(&lexer, &elements)?,
        appended: appended(&lexer, &elements),
        lexer,
        elements,
        builder: MeshBuilder::new(Format::Vtu),
    };
    if reader.layout.endian == Endian::Big {
        reader.builder.note("the byte order is big-endian");
    }
    let pieces: Vec<usize> = (0..reader.elements.len())
        .filter(|&i| {
            let grid = |p: usize| reader.elements[p].name == b"UnstructuredGrid";
            reader.elements[i].name == b"Piece" && reader.elements[i].parent.is_some_and(grid)
        })
        .collect();
    if pieces.is_empty() {
        return Err(reader.fault(
            0,
            Fault::Missing {
                what: "a Piece is".to_string(),
            },
        ));
    }
    for &piece in &pieces {
        reader.piece(piece, pieces.len() > 1)?;
    }
    Ok(reader.builder)
}

/// VTK XML file being read.
pub(crate) struct Reader<'a> {
    pub lexer: Lexer<'a>,
    pub elements: Vec<Element<'a>>,
    pub layout: Layout,
    /// Start and end of the appended data, and whether they are base64.
    pub appended: Option<(usize, usize, bool)>,
    builder: MeshBuilder,
}

/// Encoding of arrays from the attributes of the VTKFile element.
fn layout(lexer: &Lexer, elements: &[Element]) -> Result<Layout, ImportError> {
    let unsupported =
        |at, what: String, hint: &str| Err(lexer.error_at(at, Fault::Unsupported { what }, hint));
    let Some(root) = elements.iter().find(|e| e.name == b"VTKFile") else {
        let what = "the VTKFile element is".to_string();
        return Err(lexer.error_at(0, Fault::Missing { what }, "Is this a VTK XML file?"));
    };
    let kind = root.attribute("type").unwrap_or_default();
    if kind != "UnstructuredGrid" {
        return unsupported(
            root.at,
            format!("VTKFile type {}", quoted(kind.as_bytes())),
            "UnstructuredGrid (.vtu) is read; use ParaView's \"Append Datasets\" or \"Extract Surface\" to convert.",
        );
    }
    let endian = match root.attribute("byte_order").as_deref() {
        Some("BigEndian") => Endian::Big,
        Some("LittleEndian") | None => Endian::Little,
        Some(other) => {
            return unsupported(
                root.at,
                format!("byte_order {}", quoted(other.as_bytes())),
                "",
            );
        }
    };
    let header = match root.attribute("header_type").as_deref() {
        Some("UInt64") => 8,
        Some("UInt32") | None => 4,
        Some(other) => {
            return unsupported(
                root.at,
                format!("header_type {}", quoted(other.as_bytes())),
                "",
            );
        }
    };
    let compressor = match root.attribute("compressor").as_deref() {
        None | Some("") => Compressor::None,
        Some("vtkZLibDataCompressor") => Compressor::Zlib,
        Some("vtkLZMADataCompressor") => Compressor::Lzma,
        Some(other) => {
            let hint = "zlib and lzma are read: choose zlib when saving.";
            return unsupported(
                root.at,
                format!("compressor {}", quoted(other.as_bytes())),
                hint,
            );
        }
    };
    Ok(Layout {
        endian,
        header,
        compressor,
        base64: true,
    })
}

/// Locates the appended data, which begin after an underscore. Returns `None` if there are none.
fn appended(lexer: &Lexer, elements: &[Element]) -> Option<(usize, usize, bool)> {
    let element = elements.iter().find(|e| e.name == b"AppendedData")?;
    let body = &lexer.bytes[element.content..element.end];
    let start = body.iter().position(|&b| b == b'_')? + 1;
    let base64 = element.attribute("encoding").as_deref() == Some("base64");
    Some((element.content + start, element.end, base64))
}

impl Reader<'_> {
    /// Creates an error at byte `at`.
    pub fn fault(&self, at: usize, fault: Fault) -> ImportError {
        self.lexer.error_at(at, fault, "")
    }

    /// Reads a count from an attribute of an element.
    fn count(&self, element: usize, name: &str) -> Result<usize, ImportError> {
        let e = &self.elements[element];
        let text = e.attribute(name);
        let n = text.as_deref().and_then(|t| t.trim().parse::<u32>().ok());
        n.map(|n| n as usize).ok_or_else(|| {
            let fault = Fault::Unexpected {
                expected: format!("a number below 2³² for {name}"),
                found: text.map_or("nothing".to_string(), |t| {
                    format!("\"{}\"", &t.chars().take(40).collect::<String>())
                }),
            };
            self.fault(e.at, fault)
        })
    }

    /// Children of an element with a given name.
    fn children(&self, parent: usize, name: &[u8]) -> Vec<usize> {
        (parent + 1..self.elements.len())
            .take_while(|&i| self.elements[i].at < self.elements[parent].end)
            .filter(|&i| self.elements[i].parent == Some(parent) && self.elements[i].name == name)
            .collect()
    }

    /// Reads a Piece; the data arrays of `several` pieces are concatenated.
    fn piece(&mut self, piece: usize, several: bool) -> Result<(), ImportError> {
        let points = self.count(piece, "NumberOfPoints")?;
        let cells = self.count(piece, "NumberOfCells")?;
        let first_point = self.builder.mesh.points.len();
        self.points(piece, points)?;
        self.cells(piece, points, cells, first_point)?;
        for (section, n) in [(&b"PointData"[..], points), (b"CellData", cells)] {
            for parent in self.children(piece, section) {
                for array in self.children(parent, b"DataArray") {
                    self.data(array, n, section == b"CellData", several)?;
                }
            }
        }
        Ok(())
    }

    fn points(&mut self, piece: usize, n: usize) -> Result<(), ImportError> {
        self.lexer.section = "Points";
        let parent = self.children(piece, b"Points");
        let array = parent
            .first()
            .and_then(|&p| self.children(p, b"DataArray").first().copied());
        let Some(array) = array else {
            if n == 0 {
                return Ok(());
            }
            let what = "the Points array is".to_string();
            return Err(self.fault(self.elements[piece].at, Fault::Missing { what }));
        };
        let components = self.elements[array].attribute("NumberOfComponents");
        if components.as_deref().unwrap_or("3").trim() != "3" {
            let fault = Fault::Unexpected {
                expected: "3 components of Points".to_string(),
                found: components.unwrap_or_default().chars().take(40).collect(),
            };
            return Err(self.fault(self.elements[array].at, fault));
        }
        let first = self.builder.mesh.points.len();
        let mut points = std::mem::take(&mut self.builder.mesh.points);
        let mut point = [0.0; 3];
        let mut k = 0;
        self.floats(array, "Points", Some(3 * n), &mut |x| {
            if !x.is_finite() {
                let which = points.len() - first;
                return Err(Fault::NotFinite {
                    what: format!("coordinate {} of point {which}", ["x", "y", "z"][k]),
                    found: format!("{x} (NaN or infinite)"),
                });
            }
            point[k] = x;
            k = (k + 1) % 3;
            if k == 0 {
                points.push(point);
            }
            Ok(())
        })?;
        self.builder.mesh.points = points;
        self.lexer.section = "";
        Ok(())
    }

    fn cells(
        &mut self,
        piece: usize,
        points: usize,
        n: usize,
        first_point: usize,
    ) -> Result<(), ImportError> {
        self.lexer.section = "Cells";
        let mut arrays = [None; 3];
        let names = ["connectivity", "offsets", "types"];
        for parent in self.children(piece, b"Cells") {
            for array in self.children(parent, b"DataArray") {
                let name = self.elements[array].attribute("Name").unwrap_or_default();
                if let Some(k) = names.iter().position(|w| *w == name) {
                    arrays[k] = Some(array);
                }
            }
        }
        if n == 0 {
            return Ok(());
        }
        let at = self.elements[piece].at;
        let need = |k: usize| {
            let what = format!("the array \"{}\" of Cells is", names[k]);
            arrays[k].ok_or_else(|| self.fault(at, Fault::Missing { what }))
        };
        let (connectivity, offsets, types) = (need(0)?, need(1)?, need(2)?);
        let mut kinds: Vec<u8> = Vec::new();
        self.ints(types, "types", Some(n), &mut |t| {
            kinds.push(u8::try_from(t).unwrap_or(u8::MAX));
            Ok(())
        })?;
        let mut ends: Vec<u32> = Vec::new();
        self.ints(offsets, "offsets", Some(n), &mut |t| {
            let least = ends.last().copied().unwrap_or(0);
            match u32::try_from(t) {
                Ok(end) if end >= least => ends.push(end),
                _ => {
                    return Err(Fault::Unexpected {
                        expected: format!("offset {} of at least {least}", ends.len()),
                        found: t.to_string(),
                    });
                }
            }
            Ok(())
        })?;
        let total = ends.last().copied().unwrap_or(0) as usize;
        self.builder.reserve(n, 0);
        self.builder
            .mesh
            .nodes
            .reserve_exact(total.min(self.lexer.bytes.len()));
        self.connectivity(connectivity, &kinds, &ends, points, first_point)
    }

    /// Reads the connectivity and adds cells on the fly, without storing the whole array.
    fn connectivity(
        &mut self,
        array: usize,
        kinds: &[u8],
        ends: &[u32],
        points: usize,
        first_point: usize,
    ) -> Result<(), ImportError> {
        let total = ends.last().copied().unwrap_or(0) as usize;
        let at = self.elements[array].at;
        let lexer = self.lexer.clone();
        let mut builder = std::mem::replace(&mut self.builder, MeshBuilder::new(Format::Vtu));
        let mut nodes: Vec<u32> = Vec::new();
        let (mut cell, mut done) = (0, 0u32);
        let mut refused = None;
        let mut close = |cell: &mut usize, done: u32, nodes: &mut Vec<u32>| {
            while *cell < ends.len() && ends[*cell] == done {
                let id = i64::from(kinds[*cell]);
                if let Err(e) = vtk_cells::push(&mut builder, &lexer, at, *cell, id, nodes) {
                    refused = Some(e);
                    return Err(Fault::Corrupt {
                        what: "cell".to_string(),
                    });
                }
                nodes.clear();
                *cell += 1;
            }
            Ok(())
        };
        let result = close(&mut cell, 0, &mut nodes)
            .and(Ok(()))
            .map_err(|f| self.fault(at, f))
            .and_then(|()| {
                self.ints(array, "connectivity", Some(total), &mut |p| {
                    match usize::try_from(p) {
                        Ok(i) if i < points => nodes.push((first_point + i) as u32),
                        _ => {
                            return Err(Fault::Reference {
                                element: format!("cell {cell}"),
                                node: p.to_string(),
                                known: format!("there are only {points} points, numbered from 0"),
                            });
                        }
                    }
                    done += 1;
                    close(&mut cell, done, &mut nodes)
                })
            });
        self.builder = builder;
        match refused {
            Some(e) => Err(e),
            None => result,
        }
    }

    /// Reads an array of point or cell data; arrays of strings are skipped.
    fn data(
        &mut self,
        array: usize,
        n: usize,
        of_cells: bool,
        several: bool,
    ) -> Result<(), ImportError> {
        self.lexer.section = if of_cells { "CellData" } else { "PointData" };
        let e = &self.elements[array];
        let name = e.attribute("Name").unwrap_or_default();
        let components = e.attribute("NumberOfComponents").unwrap_or_default();
        let components = components
            .trim()
            .parse::<usize>()
            .unwrap_or(1)
            .clamp(1, 1024);
        if e.attribute("type").as_deref() == Some("String") {
            return Ok(());
        }
        let mut values = Vec::new();
        self.floats(array, &name, n.checked_mul(components), &mut |x| {
            values.push(x);
            Ok(())
        })?;
        let list = if of_cells {
            &mut self.builder.cell_data
        } else {
            &mut self.builder.point_data
        };
        match list
            .iter_mut()
            .find(|a| several && a.name == name && a.components == components)
        {
            Some(a) => a.values.extend(values),
            None => list.push(DataArray {
                name,
                components,
                values,
            }),
        }
        Ok(())
    }
}
