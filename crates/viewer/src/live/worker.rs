//! The thread of one session: it takes steps, holds handles, and writes results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use march::ledger::CHANNELS;
use scene::build::build;
use scene::drawn_mesh::DrawnMesh;
use scene::run::{ResultsWriter, Status};
use scene::session::{HandleId, Session};
use scene::spec::{Event, Scene, Source};
use serde_json::{Map, Value, json};

use super::fields::VertexFields;
use super::handles::{Grip, HandleChange};
use super::recording::Recording;

/// Stretch of the hand's spring, as a fraction of the size of the bodies, under the weight of a body.
const HAND_STRETCH: f64 = 0.05;
/// Standard gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Stiffness of a pin over that of a hand.
const PIN_OVER_HAND: f64 = 20.0;
/// Largest k h²/m of a handle under an explicit method, which would be unstable beyond 4.
const EXPLICIT_LIMIT: f64 = 0.2;

/// What the thread is asked to do.
#[derive(Debug)]
pub enum Job {
    /// Change the session now.
    Apply(Box<Event>),
    /// Change handles, then step to a time.
    Advance(f64, Vec<HandleChange>),
    /// Compute these fields after each job.
    Show(Vec<&'static str>),
    /// Start again.
    Reset,
    /// Write what is open and end.
    Finish,
}

/// State of a session after a job.
#[derive(Clone, Debug, Default)]
pub struct SessionState {
    /// Time, s.
    pub t: f64,
    /// Step that the session has now, s.
    pub step: f64,
    /// Why the last job failed.
    pub error: Option<String>,
    /// Whether no step could be taken; a change of the session lets it try again.
    pub failed: bool,
    /// Numbers for pages.
    pub numbers: Value,
    /// Positions of the drawn vertices, m.
    pub positions: Vec<f32>,
    /// Positions of obstacles if they move, m.
    pub obstacles: Vec<f32>,
    /// Fields that pages show, at the drawn vertices.
    pub fields: Vec<(&'static str, Vec<f32>)>,
}

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The scene, with its method.
    pub scene: Scene,
    /// The scene file.
    pub source: Source,
    /// Folder for results.
    pub out: PathBuf,
    /// Whether a scene that repeats the session is written.
    pub record: bool,
}

/// A session with what belongs to it.
pub struct Worker {
    opening: Opening,
    session: Session,
    drawn: DrawnMesh,
    writer: Option<ResultsWriter>,
    recording: Recording,
    /// Handles by key: id, and number in the recording.
    handles: BTreeMap<u64, (HandleId, usize)>,
    hand_stiffness: f64,
    step: f64,
    /// Time from which steps of this length are counted, s.
    origin: f64,
    milliseconds: f64,
    start_energy: f64,
    /// Why no step could be taken, until something is changed.
    failure: Option<String>,
    /// Names of the fields that pages show.
    shown: Vec<&'static str>,
    fields: VertexFields,
    nodes: Vec<[f64; 3]>,
    skin: Vec<[f64; 3]>,
}

impl Worker {
    /// Opens a session and its results.
    pub fn open(opening: Opening) -> Result<Worker, String> {
        let session = build(opening.scene.clone(), &opening.source).map_err(|e| e.to_string())?;
        if session.method.is_static() {
            return Err("statics has no motion to watch; use `supple run`, or a method".into());
        }
        let drawn = DrawnMesh::of_session(&session);
        let mut worker = Worker {
            step: session.scene.time.nominal_step(),
            start_energy: session.energies().total(),
            opening,
            session,
            drawn,
            writer: None,
            recording: Recording::default(),
            handles: BTreeMap::new(),
            hand_stiffness: 0.0,
            origin: 0.0,
            milliseconds: 0.0,
            failure: None,
            shown: Vec::new(),
            fields: VertexFields::default(),
            nodes: Vec::new(),
            skin: Vec::new(),
        };
        worker.hand_stiffness = worker.default_stiffness();
        worker.open_results()?;
        Ok(worker)
    }

    fn open_results(&mut self) -> Result<(), String> {
        let opened = ResultsWriter::open(&mut self.session, &self.opening.out);
        self.writer = Some(opened.map_err(|e| format!("{}: {e}", self.opening.out.display()))?);
        Ok(())
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns what is drawn.
    pub fn drawn(&self) -> &DrawnMesh {
        &self.drawn
    }

    fn default_stiffness(&mut self) -> f64 {
        let positions = self.session.positions();
        let extent = |k: usize| {
            let along = positions.iter().map(|x| x[k]);
            let (low, high) = along.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
            (high - low).max(0.0)
        };
        let size = (0..3).map(extent).fold(1e-9, f64::max);
        let mass: f64 = self.session.model.node_mass().iter().sum();
        let bodies = self.session.scene.body.len().max(1) as f64;
        mass / bodies * GRAVITY / (HAND_STRETCH * size)
    }

    /// Does jobs until it is asked to finish, or nobody asks any more.
    pub fn work(mut self, jobs: &Receiver<Job>, states: &Sender<SessionState>) {
        let first = self.state(None);
        if states.send(first).is_err() {
            return self.finish();
        }
        while let Ok(job) = jobs.recv() {
            let done = match job {
                Job::Finish => break,
                Job::Apply(event) => self.apply(*event),
                Job::Advance(until, changes) => {
                    let advanced = self.advance(until, changes);
                    self.failure = advanced.clone().err();
                    advanced
                }
                Job::Show(names) => {
                    self.shown = names;
                    Ok(())
                }
                Job::Reset => self.reset(),
            };
            let state = self.state(done.err());
            if states.send(state).is_err() {
                break;
            }
        }
        self.finish();
    }

    fn apply(&mut self, mut event: Event) -> Result<(), String> {
        event.t = self.session.t();
        self.session.apply(&event).map_err(|e| e.to_string())?;
        if let Some(step) = event.set.step {
            (self.origin, self.step) = (event.t, step);
        }
        self.recording.event(event);
        self.failure = None;
        Ok(())
    }

    fn reset(&mut self) -> Result<(), String> {
        self.close_results();
        let (scene, source) = (self.opening.scene.clone(), &self.opening.source);
        self.session = build(scene, source).map_err(|e| e.to_string())?;
        self.recording = Recording::default();
        self.handles.clear();
        (self.origin, self.step) = (0.0, self.session.scene.time.nominal_step());
        self.start_energy = self.session.energies().total();
        self.milliseconds = 0.0;
        self.failure = None;
        self.open_results()
    }

    fn advance(&mut self, until: f64, changes: Vec<HandleChange>) -> Result<(), String> {
        for change in changes {
            self.change_handle(change)?;
        }
        let (started, mut steps) = (Instant::now(), 0);
        while self
            .session
            .step_towards(until)
            .map_err(|e| e.to_string())?
        {
            steps += 1;
        }
        if steps > 0 {
            self.milliseconds = 1e3 * started.elapsed().as_secs_f64() / f64::from(steps);
            // A step that ended elsewhere than the session's own steps ends there in the repetition too.
            let count = ((until - self.origin) / self.step).round();
            let own = self.origin + count * self.step == until;
            if !own || self.session.scene.time.control.is_some() {
                self.recording.event(Event {
                    t: until,
                    ..Event::default()
                });
            }
        }
        Ok(())
    }

    fn change_handle(&mut self, change: HandleChange) -> Result<(), String> {
        let t = self.session.t();
        match change {
            HandleChange::Release(key) => {
                if let Some((id, number)) = self.handles.remove(&key) {
                    self.session.release(id).map_err(|e| e.to_string())?;
                    self.recording.release(number, t);
                }
            }
            HandleChange::Grab(key, vertex, grip) => {
                let node = self.node_of(vertex).ok_or("there is no such vertex")?;
                let stiffness = self.stiffness(node, grip);
                let at = self.session.positions()[node];
                let grabbed = self.session.grab_at(node, stiffness, at);
                let id = grabbed.map_err(|e| e.to_string())?;
                let number = self.recording.grab(node, stiffness, t, at);
                self.handles.insert(key, (id, number));
            }
            HandleChange::Move(key, to) => {
                if let Some(&(id, number)) = self.handles.get(&key) {
                    let moved = self.session.move_handle(id, to);
                    moved.map_err(|e| e.to_string())?;
                    self.recording.drag(number, t, to);
                }
            }
        }
        Ok(())
    }

    fn stiffness(&self, node: usize, grip: Grip) -> f64 {
        let wanted = match grip {
            Grip::Hand(factor) => factor * self.hand_stiffness,
            Grip::Pin => PIN_OVER_HAND * self.hand_stiffness,
        };
        if self.session.method.method.is_implicit() {
            return wanted;
        }
        let mass = self.session.model.node_mass()[node];
        wanted.min(EXPLICIT_LIMIT * mass / (self.step * self.step))
    }

    /// Returns the node that a hand on a drawn vertex pulls.
    fn node_of(&self, vertex: u32) -> Option<usize> {
        let node = match self.session.skin.embedded {
            true => self.session.skin.main_node(vertex as usize)?,
            false => *self.drawn.nodes.get(vertex as usize)?,
        };
        Some(node as usize)
    }

    /// Returns the positions of the drawn vertices, m.
    pub fn drawn_positions(&mut self) -> Vec<f32> {
        self.nodes.clear();
        self.nodes.extend_from_slice(self.session.model.rest());
        let (u, _) = self.session.expanded();
        for (x, u) in self.nodes.iter_mut().zip(u) {
            (0..3).for_each(|k| x[k] += u[k]);
        }
        let single = |x: &[f64; 3]| x.map(|x| x as f32);
        match self.session.skin.embedded {
            true => {
                let session = &self.session;
                session
                    .skin
                    .positions(&session.model, &self.nodes, &mut self.skin);
                self.skin.iter().flat_map(single).collect()
            }
            false => {
                let nodes = self.drawn.nodes.iter();
                nodes
                    .flat_map(|n| single(&self.nodes[*n as usize]))
                    .collect()
            }
        }
    }

    fn state(&mut self, error: Option<String>) -> SessionState {
        let positions = self.drawn_positions();
        let mut obstacles = Vec::new();
        for obstacle in &self.session.obstacles {
            obstacle.positions(self.session.t(), &mut obstacles);
        }
        let rest = self.session.obstacles.iter().flat_map(|o| &o.points);
        if obstacles.iter().eq(rest) {
            obstacles.clear();
        }
        let values = &mut self.fields;
        let fields = self.shown.iter().map(|name| {
            let found = values.compute(name, &mut self.session, &self.drawn);
            (*name, found)
        });
        let fields = fields.collect();
        SessionState {
            fields,
            t: self.session.t(),
            step: self.step,
            numbers: self.numbers(error.as_deref().or(self.failure.as_deref())),
            failed: self.failure.is_some(),
            error,
            positions,
            obstacles: obstacles.iter().flatten().map(|x| *x as f32).collect(),
        }
    }

    fn numbers(&self, error: Option<&str>) -> Value {
        let (row, totals, energies) = (
            self.session.row(),
            self.session.totals(),
            self.session.energies(),
        );
        let sums = CHANNELS.iter().zip(totals.ledger.as_array());
        let ledger: Map<String, Value> = sums.map(|(c, x)| (c.name.into(), json!(x))).collect();
        json!({
            "t": self.session.t(),
            "method": self.session.method.name(),
            "step": self.step,
            "h": row.h,
            "steps": totals.steps,
            "kinetic": energies.kinetic,
            "elastic": energies.strain,
            "gravity": energies.gravitational,
            "contact": energies.contact,
            "total": energies.total(),
            "start": self.start_energy,
            "ledger": ledger,
            "newton": row.work.newton,
            "rejected": totals.rejected,
            "ms": self.milliseconds,
            "failed": self.failure.is_some(),
            "error": error,
        })
    }

    fn close_results(&mut self) {
        let Some(writer) = self.writer.take() else {
            return;
        };
        if let Err(error) = writer.close(&mut self.session, Status::Interrupted) {
            eprintln!("{}: {error}", self.opening.out.display());
        }
    }

    fn finish(mut self) {
        self.close_results();
        if self.opening.record
            && let Err(why) = self.write_recording()
        {
            eprintln!("the recording could not be written: {why}");
        }
    }

    fn write_recording(&self) -> Result<(), String> {
        let t = self.session.t();
        if t <= 0.0 {
            return Err("no step was taken".into());
        }
        let folder = match self.opening.source.folder() {
            empty if empty.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        let text = self.recording.scene_file(&self.opening.scene, t, folder)?;
        let file = self.opening.out.join(super::RECORDED_SCENE);
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        eprintln!("recorded {}", file.display());
        Ok(())
    }
}
