//! Pairs of points within a distance, found on a grid of cells.

use rayon::prelude::*;

/// Points sorted by the cells of a grid.
struct Grid {
    low: [f64; 3],
    cell: f64,
    counts: [usize; 3],
    /// Points in the order of their cells, then of their numbers.
    order: Vec<u32>,
    /// First point of each cell in `order`, and the end.
    starts: Vec<u32>,
}

/// Largest number of cells along an axis.
const MAX_CELLS: usize = 1 << 8;

impl Grid {
    fn new(points: &[[f64; 3]], radius: f64) -> Grid {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in points {
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let cell = radius.max(extent / (MAX_CELLS - 1) as f64);
        let counts = [0, 1, 2].map(|k| ((high[k] - low[k]) / cell) as usize + 1);
        let mut grid = Grid {
            low,
            cell,
            counts,
            order: (0..points.len() as u32).collect(),
            starts: vec![0; counts.iter().product::<usize>() + 1],
        };
        let cells: Vec<usize> = points.iter().map(|p| grid.number(grid.place(p))).collect();
        grid.order.sort_by_key(|&i| cells[i as usize]);
        for &c in &cells {
            grid.starts[c + 1] += 1;
        }
        for c in 1..grid.starts.len() {
            grid.starts[c] += grid.starts[c - 1];
        }
        grid
    }

    fn place(&self, p: &[f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|k| (((p[k] - self.low[k]) / self.cell) as usize).min(self.counts[k] - 1))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Calls `visit` with all points in the cells around a point.
    fn around(&self, p: &[f64; 3], mut visit: impl FnMut(u32)) {
        let at = self.place(p);
        let range = |k: usize| at[k].saturating_sub(1)..=(at[k] + 1).min(self.counts[k] - 1);
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let c = self.number([x, y, z]);
                    let own = self.starts[c] as usize..self.starts[c + 1] as usize;
                    self.order[own].iter().for_each(|&i| visit(i));
                }
            }
        }
    }
}

/// Returns all pairs (i, j), i < j, of points at most `radius` apart, sorted by i and then by j.
pub fn pairs_within(points: &[[f64; 3]], radius: f64) -> Vec<[u32; 2]> {
    if points.is_empty() {
        return Vec::new();
    }
    let grid = Grid::new(points, radius);
    let partners = |i: usize| {
        let mut found = Vec::new();
        grid.around(&points[i], |j| {
            if j as usize > i && squared_distance(points[i], points[j as usize]) <= radius * radius
            {
                found.push([i as u32, j]);
            }
        });
        found.sort_unstable();
        found
    };
    let lists: Vec<Vec<[u32; 2]>> = (0..points.len()).into_par_iter().map(partners).collect();
    lists.concat()
}

/// Returns the mean distance of points to their nearest neighbours; 0 for fewer than two points.
pub fn mean_spacing(points: &[[f64; 3]]) -> f64 {
    if points.len() < 2 {
        return 0.0;
    }
    nearest_distances(points).iter().sum::<f64>() / points.len() as f64
}

/// Returns the distance of each point to its nearest neighbour; infinite for a single point.
pub fn nearest_distances(points: &[[f64; 3]]) -> Vec<f64> {
    let extent = |k: usize| {
        let of = |sign: f64| points.iter().map(|p| sign * p[k]).fold(f64::MIN, f64::max);
        of(1.0) + of(-1.0)
    };
    let diagonal = (0..3).map(|k| extent(k).powi(2)).sum::<f64>().sqrt();
    let longest = (0..3).map(extent).fold(0.0, f64::max);
    // A first guess, doubled until every point has found a neighbour within it.
    let mut radius = 1.5 * longest / (points.len() as f64).cbrt();
    loop {
        let grid = Grid::new(points, radius);
        let nearest = |i: usize| {
            let mut least = f64::INFINITY;
            grid.around(&points[i], |j| {
                if j as usize != i {
                    least = least.min(squared_distance(points[i], points[j as usize]));
                }
            });
            least.sqrt()
        };
        let all: Vec<f64> = (0..points.len()).into_par_iter().map(nearest).collect();
        if radius > diagonal || all.iter().all(|d| *d <= radius) {
            return all;
        }
        radius *= 2.0;
    }
}

fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn scattered(count: usize, size: [f64; 3]) -> Vec<[f64; 3]> {
        let mut random = Random::new(5);
        (0..count)
            .map(|_| size.map(|s| random.between(-s, s)))
            .collect()
    }

    #[test]
    fn pairs_are_those_of_all_comparisons() {
        for (size, radius) in [([1.0; 3], 0.3), ([5.0, 0.1, 1.0], 0.4), ([1.0; 3], 9.0)] {
            let points = scattered(300, size);
            let mut wanted = Vec::new();
            for i in 0..points.len() {
                for j in i + 1..points.len() {
                    if squared_distance(points[i], points[j]) <= radius * radius {
                        wanted.push([i as u32, j as u32]);
                    }
                }
            }
            assert_eq!(pairs_within(&points, radius), wanted);
        }
    }

    #[test]
    fn spacing_is_the_mean_distance_of_nearest_neighbours() {
        let points = scattered(200, [3.0, 0.2, 1.0]);
        let nearest = |i: usize| {
            let others = (0..points.len()).filter(|j| *j != i);
            let squares = others.map(|j| squared_distance(points[i], points[j]));
            squares.fold(f64::INFINITY, f64::min).sqrt()
        };
        let mean = (0..points.len()).map(nearest).sum::<f64>() / points.len() as f64;
        assert!((mean_spacing(&points) / mean - 1.0).abs() < 1e-12);
        assert_eq!(mean_spacing(&[[0.0; 3], [0.0, 2.0, 0.0]]), 2.0);
        assert_eq!(mean_spacing(&[[1.0; 3]]), 0.0);
    }
}
