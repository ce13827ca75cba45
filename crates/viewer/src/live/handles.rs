//! Hands and pins of pages, and the changes of handles that each session has still to make.

use std::collections::BTreeMap;

use super::Drags;
use super::command::Client;

/// Largest number of pins.
const MAX_PINS: usize = 64;
/// Factors of the hand's stiffness that can be asked for.
const GRIPS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// What a handle is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// A hand with this factor of the default stiffness.
    Hand(f64),
    /// A pin.
    Pin,
}

/// A change of handles, made before a step. Those of a step are in this order: releases, grabs, moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandleChange {
    /// Removes a handle by its key.
    Release(u64),
    /// Attaches a handle to a drawn vertex.
    Grab(u64, u32, Grip),
    /// Moves a handle to a point, m.
    Move(u64, [f64; 3]),
}

impl HandleChange {
    fn order(&self) -> (u8, u64) {
        match *self {
            HandleChange::Release(key) => (0, key),
            HandleChange::Grab(key, ..) => (1, key),
            HandleChange::Move(key, _) => (2, key),
        }
    }
}

/// Handles of all sessions.
#[derive(Debug)]
pub struct Handles {
    /// Pages that hold a vertex: key of the handle and vertex.
    hands: BTreeMap<Client, (u64, u32)>,
    pins: BTreeMap<u32, u64>,
    next_key: u64,
    /// Changes that each session has not made yet; those of sessions that failed wait.
    waiting: Vec<Vec<HandleChange>>,
}

impl Handles {
    /// Creates the handles of a number of sessions: none.
    pub fn new(sessions: usize) -> Handles {
        Handles {
            hands: BTreeMap::new(),
            pins: BTreeMap::new(),
            next_key: 0,
            waiting: vec![Vec::new(); sessions],
        }
    }

    /// Forgets all handles.
    pub fn clear(&mut self) {
        self.hands.clear();
        self.pins.clear();
        self.waiting.iter_mut().for_each(Vec::clear);
    }

    /// Returns the vertices that hands hold.
    pub fn held(&self) -> Vec<u32> {
        self.hands.values().map(|h| h.1).collect()
    }

    /// Returns the vertices that are pinned.
    pub fn pins(&self) -> Vec<u32> {
        self.pins.keys().copied().collect()
    }

    fn attach(&mut self, vertex: u32, grip: Grip) -> u64 {
        self.next_key += 1;
        self.put(HandleChange::Grab(self.next_key, vertex, grip));
        self.next_key
    }

    fn put(&mut self, change: HandleChange) {
        self.waiting.iter_mut().for_each(|w| put_off(w, change));
    }

    /// Closes the hand of a page at a vertex.
    pub fn grab(&mut self, client: Client, vertex: u32, grip: f64) -> Result<(), String> {
        if !GRIPS.contains(&grip) {
            return Err(format!(
                "grip = {grip}: it must be from {} to {}",
                GRIPS.start(),
                GRIPS.end()
            ));
        }
        self.release(client);
        let key = self.attach(vertex, Grip::Hand(grip));
        self.hands.insert(client, (key, vertex));
        Ok(())
    }

    /// Opens the hand of a page.
    pub fn release(&mut self, client: Client) {
        if let Some((key, _)) = self.hands.remove(&client) {
            self.put(HandleChange::Release(key));
        }
    }

    /// Holds a vertex where it is.
    pub fn pin(&mut self, vertex: u32) -> Result<(), String> {
        if self.pins.contains_key(&vertex) {
            return Ok(());
        }
        if self.pins.len() >= MAX_PINS {
            return Err(format!("{MAX_PINS} vertices are pinned; free one first"));
        }
        let key = self.attach(vertex, Grip::Pin);
        self.pins.insert(vertex, key);
        Ok(())
    }

    /// Frees a pinned vertex.
    pub fn unpin(&mut self, vertex: u32) -> Result<(), String> {
        let key = self.pins.remove(&vertex);
        let key = key.ok_or(format!("vertex {vertex} is not pinned"))?;
        self.put(HandleChange::Release(key));
        Ok(())
    }

    /// Frees all pinned vertices.
    pub fn unpin_all(&mut self) {
        while let Some((_, key)) = self.pins.pop_first() {
            self.put(HandleChange::Release(key));
        }
    }

    /// Moves hands to where their pages pull them, and opens those of pages that left. Returns these pages.
    pub fn follow(&mut self, drags: &Drags) -> Vec<Client> {
        let (targets, left) = drags.take();
        left.iter().for_each(|client| self.release(*client));
        for (client, to) in targets {
            if let Some(&(key, _)) = self.hands.get(&client) {
                self.put(HandleChange::Move(key, to));
            }
        }
        left
    }

    /// Returns the changes that a session has not made yet: releases, grabs, moves.
    pub fn take(&mut self, session: usize) -> Vec<HandleChange> {
        let mut changes = std::mem::take(&mut self.waiting[session]);
        changes.sort_by_key(HandleChange::order);
        changes
    }
}

/// Adds a change to those that wait. Only the newest move of a handle stays, and of a handle that is released before it was
/// attached nothing does.
fn put_off(waiting: &mut Vec<HandleChange>, change: HandleChange) {
    let moves = |c: &HandleChange, key: u64| matches!(c, HandleChange::Move(k, _) if *k == key);
    let grabs = |c: &HandleChange, key: u64| matches!(c, HandleChange::Grab(k, ..) if *k == key);
    match change {
        HandleChange::Grab(..) => {}
        HandleChange::Move(key, _) => waiting.retain(|c| !moves(c, key)),
        HandleChange::Release(key) => {
            let attached = !waiting.iter().any(|c| grabs(c, key));
            waiting.retain(|c| !moves(c, key) && !grabs(c, key));
            if !attached {
                return;
            }
        }
    }
    waiting.push(change);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_waits_makes_only_what_still_matters() {
        let (mut handles, drags) = (Handles::new(2), Drags::default());
        handles.grab(7, 3, 1.0).unwrap();
        drags.put(7, [1.0, 0.0, 0.0]);
        handles.follow(&drags);
        let grab = HandleChange::Grab(1, 3, Grip::Hand(1.0));
        let to = |x: f64| HandleChange::Move(1, [x, 0.0, 0.0]);
        assert_eq!(handles.take(0), [grab, to(1.0)]);
        // Session 1 waits while the hand moves on and a pin comes and goes.
        drags.put(7, [2.0, 0.0, 0.0]);
        handles.follow(&drags);
        handles.pin(5).unwrap();
        handles.unpin(5).unwrap();
        assert_eq!(handles.take(0), [to(2.0)]);
        assert_eq!(handles.take(1), [grab, to(2.0)]);
        // The page leaves: the hand opens everywhere, before anything is attached.
        handles.pin(5).unwrap();
        drags.leave(7);
        handles.follow(&drags);
        let pin = HandleChange::Grab(3, 5, Grip::Pin);
        assert_eq!(handles.take(1), [HandleChange::Release(1), pin]);
        assert!(handles.held().is_empty());
        assert_eq!(handles.pins(), [5]);
    }
}
