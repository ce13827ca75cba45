//! Everything a run needs to go on as if it had never stopped, to the bit.
//!
//! The file is the line `supple checkpoint 3`, then little-endian numbers: a fingerprint of the scene, time, counters, state, the
//! method's memory and the solver's, and a checksum at the end.

use std::io::{self, Write};
use std::path::Path;

use crate::record::write_whole;
use crate::spec::Scene;

/// First line of every checkpoint.
const MAGIC: &[u8] = b"supple checkpoint 3\n";

/// Where a run stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Fingerprint of the scene, all but how long and how it is shown.
    pub scene: u64,
    /// Counters of the run, in the order the run keeps them.
    pub counters: Vec<u64>,
    /// Sums and extremes of the run, in the order the run keeps them.
    pub sums: Vec<f64>,
    /// Simulated time, s.
    pub t: f64,
    /// Displacements of the unknowns, m.
    pub u: Vec<f64>,
    /// Velocities of the unknowns, m/s.
    pub v: Vec<f64>,
    /// The method's memory.
    pub memory: Vec<f64>,
    /// The solver's memory: the matrix whose factors the next step begins with, if any.
    pub solver: Vec<f64>,
}

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("{path}: the checkpoint cannot be read: {why}")]
    Read {
        /// The file.
        path: String,
        /// The system's words.
        why: io::Error,
    },
    /// The file is not a checkpoint, or damaged.
    #[error("{path}: {what}; resume from another checkpoint or start anew")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The file belongs to another scene.
    #[error(
        "{path}: the checkpoint was written by another scene, method or step; resume with the scene it came from"
    )]
    Foreign {
        /// The file.
        path: String,
    },
}

impl Checkpoint {
    /// Writes the file in one go: it is whole or the old one stays.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = MAGIC.to_vec();
        out.extend(self.scene.to_le_bytes());
        out.extend(self.t.to_bits().to_le_bytes());
        out.extend((self.counters.len() as u64).to_le_bytes());
        out.extend(self.counters.iter().flat_map(|x| x.to_le_bytes()));
        for list in [&self.sums, &self.u, &self.v, &self.memory, &self.solver] {
            out.extend((list.len() as u64).to_le_bytes());
            out.extend(list.iter().flat_map(|x| x.to_bits().to_le_bytes()));
        }
        let sum = fingerprint(&out);
        out.extend(sum.to_le_bytes());
        write_whole(path, |file| file.write_all(&out))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| CheckpointError::Read {
            path: name.clone(),
            why,
        })?;
        Checkpoint::parse(&bytes).map_err(|what| CheckpointError::Broken { path: name, what })
    }

    /// Reads bytes; any bytes at all.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, &'static str> {
        let body = bytes
            .strip_prefix(MAGIC)
            .ok_or("this is not a checkpoint of this version of Supple")?;
        let cut = "the checkpoint is cut short";
        let (content, sum) = bytes
            .split_at_checked(bytes.len().saturating_sub(8))
            .ok_or(cut)?;
        if body.len() < 8 || fingerprint(content).to_le_bytes() != *sum {
            return Err("the checkpoint is damaged: its checksum is wrong");
        }
        let mut words = body[..body.len() - 8]
            .chunks_exact(8)
            .map(|w| u64::from_le_bytes(std::array::from_fn(|i| w[i])));
        let scene = words.next().ok_or(cut)?;
        let t = f64::from_bits(words.next().ok_or(cut)?);
        let mut list = || -> Option<Vec<u64>> {
            let n = words.next()?;
            let out: Vec<u64> = words.by_ref().take(usize::try_from(n).ok()?).collect();
            (out.len() as u64 == n).then_some(out)
        };
        let counters = list().ok_or(cut)?;
        let mut floats = || {
            Some(
                list()?
                    .into_iter()
                    .map(f64::from_bits)
                    .collect::<Vec<f64>>(),
            )
        };
        let [sums, u, v, memory, solver] = [(); 5].map(|()| floats().ok_or(cut));
        Ok(Checkpoint {
            scene,
            counters,
            sums: sums?,
            t,
            u: u?,
            v: v?,
            memory: memory?,
            solver: solver?,
        })
    }
}

/// Fingerprint of what decides the motion: the scene without `until`, checkpoints, title and output.
pub fn scene_fingerprint(scene: &Scene) -> u64 {
    let mut scene = scene.clone();
    scene.title.clear();
    scene.time.until = 0.0;
    scene.time.checkpoint_every = None;
    scene.output = Default::default();
    scene.probe.clear();
    fingerprint(serde_json::to_string(&scene).unwrap_or_default().as_bytes())
}

/// FNV-1a.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        Checkpoint {
            scene: 7,
            counters: vec![1, 2, 3],
            sums: vec![0.5, f64::INFINITY],
            t: 0.1,
            u: vec![-0.0, 1e-300],
            v: vec![3.0, 4.0],
            memory: vec![],
            solver: vec![2.0],
        }
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.supple");
        sample().write(&path).unwrap();
        let back = Checkpoint::read(&path).unwrap();
        assert_eq!(back, sample());
        assert_eq!(back.u[0].to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn every_damage_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.supple");
        sample().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for i in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[i] ^= 0x10;
            assert!(
                Checkpoint::parse(&bad).is_err(),
                "a flipped bit in byte {i} went unnoticed"
            );
            assert!(
                Checkpoint::parse(&bytes[..i]).is_err(),
                "a cut at byte {i} went unnoticed"
            );
        }
    }
}
