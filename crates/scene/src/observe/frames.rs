//! Writes frames at their exact times, independent of the steps.
//!
//! Between two states positions are interpolated by the cubic Hermite polynomial of [`march::dense`]; prescribed nodes are
//! at the exact positions of their motion.

use std::io;
use std::path::Path;

use march::{State, dense};
use solid::potential::ElementMeasures;

use super::fracture::BrokenAtCommits;
use super::{FilePositions, Observer};
use crate::session::{Session, node_positions};
use meshio::record::{Frame, MultiRecorder, Recorder};

/// Schedule of the frames of a scene.
#[derive(Clone, Copy, Debug)]
pub struct FrameClock {
    every: u64,
    fps: f64,
    until: f64,
    /// Index of the next frame.
    next: u64,
}

impl FrameClock {
    /// Creates the schedule of a session's scene, starting with frame `next`.
    pub fn new(session: &Session, next: u64) -> FrameClock {
        FrameClock {
            every: u64::from(session.scene.output.every_frame),
            fps: session.scene.time.frame_rate(),
            until: session.scene.time.until,
            next,
        }
    }

    /// Returns the number of frames so far.
    pub fn count(&self) -> u64 {
        self.next
    }

    /// Proceeds to the next frame.
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Returns the time of the next frame, or `None` if it is later than the session's time or the end of the run, s.
    pub fn due(&self, session: &Session) -> Option<f64> {
        let t = (self.next * self.every) as f64 / self.fps;
        // A frame that exceeds the end of a step by rounding belongs to the step.
        let slack = 1e-9 / self.fps;
        (t <= session.t() + slack && t <= self.until + slack).then_some(t)
    }

    /// Interpolates the state of the next frame into `state`. Returns false if that frame is later than the session's time
    /// or the end of the run.
    pub fn next(&mut self, session: &Session, state: &mut State) -> bool {
        let Some(t) = self.due(session) else {
            return false;
        };
        dense::interpolate(session.previous(), session.state(), t, state);
        true
    }
}

/// Observer that writes frames in the output formats of the scene.
pub struct FrameWriter {
    recorder: MultiRecorder,
    clock: FrameClock,
    state: State,
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    skin: Vec<[f64; 3]>,
    measures: ElementMeasures,
    cells: [Vec<f64>; 2],
    /// Contact and friction forces on the nodes, and those at the start of the step.
    contact: [Vec<[f64; 3]>; 2],
    /// Damage of the nodes.
    damage: BrokenAtCommits<f64>,
    friction: [Vec<[f64; 3]>; 2],
}

impl FrameWriter {
    /// Opens the recorders of the scene, starting with frame `next`.
    pub fn new(session: &Session, out: &Path, next: u64) -> io::Result<FrameWriter> {
        let scene = &session.scene;
        let fps = scene.time.frame_rate() / f64::from(scene.output.every_frame);
        let mut names: Vec<&str> = scene.output.formats.iter().map(|f| f.name()).collect();
        // VTU frames do not contain an embedded surface; `supple render` reads it from the point cache.
        if session.skin.embedded && !names.contains(&"pc2") {
            names.push("pc2");
        }
        let recorder = MultiRecorder::open(&names, out, &session.output_mesh, fps)?;
        let cells = session.output_mesh.mesh.len();
        Ok(FrameWriter {
            recorder,
            clock: FrameClock::new(session, next),
            state: State::default(),
            positions: Vec::new(),
            velocities: Vec::new(),
            skin: Vec::new(),
            measures: ElementMeasures::default(),
            cells: [vec![0.0; cells], vec![0.0; cells]],
            contact: Default::default(),
            damage: BrokenAtCommits::default(),
            friction: Default::default(),
        })
    }

    /// Returns the number of frames written.
    pub fn count(&self) -> u64 {
        self.clock.count()
    }

    /// Computes the contact and friction forces on the nodes at the frame, linear between the ends of the step: the interpolated
    /// positions of a frame are not kept apart by the barrier. Returns `false` without contact.
    fn interpolate_contact(&mut self, session: &mut Session) -> bool {
        if session.contact.is_none() {
            return false;
        }
        let [from, to] = [session.previous().t, session.t()];
        let share = match to > from {
            true => ((self.state.t - from) / (to - from)).clamp(0.0, 1.0),
            false => 1.0,
        };
        let [contact, friction] = [&mut self.contact, &mut self.friction];
        if share < 1.0 {
            let State { t, u, v } = session.previous().clone();
            session.model.contact_forces(t, &u, &v, &mut contact[1]);
            session.model.friction_forces(t, &u, &v, &mut friction[1]);
        }
        let (model, State { t, u, v }) = session.model_and_state();
        model.contact_forces(*t, u, v, &mut contact[0]);
        model.friction_forces(*t, u, v, &mut friction[0]);
        if share < 1.0 {
            for [now, before] in [contact, friction] {
                for (now, before) in now.iter_mut().zip(before) {
                    *now = [0, 1, 2].map(|k| before[k] + share * (now[k] - before[k]));
                }
            }
        }
        true
    }

    fn write(&mut self, session: &mut Session) -> io::Result<()> {
        let has_contact = self.interpolate_contact(session);
        let State { t, u, v } = &self.state;
        session.model.element_measures(*t, u, v, &mut self.measures);
        for (at, &cell) in session.element_cells.iter().enumerate() {
            self.cells[0][cell as usize] = self.measures.energy_density[at];
            self.cells[1][cell as usize] = self.measures.von_mises[at];
        }
        node_positions(&mut session.model, &self.state, &mut self.positions);
        session.model.hide_waiting(*t, &mut self.positions);
        let (_, dv) = session.model.expand(*t, u, v);
        self.velocities.clear();
        self.velocities.extend_from_slice(dv);
        session
            .skin
            .positions(&session.model, &self.positions, &mut self.skin);
        let fields = [
            ("energy-density", &self.cells[0][..]),
            ("von-mises", &self.cells[1][..]),
        ];
        let damage = [("damage", self.damage.at(*t, session))];
        let forces = [
            ("contact-force", &self.contact[0][..]),
            ("friction-force", &self.friction[0][..]),
        ];
        let frame = Frame {
            index: self.clock.count() as usize,
            t: *t,
            positions: &self.positions,
            velocities: &self.velocities,
            skin: &self.skin,
            cell_fields: if session.element_cells.is_empty() {
                &[]
            } else {
                &fields
            },
            point_fields: if has_contact { &forces } else { &[] },
            point_scalars: if damage[0].1.is_empty() { &[] } else { &damage },
        };
        self.recorder.frame(&frame)?;
        self.clock.advance();
        Ok(())
    }
}

impl Observer for FrameWriter {
    fn begin(&mut self, session: &mut Session) -> io::Result<()> {
        self.damage.update(|out| _ = session.model.damage(out));
        if self.clock.count() > 0 {
            return Ok(());
        }
        self.state.copy_from(session.state());
        self.write(session)
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self.damage.update(|out| _ = session.model.damage(out));
        while self.clock.next(session, &mut self.state) {
            self.write(session)?;
        }
        Ok(())
    }

    fn flush(&mut self, positions: &mut FilePositions) -> io::Result<()> {
        positions.frames = self.clock.count();
        Ok(())
    }

    fn finish(&mut self, _session: &mut Session) -> io::Result<()> {
        self.recorder.finish()
    }
}
