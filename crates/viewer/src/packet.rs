//! Binary messages of named arrays: the length of a JSON header (32 bits), the header, and the arrays that it lists. Numbers are
//! little-endian, and every array starts at a multiple of 4 bytes.

use serde_json::{Map, Value, json};

/// Builder of a message.
#[derive(Debug, Default)]
pub struct Packet {
    header: Map<String, Value>,
    arrays: Vec<Value>,
    bytes: Vec<u8>,
}

impl Packet {
    /// Creates a message without arrays.
    pub fn new() -> Packet {
        Packet::default()
    }

    /// Sets an entry of the header.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Packet {
        self.header.insert(name.into(), value.into());
        self
    }

    /// Appends an array of single-precision numbers.
    pub fn floats(mut self, name: &str, numbers: impl Iterator<Item = f32>) -> Packet {
        let before = self.bytes.len();
        self.bytes.extend(numbers.flat_map(f32::to_le_bytes));
        let length = (self.bytes.len() - before) / 4;
        self.list(name, "f32", length)
    }

    /// Appends positions.
    pub fn points<'a>(self, name: &str, points: impl Iterator<Item = &'a [f64; 3]> + 'a) -> Packet {
        self.floats(name, points.flat_map(|p| p.map(|x| x as f32)))
    }

    /// Appends an array of whole numbers.
    pub fn integers(mut self, name: &str, numbers: impl Iterator<Item = u32>) -> Packet {
        let before = self.bytes.len();
        self.bytes.extend(numbers.flat_map(u32::to_le_bytes));
        let length = (self.bytes.len() - before) / 4;
        self.list(name, "u32", length)
    }

    /// Appends an array of bytes.
    pub fn octets(mut self, name: &str, octets: impl Iterator<Item = u8>) -> Packet {
        let before = self.bytes.len();
        self.bytes.extend(octets);
        let length = self.bytes.len() - before;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.list(name, "u8", length)
    }

    fn list(mut self, name: &str, kind: &str, length: usize) -> Packet {
        self.arrays
            .push(json!({ "name": name, "type": kind, "length": length }));
        self
    }

    /// Returns the bytes of the message.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.header
            .insert("arrays".into(), Value::Array(self.arrays));
        let mut header = Value::Object(self.header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let mut message = (header.len() as u32).to_le_bytes().to_vec();
        message.append(&mut header);
        message.append(&mut self.bytes);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::Packet;

    #[test]
    fn arrays_are_aligned_and_listed() {
        let packet = Packet::new()
            .with("t", 0.5)
            .octets("bodies", [7].into_iter());
        let bytes = packet.floats("field", [1.5].into_iter()).into_bytes();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(length % 4, 0);
        let header: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(header["t"], 0.5);
        assert_eq!(header["arrays"][0]["length"], 1);
        let rest = &bytes[4 + length..];
        assert_eq!(rest[..4], [7, 0, 0, 0]);
        assert_eq!(rest[4..], 1.5f32.to_le_bytes());
    }
}
