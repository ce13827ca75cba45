//! The clock of live sessions: it gathers what pages ask for, lets all sessions step to the same time, and publishes frames.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use scene::spec::Event;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::command::{Client, Command, Message};
use super::session_thread::{SessionThread, Ticks};
use super::worker::{Grip, HandleChange, Job, SessionState};
use super::{Drags, Published};
use crate::packet::Packet;

/// Largest number of pins.
const MAX_PINS: usize = 64;
/// Shortest time between two frames.
const FRAME_TIME: Duration = Duration::from_millis(12);
/// Delay behind the wished speed from which the clock gives the lost time up.
const MAX_DELAY: Duration = Duration::from_millis(150);
/// Time over which the speed is measured.
const RATE_WINDOW: Duration = Duration::from_millis(700);
/// Simulated seconds in a second that can be asked for.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=10.0;
/// Factors of the hand's stiffness that can be asked for.
const GRIPS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// The clock.
pub struct Coordinator {
    sessions: Vec<SessionThread>,
    states: Vec<SessionState>,
    commands: Receiver<Command>,
    drags: Arc<Drags>,
    frames: watch::Sender<Arc<Published>>,
    running: bool,
    speed: f64,
    ticks: Ticks,
    /// Pages that hold a vertex: key of the handle and vertex.
    hands: BTreeMap<Client, (u64, u32)>,
    pins: BTreeMap<u32, u64>,
    /// Changes of handles for the next step.
    pending: Vec<HandleChange>,
    next_key: u64,
    number: u64,
    /// Wall clock and simulated time from which the speed is held, and from which it is measured.
    anchor: (Instant, f64),
    measured: (Instant, f64),
    rate: Option<f64>,
    published: Instant,
}

impl Coordinator {
    /// Creates the clock of running sessions; waits for their first states.
    pub fn new(
        sessions: Vec<SessionThread>,
        commands: Receiver<Command>,
        drags: Arc<Drags>,
        frames: watch::Sender<Arc<Published>>,
        running: bool,
    ) -> Coordinator {
        let now = Instant::now();
        let first = sessions.iter().map(|s| s.states.recv().unwrap_or_default());
        let states: Vec<SessionState> = first.collect();
        let mut coordinator = Coordinator {
            sessions,
            states,
            commands,
            drags,
            frames,
            running,
            speed: 1.0,
            ticks: Ticks::default(),
            hands: BTreeMap::new(),
            pins: BTreeMap::new(),
            pending: Vec::new(),
            next_key: 0,
            number: 0,
            anchor: (now, 0.0),
            measured: (now, 0.0),
            rate: None,
            published: now,
        };
        coordinator.restart_ticks();
        coordinator.publish();
        coordinator
    }

    /// Runs until all senders of commands are gone; then ends all sessions.
    pub fn run(mut self) {
        loop {
            let wait = self.wait();
            let received = match wait {
                Some(time) => self.commands.recv_timeout(time),
                None => self
                    .commands
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(command) => {
                    self.obey(command);
                    while let Ok(command) = self.commands.try_recv() {
                        self.obey(command);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.running && self.wait().is_some_and(|time| time.is_zero()) {
                self.tick();
            }
        }
        for session in &self.sessions {
            // A thread that is gone has nothing left to finish.
            let _ = session.jobs.send(Job::Finish);
        }
        for session in self.sessions {
            let _ = session.thread.join();
        }
    }

    /// Returns the time until the next step; `None` if the clock stands.
    fn wait(&mut self) -> Option<Duration> {
        if !self.running {
            return None;
        }
        let due = self.anchor.0
            + Duration::from_secs_f64(((self.t() - self.anchor.1) / self.speed).max(0.0));
        let now = Instant::now();
        if now > due + MAX_DELAY {
            self.anchor = (now, self.t());
        }
        Some(due.saturating_duration_since(now))
    }

    fn t(&self) -> f64 {
        let times = self.states.iter().map(|s| s.t);
        times.fold(f64::INFINITY, f64::min)
    }

    /// Starts a new grid of steps at the current time, with the longest step of the sessions.
    fn restart_ticks(&mut self) {
        let step = self.states.iter().map(|s| s.step).fold(0.0, f64::max);
        self.ticks = Ticks {
            origin: self.t(),
            step,
            count: 0,
        };
        self.hold_speed();
    }

    fn hold_speed(&mut self) {
        let now = Instant::now();
        self.anchor = (now, self.t());
        self.measured = (now, self.t());
        self.rate = None;
    }

    fn obey(&mut self, command: Command) {
        let Command {
            client,
            message,
            answers,
        } = command;
        let done = match message {
            Message::Ack { .. } | Message::Drag { .. } => Ok(()),
            Message::Grab { vertex, grip } => self.grab(client, vertex, grip),
            Message::Release => {
                self.release(client);
                Ok(())
            }
            Message::Pin { vertex } => self.pin(vertex),
            Message::Unpin { vertex } => self.unpin(vertex),
            Message::UnpinAll => {
                let all: Vec<u32> = self.pins.keys().copied().collect();
                all.into_iter().try_for_each(|v| self.unpin(v))
            }
            Message::Pause => {
                self.running = false;
                self.rate = None;
                Ok(())
            }
            Message::Run => {
                self.running = true;
                self.hold_speed();
                Ok(())
            }
            Message::Step => {
                self.running = false;
                self.tick();
                Ok(())
            }
            Message::Reset => self.reset(),
            Message::Speed { value } => self.set_speed(value),
            Message::Set { session, body, set } => {
                let set = *set;
                let event = Event { t: 0.0, body, set };
                self.set(session, &event)
            }
        };
        if let Err(sentence) = done {
            // A page that does not read its answers loses them.
            let _ = answers.try_send(sentence);
        }
        self.publish();
    }

    fn new_key(&mut self) -> u64 {
        self.next_key += 1;
        self.next_key
    }

    fn check_vertex(&self, vertex: u32) -> Result<(), String> {
        let count = self.states.first().map_or(0, |s| s.positions.len() / 3);
        match (vertex as usize) < count {
            true => Ok(()),
            false => Err(format!(
                "vertex {vertex} does not exist; the page has {count}"
            )),
        }
    }

    fn grab(&mut self, client: Client, vertex: u32, grip: f64) -> Result<(), String> {
        self.check_vertex(vertex)?;
        if !GRIPS.contains(&grip) {
            return Err(format!(
                "grip = {grip}: it must be from {} to {}",
                GRIPS.start(),
                GRIPS.end()
            ));
        }
        self.release(client);
        let key = self.new_key();
        self.pending
            .push(HandleChange::Grab(key, vertex, Grip::Hand(grip)));
        self.hands.insert(client, (key, vertex));
        Ok(())
    }

    fn release(&mut self, client: Client) {
        if let Some((key, _)) = self.hands.remove(&client) {
            self.drop_handle(key);
        }
    }

    /// Releases a handle, or forgets it if it is not attached yet.
    fn drop_handle(&mut self, key: u64) {
        let before = self.pending.len();
        self.pending
            .retain(|c| !matches!(c, HandleChange::Grab(k, ..) if *k == key));
        if self.pending.len() == before {
            self.pending.push(HandleChange::Release(key));
        }
    }

    fn pin(&mut self, vertex: u32) -> Result<(), String> {
        self.check_vertex(vertex)?;
        if self.pins.contains_key(&vertex) {
            return Ok(());
        }
        if self.pins.len() >= MAX_PINS {
            return Err(format!("{MAX_PINS} vertices are pinned; free one first"));
        }
        let key = self.new_key();
        self.pins.insert(vertex, key);
        self.pending
            .push(HandleChange::Grab(key, vertex, Grip::Pin));
        Ok(())
    }

    fn unpin(&mut self, vertex: u32) -> Result<(), String> {
        match self.pins.remove(&vertex) {
            Some(key) => {
                self.drop_handle(key);
                Ok(())
            }
            None => Err(format!("vertex {vertex} is not pinned")),
        }
    }

    fn set_speed(&mut self, value: f64) -> Result<(), String> {
        if !SPEEDS.contains(&value) {
            return Err(format!(
                "speed = {value}: it must be from {} to {}",
                SPEEDS.start(),
                SPEEDS.end()
            ));
        }
        self.speed = value;
        self.hold_speed();
        Ok(())
    }

    fn reset(&mut self) -> Result<(), String> {
        self.pending.clear();
        self.hands.clear();
        self.pins.clear();
        self.ask(&|_| Some(Job::Reset));
        self.restart_ticks();
        self.first_error()
    }

    fn set(&mut self, session: Option<usize>, event: &Event) -> Result<(), String> {
        if let Some(k) = session.filter(|k| *k >= self.sessions.len()) {
            return Err(format!("there is no session {k}"));
        }
        let wanted = |k: usize| session.is_none_or(|s| s == k);
        self.ask(&|k| wanted(k).then(|| Job::Apply(Box::new(event.clone()))));
        if event.set.step.is_some() {
            self.restart_ticks();
        }
        self.first_error()
    }

    fn first_error(&self) -> Result<(), String> {
        let error = self.states.iter().find_map(|s| s.error.clone());
        error.map_or(Ok(()), Err)
    }

    /// Gives jobs to sessions and waits for all of them.
    fn ask(&mut self, job: &dyn Fn(usize) -> Option<Job>) {
        let asked: Vec<bool> = self
            .sessions
            .iter()
            .enumerate()
            .map(|(k, session)| job(k).is_some_and(|job| session.jobs.send(job).is_ok()))
            .collect();
        for (k, _) in asked.iter().enumerate().filter(|(_, asked)| **asked) {
            if let Ok(state) = self.sessions[k].states.recv() {
                self.states[k] = state;
            }
        }
    }

    /// Lets all sessions step to the end of the next step.
    fn tick(&mut self) {
        let changes = self.handle_changes();
        let end = self.ticks.end();
        self.ask(&|_| Some(Job::Advance(end, changes.clone())));
        if self.states.iter().all(|s| s.error.is_none()) {
            self.ticks.count += 1;
        } else {
            // The others have reached the end already and wait for the one that failed.
            self.running = false;
        }
        let now = Instant::now();
        let elapsed = now - self.measured.0;
        if elapsed > RATE_WINDOW {
            self.rate = Some((self.t() - self.measured.1) / elapsed.as_secs_f64());
            self.measured = (now, self.t());
        }
        if now - self.published >= FRAME_TIME || !self.running {
            self.publish();
        }
    }

    /// Returns the changes of handles for a step: releases, grabs, moves.
    fn handle_changes(&mut self) -> Vec<HandleChange> {
        let hands = self.drags.take();
        for client in hands.left {
            self.release(client);
        }
        let mut changes = std::mem::take(&mut self.pending);
        let moves = hands
            .targets
            .iter()
            .filter_map(|(client, to)| Some(HandleChange::Move(self.hands.get(client)?.0, *to)));
        changes.extend(moves);
        let order = |change: &HandleChange| match *change {
            HandleChange::Release(key) => (0, key),
            HandleChange::Grab(key, ..) => (1, key),
            HandleChange::Move(key, _) => (2, key),
        };
        changes.sort_by_key(order);
        changes
    }

    fn publish(&mut self) {
        self.number += 1;
        let sessions: Vec<Value> = self.states.iter().map(|s| s.numbers.clone()).collect();
        let held: Vec<u32> = self.hands.values().map(|h| h.1).collect();
        let about = json!({
            "frame": self.number,
            "t": self.t(),
            "running": self.running,
            "speed": self.speed,
            "rate": self.rate,
            "step": self.ticks.step,
            "sessions": sessions,
            "held": held,
            "pins": self.pins.keys().collect::<Vec<_>>(),
        });
        let mut packet = Packet::new().with("state", about.clone());
        for (k, state) in self.states.iter().enumerate() {
            packet = packet.floats(&format!("positions{k}"), state.positions.iter().copied());
            if !state.obstacles.is_empty() {
                packet = packet.floats(&format!("obstacles{k}"), state.obstacles.iter().copied());
            }
        }
        self.published = Instant::now();
        let published = Published {
            number: self.number,
            about: about.to_string(),
            bytes: packet.into_bytes().into(),
        };
        self.frames.send_replace(Arc::new(published));
    }
}
