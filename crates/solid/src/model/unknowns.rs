//! The numbering of the unknowns, and patterns over them.

use std::sync::Arc;

use sparse::{Matrix, Pattern, Placement};

use crate::blocks::BlockPattern;
use crate::potential::Bonds;

/// Number of the unknown of each node and axis; `u32::MAX` if the component is prescribed.
pub fn unknown_numbers(free: &[(u32, u8)], n: usize) -> Vec<[u32; 3]> {
    let mut out = vec![[u32::MAX; 3]; n];
    for (number, &(i, k)) in free.iter().enumerate() {
        out[i as usize][k as usize] = number as u32;
    }
    out
}

/// Entries (row, column, 9 · block + position in it) of the lower triangle over the unknowns, column by column, rows
/// ascending. Nodes that wait couple with no other; nodes without a mark do not wait.
fn entries<'a>(
    pattern: &'a BlockPattern,
    free: &'a [(u32, u8)],
    number: &'a [[u32; 3]],
    waiting: &'a [bool],
) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
    let waits = move |i: u32| waiting.get(i as usize).copied().unwrap_or(false);
    free.iter().enumerate().flat_map(move |(column, &(j, c))| {
        pattern.column(j as usize).flat_map(move |block| {
            let i = pattern.rows[block];
            let first = match i == j {
                true => c,
                false if waits(i) || waits(j) => 3,
                false => 0,
            };
            (first..3).filter_map(move |r| {
                let row = number[i as usize][r as usize];
                (row != u32::MAX).then_some((
                    row as usize,
                    column,
                    9 * block + 3 * r as usize + c as usize,
                ))
            })
        })
    })
}

/// Pattern of the matrix over the unknowns, and 9 · block + position in the block for each of its entries; nodes that wait couple
/// with no other.
pub fn gather_map(
    pattern: &BlockPattern,
    free: &[(u32, u8)],
    n: usize,
    waiting: &[bool],
) -> (Arc<Pattern>, Vec<u32>) {
    let number = unknown_numbers(free, n);
    let groups = free.iter().map(|&(i, _)| i).collect();
    let places = entries(pattern, free, &number, waiting).map(|(row, column, _)| (row, column));
    let free_pattern = Pattern::grouped(free.len(), places, contiguous(groups));
    let gather = entries(pattern, free, &number, waiting)
        .map(|(_, _, place)| place as u32)
        .collect();
    (free_pattern, gather)
}

/// Mean length of bonds at rest, m.
pub fn mean_length<'a>(all: impl Iterator<Item = &'a Bonds>) -> f64 {
    let (sum, count) = all.fold((0.0, 0), |(sum, count), bonds| {
        (
            sum + bonds.rest_lengths().iter().sum::<f64>(),
            count + bonds.len(),
        )
    });
    sum / count.max(1) as f64
}

/// Where the unknowns are at rest.
pub fn placement(free: &[(u32, u8)], rest: &[[f64; 3]], reach: f64) -> Placement {
    let mut nodes: Vec<u32> = free.iter().map(|&(i, _)| i).collect();
    nodes.dedup();
    Placement {
        points: nodes.iter().map(|&i| rest[i as usize]).collect(),
        axes: free.iter().map(|&(_, axis)| axis).collect(),
        reach,
    }
}

/// Renumbers ascending labels to 0, 1, 2, …
fn contiguous(mut labels: Vec<u32>) -> Vec<u32> {
    let mut next = 0;
    let mut before = labels.first().copied();
    for label in &mut labels {
        if Some(*label) != before {
            next += 1;
            before = Some(*label);
        }
        *label = next;
    }
    labels
}

/// The mass matrix over the unknowns, on a pattern of its own: diagonal if the mass is lumped.
pub fn reduce_mass(pattern: &BlockPattern, mass: &[f64], free: &[(u32, u8)], n: usize) -> Matrix {
    let number = unknown_numbers(free, n);
    let list: Vec<(usize, usize, f64)> = entries(pattern, free, &number, &[])
        .filter(|(_, _, place)| place % 9 % 4 == 0)
        .map(|(row, column, place)| (row, column, mass[place / 9]))
        .filter(|(row, column, m)| row == column || *m != 0.0)
        .collect();
    let groups = contiguous(free.iter().map(|&(i, _)| i).collect());
    let mut out = Matrix::new(Pattern::grouped(
        free.len(),
        list.iter().map(|&(i, j, _)| (i, j)),
        groups,
    ));
    for (k, (_, _, m)) in list.iter().enumerate() {
        out.values_mut()[k] = *m;
    }
    out
}
