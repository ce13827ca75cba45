//! One level of a correction, positions or velocities: normal impulses by the quadratic program, friction by staggered
//! projections [Kaufman et al. 2008]: normal impulses with the friction fixed, friction with the normal impulses fixed, until
//! both stand still.

use march::{ContactPoint, StepError};

use crate::active_set::{ActiveSet, ActiveSetCounts};
use crate::contact_factor::{ContactFactor, NormalRows, relative, row_scale};
use crate::friction::FrictionProblem;

/// Largest number of staggered projections.
const MAX_STAGGERS: usize = 60;
/// Change of the friction impulses at which the projections stand still, relative to the largest normal impulse.
const CONVERGED: f64 = 1e-9;

/// Solver of both levels with its buffers.
#[derive(Default)]
pub(crate) struct LevelSolver {
    set: ActiveSet,
    scales: Vec<f64>,
    b: Vec<f64>,
    friction: FrictionProblem,
    /// Points with friction, in the order of the friction problem.
    rubbing: Vec<u32>,
    response: Vec<f64>,
}

/// Input of a level.
pub(crate) struct Level<'a> {
    pub points: &'a [ContactPoint],
    /// Relative motion of each point without the impulses of this level, along its axes, m/s.
    pub motion: &'a [[f64; 3]],
    /// Least normal motion of each point, m/s; −∞ for points that need none.
    pub least: &'a [f64],
}

impl LevelSolver {
    /// Begins with these points.
    pub fn begin(&mut self, points: &[ContactPoint]) {
        self.set.begin(points.len());
        self.scales.clear();
        self.scales.extend(points.iter().map(row_scale));
    }

    /// Finds the impulses of a level along the axes of the points, N s. `guess` names points that are expected to be active.
    /// Returns `false` if friction did not converge.
    pub fn solve(
        &mut self,
        factor: &mut ContactFactor,
        level: &Level,
        guess: impl Fn(usize) -> bool,
        impulses: &mut Vec<[f64; 3]>,
    ) -> Result<(ActiveSetCounts, bool), StepError> {
        impulses.clear();
        impulses.resize(level.points.len(), [0.0; 3]);
        self.set.drop_active();
        let mut rows = NormalRows {
            factor,
            points: level.points,
            scales: &self.scales,
        };
        for i in (0..level.points.len()).filter(|i| level.least[*i] > f64::NEG_INFINITY) {
            // A point that separates by itself is hardly active; its column would cost a solve.
            if guess(i) && level.motion[i][0] < level.least[i] {
                self.set.activate(&mut rows, i)?;
            }
        }
        let mut counts = self.solve_normal(factor, level, impulses)?;
        let mut converged = true;
        if level.points.iter().any(|p| p.friction > 0.0) {
            converged = false;
            for _ in 0..MAX_STAGGERS {
                let change = self.solve_friction(factor, level, impulses)?;
                let largest = impulses.iter().fold(0.0, |m: f64, i| m.max(i[0]));
                if change <= CONVERGED * largest {
                    converged = true;
                    break;
                }
                let again = self.solve_normal(factor, level, impulses)?;
                counts.pivots += again.pivots;
            }
        }
        Ok((counts, converged))
    }

    /// Finds the normal impulses with the friction impulses fixed.
    fn solve_normal(
        &mut self,
        factor: &mut ContactFactor,
        level: &Level,
        impulses: &mut [[f64; 3]],
    ) -> Result<ActiveSetCounts, StepError> {
        let tangential = |i: &[f64; 3]| [0.0, i[1], i[2]];
        let rubs = self.write_response(factor, impulses, tangential);
        self.b.clear();
        for (i, point) in level.points.iter().enumerate() {
            let by_friction = match rubs {
                true => relative(point, 0, &self.response),
                false => 0.0,
            };
            let wanted = level.least[i] - level.motion[i][0] - by_friction;
            self.b.push(self.scales[i] * wanted);
        }
        let mut rows = NormalRows {
            factor,
            points: level.points,
            scales: &self.scales,
        };
        let counts = self.set.solve(&mut rows, &self.b)?;
        let found = self.set.multipliers().iter().zip(&self.scales);
        for (impulse, (lambda, scale)) in impulses.iter_mut().zip(found) {
            impulse[0] = scale * lambda;
        }
        Ok(counts)
    }

    /// Finds the friction impulses with the normal impulses fixed; returns the largest change.
    fn solve_friction(
        &mut self,
        factor: &mut ContactFactor,
        level: &Level,
        impulses: &mut [[f64; 3]],
    ) -> Result<f64, StepError> {
        let points = level.points;
        self.rubbing.clear();
        for (i, point) in points.iter().enumerate() {
            if point.friction * impulses[i][0] > 0.0 {
                self.rubbing.push(i as u32);
            }
        }
        self.write_response(factor, impulses, |i| [i[0], 0.0, 0.0]);
        let problem = &mut self.friction;
        problem.bounds.clear();
        problem.sliding.clear();
        problem.impulses.clear();
        for &i in &self.rubbing {
            let i = i as usize;
            problem.bounds.push(points[i].friction * impulses[i][0]);
            for axis in [1, 2] {
                let normal = relative(&points[i], axis, &self.response);
                problem.sliding.push(level.motion[i][axis] + normal);
                problem.impulses.push(impulses[i][axis]);
            }
        }
        let n = 2 * self.rubbing.len();
        problem.matrix.clear();
        problem.matrix.resize(n * n, 0.0);
        for (column, &j) in self.rubbing.iter().enumerate() {
            for side in 0..2 {
                let response = factor.response(points, j as usize, 1 + side)?;
                for (row, &i) in self.rubbing.iter().enumerate() {
                    for axis in 0..2 {
                        problem.matrix[(2 * row + axis) * n + 2 * column + side] =
                            relative(&points[i as usize], 1 + axis, response);
                    }
                }
            }
        }
        problem.solve();
        let mut change: f64 = 0.0;
        let mut found = problem.impulses.chunks_exact(2);
        for (i, impulse) in impulses.iter_mut().enumerate() {
            let new = match self.rubbing.binary_search(&(i as u32)) {
                Ok(_) => found.next().map_or([0.0; 2], |f| [f[0], f[1]]),
                Err(_) => [0.0; 2],
            };
            change = change.max((new[0] - impulse[1]).hypot(new[1] - impulse[2]));
            [impulse[1], impulse[2]] = new;
        }
        Ok(change)
    }

    /// Writes the response to a part of the impulses; returns `false` if it is zero.
    fn write_response(
        &mut self,
        factor: &ContactFactor,
        impulses: &[[f64; 3]],
        part: impl Fn(&[f64; 3]) -> [f64; 3],
    ) -> bool {
        self.response.clear();
        self.response.resize(factor.unknowns(), 0.0);
        let mut any = false;
        for (i, impulse) in impulses.iter().enumerate() {
            let impulse = part(impulse);
            if impulse != [0.0; 3] {
                any = true;
                factor.add_response(i, impulse, &mut self.response);
            }
        }
        any
    }
}
