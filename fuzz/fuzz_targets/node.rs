#![no_main]

use libfuzzer_sys::fuzz_target;
use meshio::import::{Format, read_bytes};

fuzz_target!(|data: &[u8]| {
    let _ = read_bytes(data, Format::Tetgen, "input");
});
