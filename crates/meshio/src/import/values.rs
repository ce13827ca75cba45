//! Types of numbers in binary and mixed files.

use super::scan::{Endian, f32_at, f64_at, i16_at, i32_at, i64_at, u16_at, u32_at, u64_at};

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
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

impl Number {
    /// Bytes of one number.
    pub const fn size(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::I64 | Number::U64 | Number::F64 => 8,
        }
    }

    /// The number at a byte offset; the caller has checked the length.
    pub fn float(self, bytes: &[u8], at: usize, endian: Endian) -> f64 {
        match self {
            Number::F32 => f64::from(f32_at(bytes, at, endian)),
            Number::F64 => f64_at(bytes, at, endian),
            Number::U64 => u64_at(bytes, at, endian) as f64,
            _ => self.int(bytes, at, endian).unwrap_or(0) as f64,
        }
    }

    /// The integer at a byte offset; `None` where the number is not one.
    pub fn int(self, bytes: &[u8], at: usize, endian: Endian) -> Option<i64> {
        Some(match self {
            Number::I8 => i64::from(bytes[at] as i8),
            Number::U8 => i64::from(bytes[at]),
            Number::I16 => i64::from(i16_at(bytes, at, endian)),
            Number::U16 => i64::from(u16_at(bytes, at, endian)),
            Number::I32 => i64::from(i32_at(bytes, at, endian)),
            Number::U32 => i64::from(u32_at(bytes, at, endian)),
            Number::I64 => i64_at(bytes, at, endian),
            Number::U64 => return i64::try_from(u64_at(bytes, at, endian)).ok(),
            Number::F32 | Number::F64 => {
                let x = self.float(bytes, at, endian);
                // Exactly representable integers only.
                return (x.fract() == 0.0 && x.abs() < 9e15).then_some(x as i64);
            }
        })
    }

    /// By the names of legacy VTK.
    pub fn vtk(name: &[u8]) -> Option<Number> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => Number::I8,
            b"unsigned_char" | b"vtktypeuint8" => Number::U8,
            b"short" | b"vtktypeint16" => Number::I16,
            b"unsigned_short" | b"vtktypeuint16" => Number::U16,
            // VTK writes its id type as int.
            b"int" | b"vtkidtype" | b"vtktypeint32" => Number::I32,
            b"unsigned_int" | b"vtktypeuint32" => Number::U32,
            b"long" | b"long_long" | b"vtktypeint64" => Number::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => Number::U64,
            b"float" => Number::F32,
            b"double" => Number::F64,
            _ => return None,
        })
    }

    /// By the names of VTK's XML files.
    pub fn xml(name: &str) -> Option<Number> {
        Some(match name {
            "Int8" => Number::I8,
            "UInt8" => Number::U8,
            "Int16" => Number::I16,
            "UInt16" => Number::U16,
            "Int32" => Number::I32,
            "UInt32" => Number::U32,
            "Int64" => Number::I64,
            "UInt64" => Number::U64,
            "Float32" => Number::F32,
            "Float64" => Number::F64,
            _ => return None,
        })
    }

    /// By the names of PLY, old and new.
    pub fn ply(name: &[u8]) -> Option<Number> {
        Some(match name {
            b"char" | b"int8" => Number::I8,
            b"uchar" | b"uint8" => Number::U8,
            b"short" | b"int16" => Number::I16,
            b"ushort" | b"uint16" => Number::U16,
            b"int" | b"int32" => Number::I32,
            b"uint" | b"uint32" => Number::U32,
            b"float" | b"float32" => Number::F32,
            b"double" | b"float64" => Number::F64,
            _ => return None,
        })
    }
}
