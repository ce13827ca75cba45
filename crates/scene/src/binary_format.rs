//! Binary format of checkpoints and capsules: a header line with kind and version, postcard data, and a checksum.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use meshio::record::write_atomically;

/// Kind and version of a binary file.
#[derive(Clone, Copy, Debug)]
pub struct BinaryFormat {
    /// Name of the kind, for example `checkpoint`.
    pub kind: &'static str,
    /// Version; files of other versions are refused.
    pub version: u32,
}

impl BinaryFormat {
    fn head(&self) -> String {
        format!("supple {} {}\n", self.kind, self.version)
    }

    /// Writes a file atomically: on failure an earlier file remains.
    pub fn write(&self, path: &Path, content: &impl Serialize) -> io::Result<()> {
        let body = postcard::to_allocvec(content).map_err(io::Error::other)?;
        let mut out = self.head().into_bytes();
        out.extend(body);
        let sum = fnv1a(&out);
        out.extend(sum.to_le_bytes());
        write_atomically(path, |file| file.write_all(&out))
    }

    /// Parses the bytes of a file. Returns an error message for any bytes that are not a valid file.
    pub fn parse<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, String> {
        let kind = self.kind;
        let prefix = format!("supple {kind} ");
        let version = bytes.strip_prefix(prefix.as_bytes()).and_then(|rest| {
            let end = rest.iter().position(|b| *b == b'\n')?;
            std::str::from_utf8(&rest[..end]).ok()?.parse::<u32>().ok()
        });
        match version {
            None => return Err(format!("this is not a {kind} of Supple")),
            Some(version) if version != self.version => {
                return Err(format!(
                    "this {kind} has format {version}, and this version of Supple reads format {}",
                    self.version
                ));
            }
            Some(_) => {}
        }
        let (content, sum) = bytes
            .split_last_chunk::<8>()
            .ok_or_else(|| format!("the {kind} is cut short"))?;
        if fnv1a(content).to_le_bytes() != *sum {
            return Err(format!("the {kind} is damaged: its checksum is wrong"));
        }
        postcard::from_bytes(&content[self.head().len().min(content.len())..])
            .map_err(|why| format!("the {kind} is damaged: {why}"))
    }
}

/// Returns whether two values are identical bit for bit, including NaN.
pub fn same_bits<T: Serialize>(a: &T, b: &T) -> bool {
    match (postcard::to_allocvec(a), postcard::to_allocvec(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Returns the 64-bit FNV-1a hash of bytes.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: BinaryFormat = BinaryFormat {
        kind: "sample",
        version: 7,
    };

    fn written() -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let numbers = vec![-0.0, 1e-300, f64::INFINITY];
        FORMAT.write(&path, &(3u64, numbers)).unwrap();
        std::fs::read(&path).unwrap()
    }

    #[test]
    fn written_values_are_read_back_bit_for_bit() {
        let (count, numbers): (u64, Vec<f64>) = FORMAT.parse(&written()).unwrap();
        assert_eq!((count, numbers.len()), (3, 3));
        assert_eq!(numbers[0].to_bits(), (-0.0f64).to_bits());
        assert_eq!((numbers[1], numbers[2]), (1e-300, f64::INFINITY));
    }

    #[test]
    fn every_damaged_byte_is_detected() {
        let bytes = written();
        let read = |bytes: &[u8]| FORMAT.parse::<(u64, Vec<f64>)>(bytes);
        for i in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[i] ^= 0x10;
            assert!(
                read(&bad).is_err(),
                "a flipped bit in byte {i} went unnoticed"
            );
            assert!(
                read(&bytes[..i]).is_err(),
                "a cut at byte {i} went unnoticed"
            );
        }
    }

    #[test]
    fn other_versions_are_refused_by_number() {
        let old = BinaryFormat {
            version: 6,
            ..FORMAT
        };
        let why = old.parse::<(u64, Vec<f64>)>(&written()).unwrap_err();
        assert!(
            why.contains("format 7") && why.contains("reads format 6"),
            "{why}"
        );
    }
}
