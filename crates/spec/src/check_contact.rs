//! Consistency checks of obstacles and contact.

use super::check::ConsistencyCheck;
use super::suggestion::suggestion;
use super::{
    BarrierFunction, Contact, ContactKind, FrictionMode, HeightField, ObstacleShape, Scene,
};

impl ConsistencyCheck<'_> {
    pub(super) fn obstacles(&mut self, scene: &Scene) {
        for (i, obstacle) in scene.obstacle.iter().enumerate() {
            let path = format!("obstacle[{i}]");
            match &obstacle.shape {
                ObstacleShape::Plane(p) => self.nonzero(&p.normal, &format!("{path}.plane.normal")),
                ObstacleShape::Box(b) => {
                    self.bounds(&b.min, &b.max, &format!("{path}.box"));
                    if let Some(k) = (0..3).find(|&k| b.min[k] == b.max[k]) {
                        let axis = ["x", "y", "z"][k];
                        let sentence = format!("equals min along {axis}; the box is flat");
                        self.add_error(format!("{path}.box.max[{k}]"), sentence);
                    }
                }
                ObstacleShape::HeightField(h) => {
                    self.height_field(h, &format!("{path}.height-field"));
                }
                ObstacleShape::Sphere(_)
                | ObstacleShape::Capsule(_)
                | ObstacleShape::File { .. } => {}
            }
            self.motion(obstacle.motion.as_ref(), &path);
        }
        self.obstacle_names(scene);
        if scene.contact.is_none() {
            let bodies = scene.body.iter().enumerate();
            for (i, _) in bodies.filter(|(_, body)| body.friction.is_some()) {
                let sentence = "has no effect without [contact]; add [contact] or leave it out";
                self.add_error(format!("body[{i}].friction"), sentence);
            }
        }
        if let Some(contact) = &scene.contact {
            self.contact_pairs(scene, contact);
            self.penalty_keys(contact);
            self.corrector_keys(contact);
        }
    }

    /// Refuses keys of the corrector under other models, and keys that the corrector does not use.
    fn corrector_keys(&mut self, contact: &Contact) {
        let corrector = contact.kind == ContactKind::Corrector;
        let of_corrector = [
            ("rows", contact.rows.is_some()),
            ("iterations", contact.iterations.is_some()),
            ("damping", contact.damping.is_some()),
        ];
        for (key, _) in of_corrector
            .iter()
            .filter(|(_, given)| *given && !corrector)
        {
            let sentence = "is a key of kind = \"corrector\" only; leave it out";
            self.add_error(format!("contact.{key}"), sentence);
        }
        if !corrector {
            return;
        }
        let smoothed = "belongs to smoothed friction, but the corrector has Coulomb's law itself; leave it out";
        let barrier = "belongs to kind = \"barrier\"; the corrector has no contact forces at a distance; leave it out";
        let alone = "contact of a body with itself needs kind = \"barrier\"; leave it out";
        for (key, given, sentence) in [
            ("reach", contact.reach.is_some(), barrier),
            ("stiffness", contact.stiffness.is_some(), barrier),
            (
                "shape",
                contact.shape != BarrierFunction::default(),
                barrier,
            ),
            (
                "friction-mode",
                contact.friction_mode != FrictionMode::default(),
                smoothed,
            ),
            (
                "slip-speed",
                contact.slip_speed != super::contact::default_slip_speed(),
                smoothed,
            ),
            ("self", contact.self_contact, alone),
        ] {
            if given {
                self.add_error(format!("contact.{key}"), sentence);
            }
        }
    }

    fn height_field(&mut self, field: &HeightField, path: &str) {
        for (k, side) in field.size.iter().enumerate().filter(|(_, s)| **s <= 0.0) {
            let sentence = format!("must be greater than 0, found {side:?}");
            self.add_error(format!("{path}.size[{k}]"), sentence);
        }
        let Some(rows) = &field.heights else { return };
        if rows.len() < 2 || rows[0].len() < 2 {
            let sentence = "needs at least two rows of two heights";
            return self.add_error(format!("{path}.heights"), sentence);
        }
        let wrong = rows.iter().position(|row| row.len() != rows[0].len());
        if let Some(i) = wrong {
            let (found, first) = (rows[i].len(), rows[0].len());
            let sentence = format!("has {found} heights, the first row has {first}");
            self.add_error(format!("{path}.heights[{i}]"), sentence);
        }
    }

    /// Refuses obstacles with the name of a body or of another obstacle.
    fn obstacle_names(&mut self, scene: &Scene) {
        let bodies = scene.body.iter().enumerate();
        let mut names: Vec<(String, String)> = bodies
            .map(|(i, b)| (b.name_or_number(i), format!("body[{i}]")))
            .collect();
        for (i, obstacle) in scene.obstacle.iter().enumerate() {
            let name = obstacle.name_or_number(i);
            match names.iter().find(|(n, _)| *n == name) {
                Some((_, owner)) => {
                    let sentence = format!("\"{name}\" is already the name of {owner}");
                    self.add_error(format!("obstacle[{i}].name"), sentence);
                }
                None => names.push((name, format!("obstacle[{i}]"))),
            }
        }
    }

    /// Refuses `restitution` under other models, and keys that the penalty model does not use.
    fn penalty_keys(&mut self, contact: &Contact) {
        if contact.kind != ContactKind::Penalty && contact.restitution.is_some() {
            let sentence = "has an effect with kind = \"penalty\" only; leave it out";
            self.add_error("contact.restitution", sentence);
        }
        if contact.kind != ContactKind::Penalty {
            return;
        }
        let mut refuse = |key: &str, why: &str| {
            let sentence = format!("has no effect with kind = \"penalty\", {why}; leave it out");
            self.add_error(format!("contact.{key}"), sentence);
        };
        if contact.shape != BarrierFunction::default() {
            refuse("shape", "whose springs are linear");
        }
        if contact.friction_mode != FrictionMode::default() {
            refuse(
                "friction-mode",
                "whose friction is an impulse after the step",
            );
        }
        if contact.slip_speed != super::contact::default_slip_speed() {
            refuse("slip-speed", "whose friction is not smoothed");
        }
    }

    fn contact_pairs(&mut self, scene: &Scene, contact: &Contact) {
        let names = scene.contact_names();
        for (i, pair) in contact.pair.iter().enumerate() {
            if pair.a == pair.b {
                let sentence =
                    "is the same as a; contact of a body with itself is switched by contact.self";
                self.add_error(format!("contact.pair[{i}].b"), sentence);
            }
            if pair.ignore && pair.friction.is_some() {
                let sentence = "has no effect on a pair with ignore = true, which never touches; leave one of the two out";
                self.add_error(format!("contact.pair[{i}].friction"), sentence);
            }
            for (key, name) in [("a", &pair.a), ("b", &pair.b)] {
                if !names.contains(name) {
                    let hint = suggestion(name, names.iter().map(String::as_str));
                    let sentence = format!("no body or obstacle is named \"{name}\"; {hint}");
                    self.add_error(format!("contact.pair[{i}].{key}"), sentence);
                }
            }
        }
    }
}

impl Scene {
    /// Returns the names of everything that can touch: bodies, obstacles and particles.
    pub fn contact_names(&self) -> Vec<String> {
        let mut names = self.body_names();
        let obstacles = self.obstacle.iter().enumerate();
        names.extend(obstacles.map(|(i, o)| o.name_or_number(i)));
        names.extend((0..self.particle.len()).map(|i| format!("particle-{i}")));
        names
    }
}
