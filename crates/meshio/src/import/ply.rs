//! Reader of Stanford PLY files, text and binary of either byte order (G. Turk, "The PLY polygon file format", 1994).
//! Other scalar properties of vertices become point data; elements other than vertices and faces are skipped.

use super::error::{Fault, ImportError};
use super::lexer::{Content, Endian, Lexer, parse_float, quoted};
use super::mesh_builder::MeshBuilder;
use super::scalar_type::ScalarType;
use super::{DataArray, Format, vtk_cells};

/// Property of an element, as declared in the header.
struct Property {
    name: String,
    /// Type of the length of a list; `None` for a single number.
    list: Option<ScalarType>,
    number: ScalarType,
}

/// Element (list of records), as declared in the header.
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

/// Reads a PLY file.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<MeshBuilder, ImportError> {
    let mut lexer = Lexer::new(bytes, file);
    let (endian, elements) = header(&mut lexer)?;
    let mut reader = Reader {
        lexer,
        endian,
        builder: MeshBuilder::new(Format::Ply),
        values: Vec::new(),
    };
    if endian.is_some() {
        reader.lexer.content = Content::Binary;
    }
    let known = |name: &str| elements.iter().position(|e| e.name == name);
    if let (Some(v), Some(f)) = (known("vertex"), known("face"))
        && f < v
    {
        let what = "a PLY file with faces before vertices".to_string();
        return Err(reader.lexer.error(Fault::Unsupported { what }, ""));
    }
    for element in &elements {
        match element.name.as_str() {
            "vertex" => reader.vertices(element)?,
            "face" => reader.faces(element)?,
            _ => reader.skip(element)?,
        }
    }
    if let (Some(word), None) = (reader.lexer.peek(), endian) {
        let fault = Fault::Count {
            what: "elements".to_string(),
            declared: "fewer".to_string(),
            found: format!("more: {}", quoted(word)),
        };
        return Err(reader
            .lexer
            .error(fault, "The counts and the lists must agree."));
    }
    if reader.lexer.remaining() > 0 && endian.is_some() {
        let n = reader.lexer.remaining();
        let text = format!("the bytes after the last element ({n}) were ignored");
        reader.builder.warn(text);
    }
    Ok(reader.builder)
}

fn header(lexer: &mut Lexer) -> Result<(Option<Endian>, Vec<Element>), ImportError> {
    lexer.section = "header";
    let magic = lexer.line().unwrap_or_default();
    if magic != b"ply" {
        return Err(lexer.unexpected(0, "ply on the first line", magic));
    }
    let mut endian = None;
    let mut formatted = false;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let at = lexer.pos;
        let line = lexer.line().ok_or_else(|| lexer.truncated("end_header"))?;
        let words: Vec<&[u8]> = line
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty())
            .collect();
        match words.as_slice() {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"end_header"] => break,
            [b"format", kind, ..] => {
                formatted = true;
                endian = match *kind {
                    b"ascii" => None,
                    b"binary_little_endian" => Some(Endian::Little),
                    b"binary_big_endian" => Some(Endian::Big),
                    other => {
                        let what = format!("PLY format {}", quoted(other));
                        return Err(lexer.error_at(at, Fault::Unsupported { what }, ""));
                    }
                };
            }
            [b"element", name, count] => {
                let count = super::lexer::parse_int(count).and_then(|n| u64::try_from(n).ok());
                elements.push(Element {
                    name: String::from_utf8_lossy(name).into_owned(),
                    count: count
                        .ok_or_else(|| lexer.unexpected(at, "element <name> <count>", line))?,
                    properties: Vec::new(),
                });
            }
            [b"property", rest @ ..] => {
                let property = property(rest)
                    .ok_or_else(|| lexer.unexpected(at, "property <type> <name>", line))?;
                match elements.last_mut() {
                    Some(e) => e.properties.push(property),
                    None => {
                        return Err(lexer.unexpected(at, "an element before its properties", line));
                    }
                }
            }
            _ => {
                return Err(lexer.unexpected(at, "element, property, comment or end_header", line));
            }
        }
    }
    if !formatted {
        let what = "the format line is".to_string();
        return Err(lexer.error(Fault::Missing { what }, ""));
    }
    lexer.section = "";
    Ok((endian, elements))
}

fn property(words: &[&[u8]]) -> Option<Property> {
    let (list, number, name) = match words {
        [b"list", length, number, name] => (Some(ScalarType::from_ply_name(length)?), number, name),
        [number, name] => (None, number, name),
        _ => return None,
    };
    Some(Property {
        name: String::from_utf8_lossy(name).into_owned(),
        list,
        number: ScalarType::from_ply_name(number)?,
    })
}

/// PLY file being read.
struct Reader<'a> {
    lexer: Lexer<'a>,
    endian: Option<Endian>,
    builder: MeshBuilder,
    /// Numbers of the property read last.
    values: Vec<f64>,
}

impl Reader<'_> {
    fn number(&mut self, number: ScalarType, what: &str) -> Result<f64, ImportError> {
        match self.endian {
            Some(endian) => {
                let bytes = self.lexer.take(number.size(), what)?;
                Ok(number.float(bytes, 0, endian))
            }
            None => {
                let word = self
                    .lexer
                    .word()
                    .ok_or_else(|| self.lexer.truncated(what))?;
                parse_float(word).ok_or_else(|| {
                    let at = self.lexer.pos - word.len();
                    self.lexer
                        .unexpected(at, format!("a number in {what}"), word)
                })
            }
        }
    }

    /// Reads a property, one number or a list, into `values`.
    fn property(&mut self, property: &Property, what: &str) -> Result<(), ImportError> {
        self.values.clear();
        let n = match property.list {
            None => 1,
            Some(length) => {
                let n = self.number(length, what)?;
                if n < 0.0 || n.fract() != 0.0 || n > self.lexer.remaining() as f64 {
                    let fault = Fault::Unexpected {
                        expected: format!("the length of a list in {what}"),
                        found: n.to_string(),
                    };
                    return Err(self.lexer.error(fault, ""));
                }
                n as usize
            }
        };
        for _ in 0..n {
            let x = self.number(property.number, what)?;
            self.values.push(x);
        }
        Ok(())
    }

    /// Least number of bytes of one record of an element.
    fn min_bytes(&self, element: &Element) -> usize {
        let size = |p: &Property| match (self.endian, p.list) {
            (None, _) => 2,
            (Some(_), Some(length)) => length.size(),
            (Some(_), None) => p.number.size(),
        };
        element.properties.iter().map(size).sum()
    }

    fn vertices(&mut self, element: &Element) -> Result<(), ImportError> {
        self.lexer.section = "vertex";
        let axis = |name: &str| {
            element
                .properties
                .iter()
                .position(|p| p.name == name && p.list.is_none())
        };
        let (Some(x), Some(y), Some(z)) = (axis("x"), axis("y"), axis("z")) else {
            let what = "one of the properties x, y, z of vertex is".to_string();
            return Err(self.lexer.error(Fault::Missing { what }, ""));
        };
        let room = self.lexer.capacity(element.count, self.min_bytes(element));
        self.builder.mesh.points.reserve_exact(room);
        let mut others: Vec<Vec<f64>> = element.properties.iter().map(|_| Vec::new()).collect();
        for i in 0..element.count {
            let at = self.lexer.pos;
            let mut point = [0.0; 3];
            for (k, property) in element.properties.iter().enumerate() {
                self.property(property, "vertex")?;
                match [x, y, z].iter().position(|&a| a == k) {
                    Some(axis) => point[axis] = self.values[0],
                    None if property.list.is_none() => others[k].push(self.values[0]),
                    None => {}
                }
            }
            if let Some(k) = point.iter().position(|x| !x.is_finite()) {
                let fault = Fault::NotFinite {
                    what: format!("coordinate {} of vertex {i}", ["x", "y", "z"][k]),
                    found: format!("{} (NaN or infinite)", point[k]),
                };
                return Err(self.lexer.error_at(at, fault, ""));
            }
            self.builder.mesh.points.push(point);
        }
        for (property, values) in element.properties.iter().zip(others) {
            if !values.is_empty() {
                self.builder.point_data.push(DataArray {
                    name: property.name.clone(),
                    components: 1,
                    values,
                });
            }
        }
        self.lexer.section = "";
        Ok(())
    }

    fn faces(&mut self, element: &Element) -> Result<(), ImportError> {
        self.lexer.section = "face";
        let is_corners = |p: &Property| {
            p.list.is_some() && matches!(p.name.as_str(), "vertex_indices" | "vertex_index")
        };
        if !element.properties.iter().any(is_corners) && element.count > 0 {
            let what = "the list vertex_indices of face is".to_string();
            return Err(self.lexer.error(Fault::Missing { what }, ""));
        }
        self.builder.reserve(
            self.lexer.capacity(element.count, self.min_bytes(element)),
            3,
        );
        let total = self.builder.mesh.points.len();
        let mut nodes = Vec::new();
        for i in 0..element.count {
            let at = self.lexer.pos;
            for property in &element.properties {
                self.property(property, "face")?;
                if !is_corners(property) {
                    continue;
                }
                nodes.clear();
                for &v in &self.values {
                    if !(0.0..total as f64).contains(&v) || v.fract() != 0.0 {
                        let fault = Fault::Reference {
                            element: format!("face {i}"),
                            node: v.to_string(),
                            known: format!("the {total} vertices are numbered from 0"),
                        };
                        return Err(self.lexer.error_at(at, fault, ""));
                    }
                    nodes.push(v as u32);
                }
            }
            vtk_cells::polygon(
                &mut self.builder,
                &self.lexer,
                at,
                || format!("face {i}"),
                &nodes,
            )?;
        }
        self.lexer.section = "";
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), ImportError> {
        if element.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..element.count {
            for property in &element.properties {
                self.property(property, "an element that is not used")?;
            }
        }
        let (n, name) = (element.count, quoted(element.name.as_bytes()));
        self.builder
            .note(format!("the elements {name} ({n}) were ignored"));
        Ok(())
    }
}
