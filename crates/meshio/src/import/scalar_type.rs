//! Scalar types of numbers in files.

use super::lexer::{Endian, f32_at, f64_at, i16_at, i32_at, i64_at, u16_at, u32_at, u64_at};

/// Type of a stored number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl ScalarType {
    /// Size of one number, bytes.
    pub const fn size(self) -> usize {
        match self {
            ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Decodes the number at a byte offset; the caller has checked the length.
    pub fn float(self, bytes: &[u8], at: usize, endian: Endian) -> f64 {
        match self {
            ScalarType::F32 => f64::from(f32_at(bytes, at, endian)),
            ScalarType::F64 => f64_at(bytes, at, endian),
            ScalarType::U64 => u64_at(bytes, at, endian) as f64,
            _ => self.int(bytes, at, endian).unwrap_or(0) as f64,
        }
    }

    /// Decodes the integer at a byte offset. Returns `None` if the number is not an integer.
    pub fn int(self, bytes: &[u8], at: usize, endian: Endian) -> Option<i64> {
        Some(match self {
            ScalarType::I8 => i64::from(bytes[at] as i8),
            ScalarType::U8 => i64::from(bytes[at]),
            ScalarType::I16 => i64::from(i16_at(bytes, at, endian)),
            ScalarType::U16 => i64::from(u16_at(bytes, at, endian)),
            ScalarType::I32 => i64::from(i32_at(bytes, at, endian)),
            ScalarType::U32 => i64::from(u32_at(bytes, at, endian)),
            ScalarType::I64 => i64_at(bytes, at, endian),
            ScalarType::U64 => return i64::try_from(u64_at(bytes, at, endian)).ok(),
            ScalarType::F32 | ScalarType::F64 => {
                let x = self.float(bytes, at, endian);
                // Only integers that a double represents exactly.
                return (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as i64);
            }
        })
    }

    /// Type of a name in legacy VTK files. Returns `None` for an unknown name.
    pub fn from_vtk_name(name: &[u8]) -> Option<ScalarType> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => ScalarType::I8,
            b"unsigned_char" | b"vtktypeuint8" => ScalarType::U8,
            b"short" | b"vtktypeint16" => ScalarType::I16,
            b"unsigned_short" | b"vtktypeuint16" => ScalarType::U16,
            // VTK writes its id type as int.
            b"int" | b"vtkidtype" | b"vtktypeint32" => ScalarType::I32,
            b"unsigned_int" | b"vtktypeuint32" => ScalarType::U32,
            b"long" | b"long_long" | b"vtktypeint64" => ScalarType::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => ScalarType::U64,
            b"float" => ScalarType::F32,
            b"double" => ScalarType::F64,
            _ => return None,
        })
    }

    /// Type of a name in VTK XML files. Returns `None` for an unknown name.
    pub fn from_vtk_xml_name(name: &str) -> Option<ScalarType> {
        Some(match name {
            "Int8" => ScalarType::I8,
            "UInt8" => ScalarType::U8,
            "Int16" => ScalarType::I16,
            "UInt16" => ScalarType::U16,
            "Int32" => ScalarType::I32,
            "UInt32" => ScalarType::U32,
            "Int64" => ScalarType::I64,
            "UInt64" => ScalarType::U64,
            "Float32" => ScalarType::F32,
            "Float64" => ScalarType::F64,
            _ => return None,
        })
    }

    /// Type of an old or new name in PLY files. Returns `None` for an unknown name.
    pub fn from_ply_name(name: &[u8]) -> Option<ScalarType> {
        Some(match name {
            b"char" | b"int8" => ScalarType::I8,
            b"uchar" | b"uint8" => ScalarType::U8,
            b"short" | b"int16" => ScalarType::I16,
            b"ushort" | b"uint16" => ScalarType::U16,
            b"int" | b"int32" => ScalarType::I32,
            b"uint" | b"uint32" => ScalarType::U32,
            b"float" | b"float32" => ScalarType::F32,
            b"double" | b"float64" => ScalarType::F64,
            _ => return None,
        })
    }
}
