//! Consistency of events and handles with the rest of a scene.

use super::check::ConsistencyCheck;
use super::suggestion::suggestion;
use super::{Body, Event, Scene};

impl ConsistencyCheck<'_> {
    pub(super) fn events(&mut self, scene: &Scene) {
        for (i, event) in scene.event.iter().enumerate() {
            let path = format!("event[{i}]");
            for (key, sentence) in refused_keys(scene, event) {
                self.add_error(format!("{path}.{key}"), sentence);
            }
        }
    }

    pub(super) fn handles(&mut self, scene: &Scene) {
        for (i, handle) in scene.handle.iter().enumerate() {
            let samples = &handle.motion.samples;
            for (k, pair) in samples.windows(2).enumerate() {
                if pair[1][0] < pair[0][0] {
                    let (t, before) = (pair[1][0], pair[0][0]);
                    let sentence =
                        format!("times must not descend; {t:?} s comes after {before:?} s");
                    self.add_error(format!("handle[{i}].motion.samples[{}]", k + 1), sentence);
                }
            }
            if let Some(sample) = samples.first().filter(|s| s[0] < 0.0) {
                let sentence = format!("{:?} s is before the start, t = 0", sample[0]);
                self.add_error(format!("handle[{i}].motion.samples[0]"), sentence);
            }
            if let (Some(release), Some(last)) = (handle.release, samples.last())
                && release < last[0]
            {
                let sentence = format!("{release:?} s is before the last sample, {:?} s", last[0]);
                self.add_error(format!("handle[{i}].release"), sentence);
            }
        }
    }
}

/// Returns the keys of an event that the scene cannot change, with the reasons.
pub fn refused_keys(scene: &Scene, event: &Event) -> Vec<(&'static str, String)> {
    let mut refused = Vec::new();
    let set = &event.set;
    let name = |(i, body): (usize, &Body)| body.name_or_number(i);
    let names: Vec<String> = scene.body.iter().enumerate().map(name).collect();
    if let Some(body) = &event.body {
        if !names.contains(body) {
            let hint = suggestion(body, names.iter().map(String::as_str));
            refused.push(("body", format!("no body is called \"{body}\"; {hint}")));
        } else if set.damping.is_none() && set.stiffness.is_none() {
            let sentence = "only set.damping and set.stiffness belong to a body; set one of them, or leave \"body\" out";
            refused.push(("body", sentence.into()));
        }
    }
    if set.friction.is_some() && scene.contact.is_none() {
        let sentence =
            "the scene has no [contact], so nothing touches and nothing rubs; add [contact]";
        refused.push(("set.friction", sentence.into()));
    }
    let chosen = names.iter().zip(&scene.body);
    let mut chosen = chosen.filter(|(name, _)| event.body.as_ref().is_none_or(|b| b == *name));
    if set.stiffness.is_some()
        && let Some((name, _)) = chosen.find(|(_, body)| body.bonds.is_some())
    {
        let sentence = format!(
            "\"{name}\" is made of bonds, whose damage belongs to their stiffness; a scene cannot change it while it runs"
        );
        refused.push(("set.stiffness", sentence));
    }
    if scene.body.is_empty() && (set.damping.is_some() || set.stiffness.is_some()) {
        let key = if set.damping.is_some() {
            "set.damping"
        } else {
            "set.stiffness"
        };
        refused.push((key, "the scene has no body that it could apply to".into()));
    }
    if set.step.is_some()
        && scene
            .time
            .control
            .as_ref()
            .is_some_and(|c| c.chooses_steps())
    {
        let sentence = "time.control chooses the steps; leave \"step\" out, or use kind = \"retreat\" or \"fixed\"";
        refused.push(("set.step", sentence.into()));
    }
    refused
}
