//! NumPy's `.npz` files: a ZIP archive of stored `.npy` arrays of 64-bit floating-point numbers, read by `numpy.load`.
//!
//! Formats: NEP 1 version 1.0 for the arrays, PKWARE's APPNOTE 6.3 without compression for the archive. Times of the
//! entries are constant, so the same arrays have the same bytes.

use flate2::Crc;
use std::io;
use std::path::Path;

/// A named array in row-major order.
pub struct Array<'a> {
    /// Name, the key in NumPy.
    pub name: &'a str,
    /// Number of entries along each axis.
    pub shape: &'a [usize],
    /// Entries, the last axis fastest.
    pub values: &'a [f64],
}

impl Array<'_> {
    /// Returns the bytes of the `.npy` file.
    fn bytes(&self) -> Vec<u8> {
        let axes: Vec<String> = self.shape.iter().map(|n| format!("{n},")).collect();
        let mut header = format!(
            "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}",
            axes.join(" ")
        );
        // Ten bytes before the header, a newline after it, and a total that is a multiple of 64.
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(self.values.iter().flat_map(|x| x.to_le_bytes()));
        out
    }
}

/// Date of the entries, 1980-01-01, the earliest that ZIP can store.
const DATE: u16 = 0x21;

/// Returns the fields that the local and the central header of an entry share.
fn common_header(name: &str, data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(data);
    let mut out = Vec::new();
    // Version 2.0, no flags, stored, time and date.
    for field in [20u16, 0, 0, 0, DATE] {
        out.extend(field.to_le_bytes());
    }
    for field in [crc.sum(), data.len() as u32, data.len() as u32] {
        out.extend(field.to_le_bytes());
    }
    out.extend((name.len() as u16).to_le_bytes());
    out.extend(0u16.to_le_bytes());
    out
}

/// Writes arrays to an `.npz` file, completely or not at all. Fails if the archive would exceed 4 GB.
pub fn write(path: &Path, arrays: &[Array]) -> io::Result<()> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for array in arrays {
        let name = format!("{}.npy", array.name);
        let data = array.bytes();
        if file.len() + data.len() > u32::MAX as usize / 2 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} would exceed 2 GB; ask for fewer modes", path.display()),
            ));
        }
        let offset = file.len() as u32;
        let header = common_header(&name, &data);
        file.extend(b"PK\x03\x04");
        file.extend(&header);
        file.extend(name.as_bytes());
        file.extend(data);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(header);
        // No comment, first disk, no attributes.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = file.len() as u32;
    file.extend(&directory);
    file.extend(b"PK\x05\x06\x00\x00\x00\x00");
    for count in [arrays.len() as u16; 2] {
        file.extend(count.to_le_bytes());
    }
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend(0u16.to_le_bytes());
    base::file::write(path, &file)
}
