//! Frames, exact in time whatever the steps.
//!
//! Between two states positions follow the cubic with their displacements and velocities (Hermite's), velocities its
//! derivative; held nodes are where their motion says.

use std::io;
use std::path::Path;

use march::State;
use solid::potential::Measures;

use super::counts::Counts;
use crate::build::Simulation;
use crate::record::{Frame, Recorder, Several};

/// Writes the frames of a run.
pub struct Frames {
    recorder: Several,
    /// The state before the last step.
    pub before: Before,
    every: u64,
    fps: f64,
    until: f64,
    /// Index of the next frame.
    next: u64,
    state: State,
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    skin: Vec<[f64; 3]>,
    measures: Measures,
    cells: [Vec<f64>; 2],
}

/// A remembered state.
#[derive(Default)]
pub struct Before {
    /// Its time, s.
    pub t: f64,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl Before {
    /// Remembers a state without allocating anew.
    pub fn clone_from_state(&mut self, s: &State) {
        self.t = s.t;
        self.u.clone_from(&s.u);
        self.v.clone_from(&s.v);
    }
}

impl Frames {
    /// Opens the recorders of the scene; `next` frames exist already.
    pub fn new(sim: &Simulation, out: &Path, next: u64) -> io::Result<Frames> {
        let scene = &sim.scene;
        let fps = scene.time.fps / f64::from(scene.output.every_frame);
        let mut names: Vec<&str> = scene.output.formats.iter().map(|f| f.name()).collect();
        // Frames of cells do not show a surface that is carried along; the point cache does, and pictures are made of it.
        if sim.skin.carried && !names.contains(&"pc2") {
            names.push("pc2");
        }
        let recorder = Several::open(&names, out, &sim.subject, fps)?;
        Ok(Frames {
            recorder,
            before: Before::default(),
            every: u64::from(scene.output.every_frame),
            fps: scene.time.fps,
            until: scene.time.until,
            next,
            state: State::default(),
            positions: Vec::new(),
            velocities: Vec::new(),
            skin: Vec::new(),
            measures: Measures::default(),
            cells: [
                vec![0.0; sim.subject.mesh.len()],
                vec![0.0; sim.subject.mesh.len()],
            ],
        })
    }

    /// The frame at the start.
    pub fn first(&mut self, sim: &mut Simulation, counts: &mut Counts) -> io::Result<()> {
        self.state.clone_from(&sim.state);
        self.write(sim, counts)
    }

    /// The frames of the step just taken.
    pub fn after(&mut self, sim: &mut Simulation, counts: &mut Counts) -> io::Result<()> {
        loop {
            let t = (self.next * self.every) as f64 / self.fps;
            // A frame a rounding beyond the step's end belongs to it.
            let slack = 1e-9 / self.fps;
            if t > sim.state.t + slack || t > self.until + slack {
                return Ok(());
            }
            self.interpolate(&sim.state, t);
            self.write(sim, counts)?;
        }
    }

    /// The state at time t between the state before and the state now.
    fn interpolate(&mut self, now: &State, t: f64) {
        let (from, h) = (&self.before, now.t - self.before.t);
        let x = ((t - from.t) / h).clamp(0.0, 1.0);
        self.state.clone_from(now);
        self.state.t = t;
        if x == 1.0 {
            self.state.t = now.t;
            return;
        }
        let values = [
            (1.0 + 2.0 * x) * (1.0 - x).powi(2),
            x * (1.0 - x).powi(2) * h,
            x * x * (3.0 - 2.0 * x),
            x * x * (x - 1.0) * h,
        ];
        let slopes = [
            6.0 * x * (x - 1.0) / h,
            (1.0 - x) * (1.0 - 3.0 * x),
            6.0 * x * (1.0 - x) / h,
            x * (3.0 * x - 2.0),
        ];
        for i in 0..now.u.len() {
            let ends = [from.u[i], from.v[i], now.u[i], now.v[i]];
            let blend = |w: &[f64; 4]| (0..4).map(|k| w[k] * ends[k]).sum();
            self.state.u[i] = blend(&values);
            self.state.v[i] = blend(&slopes);
        }
    }

    fn write(&mut self, sim: &mut Simulation, counts: &mut Counts) -> io::Result<()> {
        let State { t, u, v } = &self.state;
        sim.model.measures(*t, u, v, &mut self.measures);
        for (at, &cell) in sim.measured.iter().enumerate() {
            self.cells[0][cell as usize] = self.measures.energy[at];
            self.cells[1][cell as usize] = self.measures.mises[at];
        }
        let (du, dv) = sim.model.expand(*t, u, v);
        self.velocities.clear();
        self.velocities.extend_from_slice(dv);
        self.positions.clear();
        self.positions.extend(
            sim.subject
                .mesh
                .points
                .iter()
                .zip(du)
                .map(|(x, u)| [0, 1, 2].map(|k| x[k] + u[k])),
        );
        sim.skin.positions(&self.positions, &mut self.skin);
        let fields = [
            ("energy-density", &self.cells[0][..]),
            ("von-mises", &self.cells[1][..]),
        ];
        let frame = Frame {
            index: self.next as usize,
            t: *t,
            positions: &self.positions,
            velocities: &self.velocities,
            skin: &self.skin,
            cell_fields: if sim.measured.is_empty() {
                &[]
            } else {
                &fields
            },
        };
        self.recorder.frame(&frame)?;
        self.next += 1;
        counts.frames = self.next;
        Ok(())
    }

    /// Completes the files.
    pub fn finish(&mut self) -> io::Result<()> {
        self.recorder.finish()
    }
}
