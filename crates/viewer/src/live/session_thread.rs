//! The thread of a session, and the times at which the steps of all sessions end.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::worker::{Job, SessionState, Worker};

/// Channels and thread of one session.
pub struct SessionThread {
    /// What the session is asked to do.
    pub jobs: Sender<Job>,
    /// Its state after each job.
    pub states: Receiver<SessionState>,
    /// The thread.
    pub thread: JoinHandle<()>,
}

impl SessionThread {
    /// Starts the thread of a session, on a pool of its own.
    pub fn start(worker: Worker, threads: usize) -> std::io::Result<SessionThread> {
        let (jobs, take_jobs) = channel();
        let (give_states, states) = channel();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1));
        let pool = pool.build().map_err(std::io::Error::other)?;
        let thread = std::thread::Builder::new().name("session".into());
        let thread = thread.spawn(move || {
            // On a thread of the pool: from another thread each call would wake the pool and wait.
            pool.install(move || worker.work(&take_jobs, &give_states));
        })?;
        Ok(SessionThread {
            jobs,
            states,
            thread,
        })
    }
}

/// Steps that end at origin + k · step, as those of fixed steps do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// Time from which steps are counted, s.
    pub origin: f64,
    /// Length of a step, s.
    pub step: f64,
    /// Number of steps since then.
    pub count: u64,
}

impl Ticks {
    /// Returns the start of the next step, s.
    pub fn start(&self) -> f64 {
        self.origin + self.count as f64 * self.step
    }

    /// Returns the end of the next step, s.
    pub fn end(&self) -> f64 {
        self.origin + (self.count as f64 + 1.0) * self.step
    }
}
