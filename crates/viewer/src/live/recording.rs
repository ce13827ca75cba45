//! What was done to a session, as a scene file that repeats it to the bit.

use std::path::Path;

use scene::spec::{Event, Handle, HandleMotion, Scene};
use serde_json::Value;

/// Largest number of events and samples that are kept; a longer recording ends there.
const MAX_ENTRIES: usize = 2_000_000;

/// Events and handles of a session since its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    events: Vec<Event>,
    handles: Vec<Handle>,
    entries: usize,
}

impl Recording {
    fn has_room(&mut self) -> bool {
        self.entries += 1;
        self.entries <= MAX_ENTRIES
    }

    /// Keeps an event; one without changes says that a step ended there.
    pub fn event(&mut self, event: Event) {
        if self.has_room() {
            self.events.push(event);
        }
    }

    /// Keeps that a node was grabbed. Returns the number of the handle.
    pub fn grab(&mut self, node: usize, stiffness: f64, t: f64, at: [f64; 3]) -> usize {
        self.handles.push(Handle {
            node: node as u32,
            stiffness,
            motion: HandleMotion {
                samples: vec![[t, at[0], at[1], at[2]]],
            },
            release: None,
        });
        self.handles.len() - 1
    }

    /// Keeps that a handle was moved.
    pub fn drag(&mut self, handle: usize, t: f64, to: [f64; 3]) {
        if self.has_room()
            && let Some(handle) = self.handles.get_mut(handle)
        {
            handle.motion.samples.push([t, to[0], to[1], to[2]]);
        }
    }

    /// Keeps that a handle was released.
    pub fn release(&mut self, handle: usize, t: f64) {
        if let Some(handle) = self.handles.get_mut(handle) {
            handle.release = Some(t);
        }
    }

    /// Returns the text of a scene file that repeats what was done to `scene` up to a time. Names of files are made absolute
    /// with `folder`, that of the original scene.
    pub fn scene_file(&self, scene: &Scene, until: f64, folder: &Path) -> Result<String, String> {
        let mut scene = scene.clone();
        scene.event.extend(self.events.iter().cloned());
        scene.handle.extend(self.handles.iter().cloned());
        scene.time.until = until;
        let mut tree = serde_json::to_value(&scene).map_err(|e| e.to_string())?;
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        make_absolute(&mut tree, &folder);
        let tree = toml::Value::try_from(&tree).map_err(|e| e.to_string())?;
        let text = toml::to_string(&tree).map_err(|e| e.to_string())?;
        let head = "# Recorded by `supple view --record`: `supple run` repeats what was done, to the bit.\n";
        Ok(format!("{head}{text}"))
    }
}

/// Keys whose text is the name of a file.
const FILE_KEYS: [&str; 3] = ["file", "start", "height-field"];

fn make_absolute(tree: &mut Value, folder: &Path) {
    match tree {
        Value::Object(table) => {
            for (key, value) in table {
                match value {
                    Value::String(name) if FILE_KEYS.contains(&key.as_str()) => {
                        *name = folder.join(&*name).display().to_string();
                    }
                    other => make_absolute(other, folder),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|v| make_absolute(v, folder)),
        _ => {}
    }
}
