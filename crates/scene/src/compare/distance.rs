//! How far one motion is from another, in metres.
//!
//! Two runs of one scene share their nodes, and their frames are exact in time (cubic between steps, so a coarse run is
//! charged at most O(h⁴) for being looked at between its steps). With d_i the distance of node i in the two motions,
//! RMS = √(Σ d_i²/n) and max = max d_i, of all nodes at one time; over time, the root of the mean square and the largest.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::results::{Results, ResultsError};
use crate::session::{Session, node_positions};
use meshio::import::{self, ImportError};

/// Positions of all nodes at one time, m.
type Nodes = Vec<[f64; 3]>;

/// Where all nodes were in each frame of a run, and at its end.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// Times of the frames, s, and positions.
    frames: Vec<(f64, Nodes)>,
    /// Time of the last state, s, and positions.
    end: (f64, Nodes),
}

/// Why a motion cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MotionError {
    /// There are no frames.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A frame cannot be read.
    #[error(transparent)]
    Frame(#[from] ImportError),
    /// There is no last state.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// It is a run of something else.
    #[error("{}: has {found} {what}, the scene {wanted}; give a run of the same scene", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many the scene has.
        wanted: usize,
    },
}

/// How far a run is from the reference, m.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Distance {
    /// Root of the mean square over all nodes and common frames.
    pub rms: f64,
    /// Greatest of any node in any common frame.
    pub max: f64,
    /// Root of the mean square over all nodes at the end, where both runs reached it.
    pub end_rms: Option<f64>,
    /// Greatest of any node at the end.
    pub end_max: Option<f64>,
    /// Times of the common frames, s.
    pub times: Vec<f64>,
    /// RMS in each.
    pub curve: Vec<f64>,
}

impl Motion {
    /// Adds a frame.
    pub(crate) fn push(&mut self, t: f64, positions: Vec<[f64; 3]>) {
        self.frames.push((t, positions));
    }

    /// The last state.
    pub(crate) fn end_mut(&mut self) -> &mut (f64, Vec<[f64; 3]>) {
        &mut self.end
    }

    /// Drops all frames but the last.
    pub fn keep_last_frame(&mut self) {
        let last = self.frames.pop();
        self.frames = last.into_iter().collect();
    }

    /// Times of the frames, s, and positions of all nodes.
    pub fn frames(&self) -> &[(f64, Vec<[f64; 3]>)] {
        &self.frames
    }

    /// Reads the motion a run of the session's scene left in a folder, under whatever method.
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
            let points = import::read(path)?.mesh.points;
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

    /// Time of the last state, s.
    pub fn end(&self) -> f64 {
        self.end.0
    }

    /// How far this motion is from another; nothing where they share no frame after the start.
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
