//! Numbers as text, and groups by cell.

use std::fmt;

use mesh::Mesh;

/// A double in the fewest digits that read back as the same double.
pub(super) struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        // Plain decimals where they are short.
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// A point as `x y z`.
pub(super) struct Point<'a>(pub &'a [f64; 3]);

impl fmt::Display for Point<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = *self.0;
        write!(f, "{} {} {}", Short(x), Short(y), Short(z))
    }
}

/// The first group of each cell, counted from 1 (0 for none), and how many cells are in several.
pub(super) fn group_of_cells(mesh: &Mesh) -> (Vec<u32>, usize) {
    let mut first = vec![
        0;
        if mesh.groups.is_empty() {
            0
        } else {
            mesh.len()
        }
    ];
    let mut several = vec![false; first.len()];
    for (g, group) in mesh.groups.iter().enumerate() {
        for &c in &group.cells {
            match &mut first[c as usize] {
                slot @ 0 => *slot = g as u32 + 1,
                _ => several[c as usize] = true,
            }
        }
    }
    let shared = several.iter().filter(|s| **s).count();
    (first, shared)
}

/// A name on one line, without quotes.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
