//! Reader of point and cell attributes in legacy VTK files.

use super::DataArray;
use super::error::{Fault, ImportError};
use super::lexer::{Endian, parse_float, quoted};
use super::scalar_type::ScalarType;
use super::vtk_legacy::Reader;

/// Points or cells that attributes belong to, with their number; `Dataset` for field data, which are skipped.
#[derive(Clone, Copy)]
enum Owner {
    Dataset,
    Points(u64),
    Cells(u64),
}

/// Reads attributes from `keyword` up to the end of the file or a keyword of the geometry. Returns `false` if the rest
/// of the file cannot be read.
pub(crate) fn attributes(reader: &mut Reader, keyword: &[u8]) -> Result<bool, ImportError> {
    let mut owner = Owner::Dataset;
    let mut keyword = keyword.to_vec();
    loop {
        match keyword.as_slice() {
            b"POINT_DATA" => owner = Owner::Points(tuples(reader, "POINT_DATA")?),
            b"CELL_DATA" => owner = Owner::Cells(tuples(reader, "CELL_DATA")?),
            b"METADATA" => metadata(reader),
            b"FIELD" => {
                if !field(reader, owner)? {
                    return Ok(false);
                }
            }
            b"LOOKUP_TABLE" => {
                name(reader)?;
                let n = reader.lexer.count("colours")?;
                // Four bytes per colour in binary files, four numbers between 0 and 1 in text files.
                values(reader, n, 4, ScalarType::U8)?;
            }
            _ => {
                if !attribute(reader, &keyword, owner)? {
                    return Ok(false);
                }
            }
        }
        reader.lexer.section = "";
        let before = reader.lexer.pos;
        match reader.keyword() {
            None => return Ok(true),
            Some(word)
                if matches!(
                    word.as_slice(),
                    b"CELLS"
                        | b"CELL_TYPES"
                        | b"POINTS"
                        | b"VERTICES"
                        | b"LINES"
                        | b"POLYGONS"
                        | b"TRIANGLE_STRIPS"
                ) =>
            {
                reader.lexer.pos = before;
                return Ok(true);
            }
            Some(word) => keyword = word,
        }
    }
}

/// Reads the number of tuples and compares it with the number of points or cells.
fn tuples(reader: &mut Reader, section: &'static str) -> Result<u64, ImportError> {
    reader.lexer.section = section;
    let n = reader.lexer.count("tuples")?;
    let have = if section == "POINT_DATA" {
        reader.builder.mesh.points.len() as u64
    } else {
        u64::from(reader.builder.cells_read)
    };
    if n != have {
        let fault = Fault::Count {
            what: format!("tuples of {section}"),
            declared: n.to_string(),
            found: format!("{have} points or cells"),
        };
        return Err(reader.lexer.error(fault, ""));
    }
    Ok(n)
}

/// Skips metadata: lines up to an empty one.
fn metadata(reader: &mut Reader) {
    reader.lexer.line();
    while reader.lexer.line().is_some_and(|l| !l.is_empty()) {}
}

/// Reads an array name and decodes VTK's percent-encoding.
fn name(reader: &mut Reader) -> Result<String, ImportError> {
    let word = reader.lexer.required_word("the name of an array")?;
    let mut out = Vec::with_capacity(word.len());
    let mut i = 0;
    while i < word.len() {
        let hex = (word[i] == b'%')
            .then(|| word.get(i + 1..i + 3))
            .flatten()
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        out.push(hex.unwrap_or(word[i]));
        i += if hex.is_some() { 3 } else { 1 };
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Reads one attribute. Returns `false` if the keyword is unknown.
fn attribute(reader: &mut Reader, keyword: &[u8], owner: Owner) -> Result<bool, ImportError> {
    let n = match owner {
        Owner::Points(n) | Owner::Cells(n) => n,
        Owner::Dataset => 0,
    };
    let fixed = match keyword {
        b"VECTORS" | b"NORMALS" => Some(3),
        b"TENSORS" => Some(9),
        b"TENSORS6" => Some(6),
        b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => Some(1),
        _ => None,
    };
    let array_name;
    let (components, number) = match (keyword, fixed) {
        (_, Some(components)) => {
            array_name = name(reader)?;
            (components, reader.scalar_type()?)
        }
        (b"SCALARS", _) => {
            array_name = name(reader)?;
            let number = reader.scalar_type()?;
            let components = match reader.lexer.word_in_line() {
                Some(word) => reader.lexer.int_of(word, || "components".to_string())?,
                None => 1,
            };
            if reader
                .lexer
                .peek()
                .is_some_and(|w| w.eq_ignore_ascii_case(b"LOOKUP_TABLE"))
            {
                reader.lexer.word();
                reader.lexer.word();
            }
            (components, number)
        }
        (b"TEXTURE_COORDINATES", _) => {
            array_name = name(reader)?;
            let components = reader.lexer.int(|| "the dimension".to_string())?;
            (components, reader.scalar_type()?)
        }
        (b"COLOR_SCALARS", _) => {
            array_name = name(reader)?;
            let components = reader.lexer.int(|| "components".to_string())?;
            (components, ScalarType::U8)
        }
        _ => {
            let word = quoted(keyword);
            reader
                .builder
                .warn(format!("what follows {word} was ignored"));
            return Ok(false);
        }
    };
    let components = checked_components(reader, components)?;
    let values = values(reader, n, components, number)?;
    store(reader, owner, array_name, components, values);
    Ok(true)
}

fn checked_components(reader: &Reader, components: i64) -> Result<usize, ImportError> {
    match usize::try_from(components) {
        Ok(c @ 1..=1024) => Ok(c),
        _ => {
            let fault = Fault::Unexpected {
                expected: "a number of components between 1 and 1024".to_string(),
                found: components.to_string(),
            };
            Err(reader.lexer.error(fault, ""))
        }
    }
}

fn store(reader: &mut Reader, owner: Owner, name: String, components: usize, values: Vec<f64>) {
    let array = DataArray {
        name,
        components,
        values,
    };
    match owner {
        Owner::Points(_) => reader.builder.point_data.push(array),
        Owner::Cells(_) => reader.builder.cell_data.push(array),
        Owner::Dataset => {}
    }
}

/// Reads `FIELD name n`, then n times `name components tuples type` and numbers. Returns `false` if the rest of the file
/// cannot be read.
fn field(reader: &mut Reader, owner: Owner) -> Result<bool, ImportError> {
    name(reader)?;
    let n = reader.lexer.count("arrays")?;
    for _ in 0..n {
        if reader
            .lexer
            .peek()
            .is_some_and(|w| w.eq_ignore_ascii_case(b"METADATA"))
        {
            reader.lexer.word();
            metadata(reader);
        }
        let array_name = name(reader)?;
        let components = reader.lexer.int(|| "components".to_string())?;
        let tuples = reader.lexer.count("tuples")?;
        if reader.lexer.peek() == Some(b"string") {
            reader.builder.note(format!(
                "the text array \"{array_name}\" and what follows were ignored"
            ));
            return Ok(false);
        }
        let number = reader.scalar_type()?;
        let components = checked_components(reader, components.max(1))?;
        let values = values(reader, tuples, components, number)?;
        let whole = match owner {
            Owner::Points(n) | Owner::Cells(n) => n == tuples,
            Owner::Dataset => false,
        };
        if whole {
            store(reader, owner, array_name, components, values);
        }
    }
    Ok(true)
}

/// Reads `n` tuples of numbers.
fn values(
    reader: &mut Reader,
    n: u64,
    components: usize,
    number: ScalarType,
) -> Result<Vec<f64>, ImportError> {
    let total = n.saturating_mul(components as u64);
    if reader.binary {
        reader.begin_binary()?;
        let size = number.size();
        let bytes = reader.lexer.records(total, size, "an array")?;
        let all = bytes.chunks_exact(size);
        return Ok(all.map(|b| number.float(b, 0, Endian::Big)).collect());
    }
    let mut values = Vec::with_capacity(reader.lexer.capacity(total, 2));
    for i in 0..total {
        let word = reader
            .lexer
            .word()
            .ok_or_else(|| reader.lexer.truncated(format!("number {i} of {total}")))?;
        // NaN is allowed in fields: it marks missing values.
        values.push(parse_float(word).ok_or_else(|| {
            let at = reader.lexer.pos - word.len();
            reader
                .lexer
                .unexpected(at, format!("number {i} of {total}"), word)
        })?);
    }
    Ok(values)
}
