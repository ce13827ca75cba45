//! Attributes of points and cells in legacy VTK files.

use super::DataArray;
use super::error::{Fault, ImportError};
use super::scan::{Endian, parse_float, shown};
use super::values::Number;
use super::vtk_legacy::Reader;

/// What attributes belong to.
#[derive(Clone, Copy)]
enum Owner {
    Nobody,
    Points(u64),
    Cells(u64),
}

/// Reads attributes from `keyword` to the end of the file or to a word that is not theirs; false where nothing
/// more can be read.
pub(crate) fn attributes(reader: &mut Reader, keyword: &[u8]) -> Result<bool, ImportError> {
    let mut owner = Owner::Nobody;
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
                let n = reader.scan.count("colours")?;
                // Four bytes a colour in binary files, four numbers between 0 and 1 in ascii ones.
                values(reader, n, 4, Number::U8)?;
            }
            _ => {
                if !attribute(reader, &keyword, owner)? {
                    return Ok(false);
                }
            }
        }
        reader.scan.section = "";
        let before = reader.scan.pos;
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
                reader.scan.pos = before;
                return Ok(true);
            }
            Some(word) => keyword = word,
        }
    }
}

fn tuples(reader: &mut Reader, section: &'static str) -> Result<u64, ImportError> {
    reader.scan.section = section;
    let n = reader.scan.count("tuples")?;
    let have = if section == "POINT_DATA" {
        reader.draft.mesh.points.len() as u64
    } else {
        u64::from(reader.draft.seen)
    };
    if n != have {
        let fault = Fault::Count {
            what: format!("tuples of {section}"),
            declared: n.to_string(),
            found: format!("{have} points or cells"),
        };
        return Err(reader.scan.fail(fault, ""));
    }
    Ok(n)
}

/// Lines up to an empty one.
fn metadata(reader: &mut Reader) {
    reader.scan.line();
    while reader.scan.line().is_some_and(|l| !l.is_empty()) {}
}

/// A name, with VTK's `%20` for blanks and the like.
fn name(reader: &mut Reader) -> Result<String, ImportError> {
    let word = reader.scan.need("the name of an array")?;
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

fn attribute(reader: &mut Reader, keyword: &[u8], owner: Owner) -> Result<bool, ImportError> {
    let n = match owner {
        Owner::Points(n) | Owner::Cells(n) => n,
        Owner::Nobody => 0,
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
            (components, reader.number()?)
        }
        (b"SCALARS", _) => {
            array_name = name(reader)?;
            let number = reader.number()?;
            let components = match reader.scan.word_in_line() {
                Some(word) => reader.scan.int_of(word, || "components".to_string())?,
                None => 1,
            };
            if reader
                .scan
                .peek()
                .is_some_and(|w| w.eq_ignore_ascii_case(b"LOOKUP_TABLE"))
            {
                reader.scan.word();
                reader.scan.word();
            }
            (components, number)
        }
        (b"TEXTURE_COORDINATES", _) => {
            array_name = name(reader)?;
            let components = reader.scan.int(|| "the dimension".to_string())?;
            (components, reader.number()?)
        }
        (b"COLOR_SCALARS", _) => {
            array_name = name(reader)?;
            let components = reader.scan.int(|| "components".to_string())?;
            (components, Number::U8)
        }
        _ => {
            let word = shown(keyword);
            reader
                .draft
                .warn(format!("what follows {word} was ignored"));
            return Ok(false);
        }
    };
    let components = checked(reader, components)?;
    let values = values(reader, n, components, number)?;
    keep(reader, owner, array_name, components, values);
    Ok(true)
}

fn checked(reader: &Reader, components: i64) -> Result<usize, ImportError> {
    match usize::try_from(components) {
        Ok(c @ 1..=1024) => Ok(c),
        _ => {
            let fault = Fault::Unexpected {
                expected: "a number of components between 1 and 1024".to_string(),
                found: components.to_string(),
            };
            Err(reader.scan.fail(fault, ""))
        }
    }
}

fn keep(reader: &mut Reader, owner: Owner, name: String, components: usize, values: Vec<f64>) {
    let array = DataArray {
        name,
        components,
        values,
    };
    match owner {
        Owner::Points(_) => reader.draft.point_data.push(array),
        Owner::Cells(_) => reader.draft.cell_data.push(array),
        Owner::Nobody => {}
    }
}

/// `FIELD name n`, then n times `name components tuples type` and numbers; false where it cannot be read on.
fn field(reader: &mut Reader, owner: Owner) -> Result<bool, ImportError> {
    name(reader)?;
    let n = reader.scan.count("arrays")?;
    for _ in 0..n {
        if reader
            .scan
            .peek()
            .is_some_and(|w| w.eq_ignore_ascii_case(b"METADATA"))
        {
            reader.scan.word();
            metadata(reader);
        }
        let array_name = name(reader)?;
        let components = reader.scan.int(|| "components".to_string())?;
        let tuples = reader.scan.count("tuples")?;
        if reader.scan.peek() == Some(b"string") {
            reader.draft.note(format!(
                "the text array \"{array_name}\" and what follows were ignored"
            ));
            return Ok(false);
        }
        let number = reader.number()?;
        let components = checked(reader, components.max(1))?;
        let values = values(reader, tuples, components, number)?;
        let whole = match owner {
            Owner::Points(n) | Owner::Cells(n) => n == tuples,
            Owner::Nobody => false,
        };
        if whole {
            keep(reader, owner, array_name, components, values);
        }
    }
    Ok(true)
}

/// `n` tuples of numbers.
fn values(
    reader: &mut Reader,
    n: u64,
    components: usize,
    number: Number,
) -> Result<Vec<f64>, ImportError> {
    let total = n.saturating_mul(components as u64);
    if reader.binary {
        reader.begin_binary()?;
        let size = number.size();
        let bytes = reader.scan.records(total, size, "an array")?;
        let all = bytes.chunks_exact(size);
        return Ok(all.map(|b| number.float(b, 0, Endian::Big)).collect());
    }
    let mut values = Vec::with_capacity(reader.scan.room(total, 2));
    for i in 0..total {
        let word = reader
            .scan
            .word()
            .ok_or_else(|| reader.scan.truncated(format!("number {i} of {total}")))?;
        // Fields may hold NaN where nothing was measured.
        values.push(parse_float(word).ok_or_else(|| {
            let at = reader.scan.pos - word.len();
            reader
                .scan
                .unexpected(at, format!("number {i} of {total}"), word)
        })?);
    }
    Ok(values)
}
