//! RMS and maximum distance between the motions of two runs, in metres.
//!
//! Two runs of one scene have the same nodes, and their frames are exact in time: cubic interpolation between steps adds at
//! most O(h⁴) to the error of a coarse run. With d_i the distance of node i in the two motions, RMS = √(Σ d_i²/n) and
//! max = max d_i over all nodes at one time; over time, the root mean square and the maximum of these.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::results::{Results, ResultsError};
use crate::session::{Session, node_positions};
use meshio::import::{self, ImportError};

/// Positions of all nodes at one time, m.
type Nodes = Vec<[f64; 3]>;

/// Positions of all nodes in each frame of a run and at its end.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// Times of the frames, s, and positions.
    frames: Vec<(f64, Nodes)>,
    /// Time of the last state, s, and positions.
    end: (f64, Nodes),
}

/// Error while the motion of a run is read.
#[derive(Debug, thiserror::Error)]
pub enum MotionError {
    /// The folder has no frames.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] ImportError),
    /// The checkpoint with the last state cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run belongs to another scene.
    #[error("{}: has {found} {what}, the scene {wanted}; give a run of the same scene", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Counted quantity.
        what: &'static str,
        /// Count in the run.
        found: usize,
        /// Count in the scene.
        wanted: usize,
    },
}

/// RMS and maximum distance of a run from the reference, m.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Distance {
    /// Root mean square over all nodes and common frames.
    pub rms: f64,
    /// Maximum over all nodes and common frames.
    pub max: f64,
    /// Root mean square over all nodes at the end; `None` if a run did not reach it.
    pub end_rms: Option<f64>,
    /// Maximum over all nodes at the end; `None` if a run did not reach it.
    pub end_max: Option<f64>,
    /// Times of the common frames, s.
    pub times: Vec<f64>,
    /// Root mean square over all nodes in each common frame.
    pub curve: Vec<f64>,
}

impl Motion {
    /// Adds a frame.
    pub(crate) fn push(&mut self, t: f64, positions: Vec<[f64; 3]>) {
        self.frames.push((t, positions));
    }

    /// Returns time and positions of the last state, for modification.
    pub(crate) fn end_mut(&mut self) -> &mut (f64, Vec<[f64; 3]>) {
        &mut self.end
    }

    /// Drops all frames but the last.
    pub fn keep_last_frame(&mut self) {
        let last = self.frames.pop();
        self.frames = last.into_iter().collect();
    }

    /// Returns the times of the frames (s) and the positions of all nodes (m).
    pub fn frames(&self) -> &[(f64, Vec<[f64; 3]>)] {
        &self.frames
    }

    /// Reads the motion of a run of the session's scene, with any method, from its output folder.
    pub fn read(folder: &Path, sim: &mut Session) -> Result<Motion, MotionError> {
        let foreign = |what, found, wanted| MotionError::Foreign {
            folder: folder.to_path_buf(),
            what,
            found,
            wanted,
        };
        let results = Results::open(folder)?;
        let nodes = sim.model.nodes();
        let mut frames = Vec::with_capacity(results.frames.len());
        for (t, path) in &results.frames {
            let points = import::read_frame(path)?.mesh.points;
            if points.len() != nodes {
                return Err(foreign("nodes", points.len(), nodes));
            }
            frames.push((*t, points));
        }
        let last = Checkpoint::read(&folder.join(crate::run::CHECKPOINT))?;
        let last = last.session.state();
        let unknowns = sim.model.unknowns();
        if last.u.len() != unknowns {
            return Err(foreign("unknowns", last.u.len(), unknowns));
        }
        let mut end = Vec::new();
        node_positions(&mut sim.model, last, &mut end);
        Ok(Motion {
            frames,
            end: (last.t, end),
        })
    }

    /// Returns the time of the last state, s.
    pub fn end(&self) -> f64 {
        self.end.0
    }

    /// Measures the distance from another motion. Returns `None` if they have no common frame after the start.
    pub fn distance(&self, other: &Motion) -> Option<Distance> {
        let mut d = Distance::default();
        let mut squares = 0.0;
        for (t, nodes) in &self.frames {
            let same = |s: &f64| (s - t).abs() <= 1e-9 * t.abs().max(1.0);
            let Some((_, theirs)) = other.frames.iter().find(|(s, _)| same(s)) else {
                continue;
            };
            let (rms, max) = rms_and_max_distance(nodes, theirs);
            squares += rms * rms;
            d.max = d.max.max(max);
            d.times.push(*t);
            d.curve.push(rms);
        }
        if d.times.iter().all(|t| *t == 0.0) {
            return None;
        }
        d.rms = (squares / d.times.len() as f64).sqrt();
        if (self.end.0 - other.end.0).abs() <= 1e-9 * self.end.0.abs().max(1.0) {
            let (rms, max) = rms_and_max_distance(&self.end.1, &other.end.1);
            (d.end_rms, d.end_max) = (Some(rms), Some(max));
        }
        Some(d)
    }
}

/// Returns the root mean square and the maximum of the distances between corresponding points.
fn rms_and_max_distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> (f64, f64) {
    let square = |(p, q): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum();
    let squares = a.iter().zip(b).map(square);
    let (sum, max) = squares.fold((0.0, 0.0_f64), |(s, m): (f64, f64), d: f64| {
        (s + d, m.max(d))
    });
    ((sum / a.len().max(1) as f64).sqrt(), max.sqrt())
}

#[cfg(test)]
mod tests {
    use super::Motion;

    fn motion(times: &[f64], x: impl Fn(f64) -> f64) -> Motion {
        let at = |t: f64| vec![[x(t), 0.0, 0.0], [0.0; 3]];
        let end = times[times.len() - 1];
        Motion {
            frames: times.iter().map(|&t| (t, at(t))).collect(),
            end: (end, at(end)),
        }
    }

    #[test]
    fn distances_of_a_moving_node() {
        let still = motion(&[0.0, 0.5, 1.0], |_| 0.0);
        let moving = motion(&[0.0, 0.25, 0.5, 0.75, 1.0], |t| 4.0 * t);
        let d = moving.distance(&still).unwrap();
        // One node of two is 0, 2, 4 m away in the three common frames.
        assert_eq!(d.times, [0.0, 0.5, 1.0]);
        assert_eq!(d.curve, [0.0, 2.0_f64.sqrt(), 8.0_f64.sqrt()]);
        assert!((d.rms - (10.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!((d.max, d.end_max), (4.0, Some(4.0)));
        assert_eq!(d.end_rms, Some(8.0_f64.sqrt()));
    }

    #[test]
    fn a_run_that_ended_early_has_no_end() {
        let whole = motion(&[0.0, 0.5, 1.0], |t| t);
        let d = motion(&[0.0, 0.5], |t| t).distance(&whole).unwrap();
        assert_eq!((d.end_rms, d.times.len()), (None, 2));
        assert_eq!(motion(&[0.0], |t| t).distance(&whole), None);
    }
}
