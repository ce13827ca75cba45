#![no_main]

use libfuzzer_sys::fuzz_target;
use scene::checkpoint::Checkpoint;

fuzz_target!(|data: &[u8]| {
    let _ = Checkpoint::parse(data);
});
