//! Live sessions: one thread for each, one clock for all, and pages that watch and pull.

mod command;
mod coordinator;
mod fields;
mod handles;
mod recording;
mod session_thread;
mod socket;
mod worker;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use axum::body::Bytes;
use march::ledger::shown_channels;
use march::methods;
use scene::node_fields::{NodeField, known_fields};
use scene::spec::Source;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::playback::{MAX_RESULTS, topology};
use command::{Client, Command, Message};
use coordinator::Coordinator;
use session_thread::SessionThread;
pub(crate) use socket::{close, talk};
use worker::{Opening, Worker};

/// Name of the scene file that repeats a session, in its result folder.
pub const RECORDED_SCENE: &str = "recorded.toml";
/// Number of commands that may wait.
const MAX_COMMANDS: usize = 256;
/// Simulated time after which frames are no longer written, s. The session itself goes on.
const WRITTEN_TIME: f64 = 600.0;

/// Error while live sessions are opened.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The scene cannot be built, or a method does not suit it.
    #[error("{0}")]
    Scene(String),
    /// More methods than a page shows.
    #[error("{0} methods: a page shows up to {MAX_RESULTS}; name fewer")]
    TooMany(usize),
    /// A thread could not be started.
    #[error("a session could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// How live sessions are opened.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Methods of the sessions; that of the scene if there are none.
    pub methods: Vec<String>,
    /// Folder for results; with several methods each has a folder below it.
    pub out: PathBuf,
    /// Whether scenes that repeat the sessions are written.
    pub record: bool,
    /// Whether the clock stands at the start.
    pub paused: bool,
}

/// The newest frame of all sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    /// Number of the frame.
    pub number: u64,
    /// Numbers of all sessions as JSON.
    pub about: String,
    /// Binary message for pages.
    pub bytes: Bytes,
}

/// Newest positions of the hands of pages; older ones are dropped.
#[derive(Debug, Default)]
pub(crate) struct Drags(Mutex<Hands>);

/// Positions of hands, and pages that left.
#[derive(Debug, Default)]
pub(crate) struct Hands {
    targets: BTreeMap<Client, [f64; 3]>,
    left: Vec<Client>,
}

impl Drags {
    fn lock(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, client: Client, to: [f64; 3]) {
        self.lock().targets.insert(client, to);
    }

    fn leave(&self, client: Client) {
        let mut hands = self.lock();
        hands.targets.remove(&client);
        hands.left.push(client);
    }

    fn forget(&self, client: Client) {
        self.lock().targets.remove(&client);
    }

    /// Takes the positions of hands, and the pages that left.
    fn take(&self) -> (BTreeMap<Client, [f64; 3]>, Vec<Client>) {
        let Hands { targets, left } = std::mem::take(&mut *self.lock());
        (targets, left)
    }
}

/// Live sessions of one scene.
#[derive(Debug)]
pub struct Live {
    about: Value,
    topology: Bytes,
    frames: watch::Receiver<Arc<Published>>,
    drags: Arc<Drags>,
    /// Commands and the thread of the clock, until the sessions end.
    clock: Mutex<Option<(SyncSender<Command>, JoinHandle<()>)>>,
    clients: AtomicU64,
}

impl Live {
    /// Opens a session of a scene for each method and starts its thread.
    pub fn open(source: &Source, options: &LiveOptions) -> Result<Live, LiveError> {
        let wanted = options.methods.len().max(1);
        if wanted > MAX_RESULTS {
            return Err(LiveError::TooMany(wanted));
        }
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut workers = Vec::new();
        for (k, out) in out_folders(options).into_iter().enumerate() {
            let opening = opening(source, options.methods.get(k), out, options.record)?;
            workers.push(Worker::open(opening).map_err(LiveError::Scene)?);
        }
        let Some(first) = workers.first_mut() else {
            return Err(LiveError::TooMany(0));
        };
        let fields = known_fields(first.session());
        let mut about = about(first, &options.out);
        let field = |(name, label): &NodeField| json!({ "name": name, "label": label });
        about["fields"] = fields.iter().map(field).collect();
        let topology = topology_of(first).into();
        let threads = cores / workers.len();
        let started = workers
            .into_iter()
            .map(|w| SessionThread::start(w, threads));
        let sessions: Vec<SessionThread> = started.collect::<Result<_, _>>()?;
        let (commands, take_commands) = sync_channel(MAX_COMMANDS);
        let (publish, frames) = watch::channel(Arc::new(Published::default()));
        let drags = Arc::new(Drags::default());
        let (shared, running) = (drags.clone(), !options.paused);
        let thread = std::thread::Builder::new().name("clock".into());
        let thread = thread.spawn(move || {
            Coordinator::new(sessions, fields, take_commands, shared, publish, running).run();
        })?;
        Ok(Live {
            about,
            topology,
            frames,
            drags,
            clock: Mutex::new(Some((commands, thread))),
            clients: AtomicU64::new(0),
        })
    }

    /// Returns what the page starts with.
    pub(crate) fn about(&self) -> &Value {
        &self.about
    }

    /// Returns the surfaces of bodies and obstacles as a binary message.
    pub(crate) fn topology(&self) -> Bytes {
        self.topology.clone()
    }

    /// Returns the newest numbers of all sessions as JSON.
    pub(crate) fn state(&self) -> String {
        self.frames.borrow().about.clone()
    }

    /// Passes a message on. Returns a sentence if too many wait.
    fn send(&self, command: Command) -> Result<(), &'static str> {
        if let Message::Drag { to } = command.message {
            if to.iter().any(|x| !x.is_finite()) {
                return Err("a position must be finite");
            }
            self.drags.put(command.client, to);
            return Ok(());
        }
        // Here and not by the clock: positions that come after this message belong to the new hand.
        if matches!(command.message, Message::Grab { .. } | Message::Release) {
            self.drags.forget(command.client);
        }
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = "the sessions have ended";
        let (commands, _) = clock.as_ref().ok_or(ended)?;
        commands.try_send(command).map_err(|e| match e {
            TrySendError::Full(_) => "the sessions are busy with a long step; try again",
            TrySendError::Disconnected(_) => ended,
        })
    }

    fn new_client(&self) -> Client {
        self.clients.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends all sessions and waits until their results are written.
    pub fn finish(&self) {
        let clock = self
            .clock
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((commands, thread)) = clock {
            drop(commands);
            // A thread that panicked has written its message already.
            let _ = thread.join();
        }
    }
}

fn out_folders(options: &LiveOptions) -> Vec<PathBuf> {
    match options.methods.as_slice() {
        [] | [_] => vec![options.out.clone()],
        several => {
            let folder = |(k, name): (usize, &String)| {
                let repeated = several[..k].contains(name);
                match repeated {
                    true => options.out.join(format!("{name}-{}", k + 1)),
                    false => options.out.join(name),
                }
            };
            several.iter().enumerate().map(folder).collect()
        }
    }
}

/// Returns the opening of a session of a scene under a method.
fn opening(
    source: &Source,
    method: Option<&String>,
    out: PathBuf,
    record: bool,
) -> Result<Opening, LiveError> {
    let mut source = source.clone();
    if let Some(method) = method {
        let set = source.set("time.method", &format!("{method:?}"));
        set.map_err(|e| LiveError::Scene(e.to_string()))?;
    }
    let scene = source.scene();
    let mut scene = scene.map_err(|e| LiveError::Scene(e.to_string()))?;
    // The repetition ends at another time; what depends on `until` is fixed here.
    scene.time.step = Some(scene.time.nominal_step());
    scene.time.until = WRITTEN_TIME;
    Ok(Opening {
        scene,
        source,
        out,
        record,
    })
}

fn about(worker: &Worker, out: &Path) -> Value {
    let session = worker.session();
    let channels = shown_channels();
    let channel =
        |(c, _): &(&march::ledger::Channel, _)| json!({ "name": c.name, "title": c.title });
    let bodies = session.scene.body.iter().enumerate();
    let damping = session.scene.body.first().map(|b| &b.damping);
    json!({
        "mode": "live",
        "name": session.name(),
        "file": session.file,
        "out": out.display().to_string(),
        "methods": methods::names(),
        "channels": channels.iter().map(channel).collect::<Vec<_>>(),
        "bodies": bodies.map(|(i, b)| b.name_or_number(i)).collect::<Vec<_>>(),
        "gravity": session.scene.gravity,
        "damping": damping,
        "step": session.scene.time.nominal_step(),
        "friction": session.scene.contact.as_ref().map(|c| c.friction.unwrap_or(0.0)),
        "chooses_steps": session.scene.time.control.as_ref().is_some_and(|c| c.chooses_steps()),
    })
}

fn topology_of(worker: &mut Worker) -> Vec<u8> {
    let start = worker.drawn_positions();
    let (session, drawn) = (worker.session(), worker.drawn());
    let vertices = match session.skin.embedded {
        true => session.skin.vertices(),
        false => drawn.nodes.len(),
    };
    topology(drawn, vertices, &session.obstacles, &start)
}
