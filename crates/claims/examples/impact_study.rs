//! Study of brittle blocks under fixed and adaptive steps [Linearized Force Error, Fig. 2] over the number of particles.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p supple-claims --example impact_study -- docs/fracture/impact.csv` repeats the kept
//! results. Each row is written as soon as it is finished, and rows that the file has are not computed again, so an interrupted
//! study continues. `-- FILE dropped 26 52` computes one scene and some sizes only (cells along the block).

use std::io::Write;

use claims::brittle::{Comparison, IMPACTS};
use claims::finding::Cell;

/// Cells along the block: 637, 5292, 20812 and 38637 particles.
const SIZES: [u32; 4] = [12, 26, 42, 52];

fn line(cells: &[String]) -> String {
    cells.join(",") + "\n"
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let path = given.first().ok_or("name the file of the results")?;
    let mut sizes: Vec<u32> = given.iter().filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes.extend(SIZES);
    }
    let named = |name: &str| given.iter().any(|a| a == name);
    let all = IMPACTS.iter().all(|i| !named(i.name));
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    if known.is_empty() {
        file.write_all(line(&Comparison::COLUMNS.map(String::from)).as_bytes())?;
    }
    for cells in sizes {
        for impact in IMPACTS.iter().filter(|i| all || named(i.name)) {
            let head = format!("{},{}.0,", impact.name, cells);
            if known.lines().any(|l| l.starts_with(&head)) {
                continue;
            }
            let note = |what: &str| eprintln!("{}, {cells} cells: {what}", impact.name);
            let row = Comparison::compute(impact, cells, &note)?.row();
            let row: Vec<String> = row.iter().map(Cell::to_string).collect();
            file.write_all(line(&row).as_bytes())?;
        }
    }
    Ok(())
}
