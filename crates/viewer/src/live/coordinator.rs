//! The clock of live sessions: it gathers what pages ask for, lets all sessions step to the same time, and publishes frames.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use scene::node_fields::NodeField;
use scene::spec::Event;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::command::{Client, Command, Message};
use super::fields::ShownFields;
use super::handles::Handles;
use super::session_thread::{SessionThread, Ticks};
use super::worker::{Job, SessionState};
use super::{Drags, Published};
use crate::packet::Packet;

/// Shortest time between two frames.
const FRAME_TIME: Duration = Duration::from_millis(12);
/// Delay behind the wished speed from which the clock gives the lost time up.
const MAX_DELAY: Duration = Duration::from_millis(150);
/// Time over which the speed is measured.
const RATE_WINDOW: Duration = Duration::from_millis(700);
/// Simulated seconds in a second that can be asked for.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-9..=10.0;
/// Step below which a scene starts in slow motion, s.
const SLOW_MOTION_STEP: f64 = 2e-5;
/// Steps in a second of slow motion, up to a rounding to a power of ten.
const SLOW_MOTION_RATE: f64 = 200.0;

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
    handles: Handles,
    shown: ShownFields,
    /// What was changed in all sessions since the start.
    changed: Map<String, Value>,
    number: u64,
    /// Wall clock and simulated time from which the speed is held, and from which it is measured.
    anchor: (Instant, f64),
    measured: (Instant, f64),
    rate: Option<f64>,
    published: Instant,
}

impl Coordinator {
    /// Creates the clock of running sessions that can compute these fields; waits for their first states.
    pub fn new(
        sessions: Vec<SessionThread>,
        fields: Vec<NodeField>,
        commands: Receiver<Command>,
        drags: Arc<Drags>,
        frames: watch::Sender<Arc<Published>>,
        running: bool,
    ) -> Coordinator {
        let now = Instant::now();
        let first = sessions.iter().map(|s| s.states.recv().unwrap_or_default());
        let states: Vec<SessionState> = first.collect();
        let mut coordinator = Coordinator {
            handles: Handles::new(sessions.len()),
            shown: ShownFields::new(fields),
            changed: Map::new(),
            sessions,
            states,
            commands,
            drags,
            frames,
            running,
            speed: 1.0,
            ticks: Ticks::default(),
            number: 0,
            anchor: (now, 0.0),
            measured: (now, 0.0),
            rate: None,
            published: now,
        };
        coordinator.restart_ticks();
        coordinator.speed = first_speed(coordinator.ticks.step);
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

    /// Returns the sessions that take steps: those that did not fail, or all if there are no others.
    fn stepping(&self) -> Vec<usize> {
        let all = 0..self.states.len();
        let sound: Vec<usize> = all.clone().filter(|k| !self.states[*k].failed).collect();
        match sound.is_empty() {
            true => all.collect(),
            false => sound,
        }
    }

    fn t(&self) -> f64 {
        let times = self.stepping().into_iter().map(|k| self.states[k].t);
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
            Message::Grab { vertex, grip } => {
                let exists = self.check_vertex(vertex);
                exists.and_then(|()| self.handles.grab(client, vertex, grip))
            }
            Message::Release => {
                self.handles.release(client);
                Ok(())
            }
            Message::Pin { vertex } => {
                let exists = self.check_vertex(vertex);
                exists.and_then(|()| self.handles.pin(vertex))
            }
            Message::Unpin { vertex } => self.handles.unpin(vertex),
            Message::UnpinAll => {
                self.handles.unpin_all();
                Ok(())
            }
            Message::Show { field } => self.show(client, field.as_deref()),
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

    fn check_vertex(&self, vertex: u32) -> Result<(), String> {
        let count = self.states.first().map_or(0, |s| s.positions.len() / 3);
        match (vertex as usize) < count {
            true => Ok(()),
            false => Err(format!(
                "vertex {vertex} does not exist; the page has {count}"
            )),
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

    /// Notes the field that a page shows, and lets the sessions compute what pages show.
    fn show(&mut self, client: Client, field: Option<&str>) -> Result<(), String> {
        let before = self.shown.names();
        self.shown.show(client, field)?;
        self.show_fields(&before)
    }

    /// Tells the sessions which fields pages show if these are others than before.
    fn show_fields(&mut self, before: &[&str]) -> Result<(), String> {
        let names = self.shown.names();
        if names == before {
            return Ok(());
        }
        let job = |_| Some(Job::Show(names.clone()));
        self.ask((0..self.sessions.len()).map(job).collect())
    }

    fn reset(&mut self) -> Result<(), String> {
        self.handles.clear();
        self.changed.clear();
        let done = self.ask(self.sessions.iter().map(|_| Some(Job::Reset)).collect());
        self.restart_ticks();
        done
    }

    fn set(&mut self, session: Option<usize>, event: &Event) -> Result<(), String> {
        if let Some(k) = session.filter(|k| *k >= self.sessions.len()) {
            return Err(format!("there is no session {k}"));
        }
        let wanted = |k: usize| session.is_none_or(|s| s == k);
        let failed = self.states.iter().any(|s| s.failed);
        let job = |k| wanted(k).then(|| Job::Apply(Box::new(event.clone())));
        let done = self.ask((0..self.sessions.len()).map(job).collect());
        if event.set.step.is_some() {
            self.restart_ticks();
        }
        if failed {
            self.hold_speed();
        }
        done?;
        if session.is_none()
            && event.body.is_none()
            && let Ok(Value::Object(set)) = serde_json::to_value(&event.set)
        {
            let given = set.into_iter().filter(|(_, value)| !value.is_null());
            self.changed.extend(given);
        }
        Ok(())
    }

    /// Gives each session its job, if it has one, and waits for all of them. Returns the first error.
    fn ask(&mut self, jobs: Vec<Option<Job>>) -> Result<(), String> {
        let asked: Vec<bool> = self
            .sessions
            .iter()
            .zip(jobs)
            .map(|(session, job)| job.is_some_and(|job| session.jobs.send(job).is_ok()))
            .collect();
        let mut done = Ok(());
        for (k, _) in asked.iter().enumerate().filter(|(_, asked)| **asked) {
            let state = &mut self.states[k];
            match self.sessions[k].states.recv() {
                Ok(new) => *state = new,
                Err(_) => {
                    let sentence = "the thread of the session has ended; start `supple view` again";
                    (state.error, state.failed) = (Some(sentence.into()), true);
                    state.numbers["error"] = json!(sentence);
                    state.numbers["failed"] = json!(true);
                }
            }
            done = done.and(state.error.clone().map_or(Ok(()), Err));
        }
        done
    }

    /// Lets all sessions step to the end of the next step. Sessions that failed are left out; one that steps again catches up
    /// first, while the others wait.
    fn tick(&mut self) {
        let (before, left) = (self.shown.names(), self.handles.follow(&self.drags));
        left.into_iter().for_each(|client| self.shown.hide(client));
        // A session whose thread has ended says so in its state.
        let _ = self.show_fields(&before);
        let (start, end, step) = (self.ticks.start(), self.ticks.end(), self.ticks.step);
        let late = |c: &Coordinator, k: usize| c.states[k].t < start - 1e-6 * step;
        let stepping = self.stepping();
        let behind = stepping.iter().any(|k| late(self, *k));
        let mut jobs: Vec<Option<Job>> = self.states.iter().map(|_| None).collect();
        for k in stepping {
            let until = match behind {
                false => end,
                true if late(self, k) => start.min(self.states[k].t + step),
                true => continue,
            };
            jobs[k] = Some(Job::Advance(until, self.handles.take(k)));
        }
        // Errors are part of the states.
        let _ = self.ask(jobs);
        match self.states.iter().all(|s| s.failed) {
            true => self.running = false,
            false => self.ticks.count += u64::from(!behind),
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

    fn publish(&mut self) {
        self.number += 1;
        let sessions: Vec<Value> = self.states.iter().map(|s| s.numbers.clone()).collect();
        // One that catches up is behind for a moment.
        let times = self.stepping().into_iter().map(|k| self.states[k].t);
        let about = json!({
            "frame": self.number,
            "t": times.fold(0.0, f64::max),
            "running": self.running,
            "speed": self.speed,
            "rate": self.rate,
            "step": self.ticks.step,
            "sessions": sessions,
            "set": self.changed,
            "held": self.handles.held(),
            "pins": self.handles.pins(),
        });
        let mut packet = Packet::new().with("state", about.clone());
        for (k, state) in self.states.iter().enumerate() {
            packet = packet.floats(&format!("positions{k}"), state.positions.iter().copied());
            if !state.obstacles.is_empty() {
                packet = packet.floats(&format!("obstacles{k}"), state.obstacles.iter().copied());
            }
            for (name, values) in &state.fields {
                packet = packet.floats(&format!("{name}{k}"), values.iter().copied());
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

/// Returns the speed at which a scene with this step, s, starts: real time, or a power of ten below it if the steps are so short
/// that nothing would be seen.
fn first_speed(step: f64) -> f64 {
    match step > 0.0 && step < SLOW_MOTION_STEP {
        true => 10f64.powf((SLOW_MOTION_RATE * step).log10().round()),
        false => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::first_speed;

    #[test]
    fn scenes_of_microseconds_start_in_slow_motion() {
        assert_eq!([0.01, 1e-4, 0.0].map(first_speed), [1.0; 3]);
        assert!((first_speed(2e-7) / 1e-4 - 1.0).abs() < 1e-9);
    }
}
