//! Text of numbers and names, and the first group of each cell.

use std::fmt;

use mesh::Mesh;

/// Formats a double with the fewest digits that reproduce it.
pub(super) struct ShortestDecimal(pub f64);

impl fmt::Display for ShortestDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        // Plain decimals if they are short, an exponent otherwise.
        if size == 0.0 || (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// Formats a point as `x y z`.
pub(super) struct Point<'a>(pub &'a [f64; 3]);

impl fmt::Display for Point<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = *self.0;
        write!(
            f,
            "{} {} {}",
            ShortestDecimal(x),
            ShortestDecimal(y),
            ShortestDecimal(z)
        )
    }
}

/// First group of each cell, counted from 1 (0 for none), and the number of cells in several groups.
pub(super) fn first_groups(mesh: &Mesh) -> (Vec<u32>, usize) {
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

/// Group name on one line and without double quotes.
pub(super) fn one_line_name(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
