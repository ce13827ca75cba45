//! Consistency checks between keys of a scene, which the schema cannot express.

use std::collections::BTreeMap;

use march::Parameters;
use mesh::vector::{cross, dot};

use super::suggestion::suggestion;
use super::{
    Body, ControlKind, Direction, Emit, Mesh, Motion, Newton, NodeSelection, ProbeTarget, Scene,
    Source, SpringEnd, Vec3, Velocity,
};
use crate::error::SceneError;

/// Returns all inconsistencies between the keys of a scene that is valid against the schema.
pub(super) fn find_errors(scene: &Scene, source: &Source) -> Vec<SceneError> {
    let mut check = ConsistencyCheck {
        source,
        errors: Vec::new(),
    };
    check.content(scene);
    check.time(scene);
    for (i, body) in scene.body.iter().enumerate() {
        check.body(body, &format!("body[{i}]"));
    }
    for (i, emit) in scene.emit.iter().enumerate() {
        check.body(&emit.body, &format!("emit[{i}].body"));
        check.emitted(scene, emit, i);
    }
    check.start(scene);
    check.springs(scene);
    check.obstacles(scene);
    check.probes(scene);
    check.events(scene);
    check.handles(scene);
    check.errors
}

pub(super) struct ConsistencyCheck<'a> {
    source: &'a Source,
    errors: Vec<SceneError>,
}

/// Largest number of cells of a generated shape.
const MAX_CELLS: f64 = 1e8;

impl ConsistencyCheck<'_> {
    pub(super) fn add_error(&mut self, path: impl AsRef<str>, sentence: impl Into<String>) {
        self.errors.push(self.source.error(path.as_ref(), sentence));
    }

    fn content(&mut self, scene: &Scene) {
        if scene.body.is_empty() && scene.particle.is_empty() && scene.emit.is_empty() {
            self.add_error("", "nothing to simulate; add a [[body]] or a [[particle]]");
        }
        let names = scene.body.iter().map(|b| b.name.as_str());
        self.unique(names, "body");
        let names = scene.probe.iter().map(|p| p.name.as_str());
        self.unique(names, "probe");
    }

    fn unique<'a>(&mut self, names: impl Iterator<Item = &'a str>, list: &str) {
        let mut first = BTreeMap::new();
        for (i, name) in names.enumerate() {
            let earlier = *first.entry(name).or_insert(i);
            if earlier < i {
                let sentence = format!("\"{name}\" is already the name of {list}[{earlier}]");
                self.add_error(format!("{list}[{i}].name"), sentence);
            }
        }
    }

    fn time(&mut self, scene: &Scene) {
        if let Some(control) = &scene.time.control
            && let (Some(min), Some(max)) = (control.min, control.max)
            && min > max
        {
            let sentence = format!("{max:?} s is less than min, {min:?} s");
            self.add_error("time.control.max", sentence);
        }
        match scene.time.is_static() {
            true => self.statics(scene),
            false => self.missing_step(scene),
        }
        if scene.time.steps.is_some() && !scene.time.is_static() {
            self.add_error(
                "time.steps",
                "is the number of load steps of method = \"static\"; integrators take step, in seconds",
            );
        }
        self.unused_control_keys(scene);
        let breaks = |b: &Body| b.bonds.as_ref().is_some_and(|b| b.can_break());
        let limit = scene.time.control.as_ref().and_then(|c| c.break_limit);
        if limit.is_some() && !scene.body.iter().any(breaks) {
            self.add_error(
                "time.control.break-limit",
                "no body has bonds that break; give one \"bonds\" with \"critical-stretch\" or \"fracture-energy\", or leave it out",
            );
        }
        self.tableau(&scene.time.method.params);
    }

    /// Refuses keys of `[time.control]` that its kind does not use.
    fn unused_control_keys(&mut self, scene: &Scene) {
        let Some(control) = &scene.time.control else {
            return;
        };
        let takes: &[&str] = match control.kind() {
            ControlKind::Retreat => &["min", "break-limit"],
            ControlKind::Fixed => &[],
            ControlKind::Speed => &["tolerance", "min", "max", "break-limit"],
            ControlKind::ForceError
            | ControlKind::Embedded
            | ControlKind::Stretch
            | ControlKind::Doubling
            | ControlKind::Auto => return,
        };
        let given = [
            ("tolerance", control.tolerance.is_some()),
            ("safety", control.safety.is_some()),
            ("min", control.min.is_some()),
            ("max", control.max.is_some()),
            ("exponent", control.exponent.is_some()),
            ("break-limit", control.break_limit.is_some()),
        ];
        let unused = given
            .iter()
            .filter(|(key, given)| *given && !takes.contains(key));
        for (key, _) in unused {
            let kind = control.kind().name();
            let takes = match takes {
                [] => "no other key".to_string(),
                keys => keys.join(", "),
            };
            self.add_error(
                format!("time.control.{key}"),
                format!("kind = \"{kind}\" does not use {key}; it takes {takes}"),
            );
        }
    }

    /// Refuses keys that have no effect in statics.
    fn statics(&mut self, scene: &Scene) {
        for (path, why) in self.source.unused_in_statics() {
            let sentence = format!("has no effect in statics: {why}; leave it out");
            self.add_error(path, sentence);
        }
        if scene.solver.newton == Newton::LocalGlobal {
            self.add_error(
                "solver.newton",
                "local-global iterates with a constant matrix that includes inertia, which statics leaves out; use newton = \"minimise\"",
            );
        }
    }

    /// Refuses a missing step without step control, and step control without kind and tolerance.
    fn missing_step(&mut self, scene: &Scene) {
        let control = scene.time.control.as_ref();
        if let Some(control) = control
            && control.kind.is_none()
            && control.tolerance.is_none()
        {
            self.add_error(
                "time.control",
                "has neither kind nor tolerance; tolerance = 1e-3 selects kind = \"auto\" with an error of a millimetre per second of motion",
            );
        }
        let finds =
            control.is_some_and(|c| !matches!(c.kind(), ControlKind::Retreat | ControlKind::Fixed));
        if scene.time.step.is_none() && !finds {
            self.add_error(
                "time.step",
                "missing key; expected a number: Time step (s); or give [time.control] a tolerance, which chooses the step",
            );
        }
    }

    /// Refuses a user's tableau whose parts differ in the number of stages.
    fn tableau(&mut self, params: &Parameters) {
        let Some(stages) = params.b.as_ref().map(Vec::len) else {
            return;
        };
        for (key, weights) in [("b-hat", &params.b_hat), ("c", &params.c)] {
            if let Some(weights) = weights
                && weights.len() != stages
            {
                let sentence = format!("has length {}, b has length {stages}", weights.len());
                self.add_error(format!("time.method.{key}"), sentence);
            }
        }
        for (key, matrix) in [("A", &params.a), ("Gamma", &params.gamma_matrix)] {
            let Some(rows) = matrix else { continue };
            if rows.len() != stages {
                let sentence = format!("has length {}, b has length {stages}", rows.len());
                self.add_error(format!("time.method.{key}"), sentence);
            }
            for (i, row) in rows
                .iter()
                .enumerate()
                .filter(|(_, row)| row.len() != stages)
            {
                let sentence = format!("has length {}, b has length {stages}", row.len());
                self.add_error(format!("time.method.{key}[{i}]"), sentence);
            }
        }
    }

    fn body(&mut self, body: &Body, path: &str) {
        self.mesh(&body.mesh, &format!("{path}.mesh"));
        if let Some(springs) = &body.springs
            && springs.density.is_some()
            && springs.mass.is_some()
        {
            let sentence = "cannot be combined with \"density\"; keep one of the two";
            self.add_error(format!("{path}.springs.mass"), sentence);
        }
        for (key, sentence) in super::bonds::find_contradictions(body) {
            self.add_error(format!("{path}.{key}"), sentence);
        }
        self.damping(body, path);
        self.initial_deformation(body, path);
        for (i, fix) in body.fix.iter().enumerate() {
            let path = format!("{path}.fix[{i}]");
            self.place(&fix.nodes, &path);
            self.motion(fix.motion.as_ref(), &path);
        }
        for (i, tether) in body.tether.iter().enumerate() {
            let path = format!("{path}.tether[{i}]");
            self.place(&tether.nodes, &path);
            self.motion(tether.motion.as_ref(), &path);
        }
        for (i, push) in body.push.iter().enumerate() {
            let path = format!("{path}.push[{i}]");
            self.place(&push.nodes, &path);
            if let Some(to) = push.to.filter(|to| *to <= push.from) {
                let sentence = format!("{to:?} s is not after from, {:?} s", push.from);
                self.add_error(format!("{path}.to"), sentence);
            }
        }
        for (i, traction) in body.traction.iter().enumerate() {
            let path = format!("{path}.traction[{i}]");
            self.place(&traction.nodes, &path);
            if let Some(to) = traction.to.filter(|to| *to <= traction.from) {
                let sentence = format!("{to:?} s is not after from, {:?} s", traction.from);
                self.add_error(format!("{path}.to"), sentence);
            }
        }
    }

    /// Refuses a starting shape that is given twice, flat or inverted.
    fn initial_deformation(&mut self, body: &Body, path: &str) {
        if body.stretch.is_some() && body.deform.is_some() {
            let sentence = "cannot be combined with \"stretch\"; keep one of the two";
            self.add_error(format!("{path}.deform"), sentence);
            return;
        }
        if let Some(k) = body.stretch.and_then(|s| s.iter().position(|s| *s <= 0.0)) {
            let factor = body.stretch.map_or(0.0, |s| s[k]);
            let sentence =
                format!("must be greater than 0, found {factor:?}; 1 leaves the length as it is");
            self.add_error(format!("{path}.stretch[{k}]"), sentence);
            return;
        }
        let Some((_, [a, b, c])) = body.initial_deformation() else {
            return;
        };
        let det = dot(a, cross(b, c));
        if body.deform.is_some() && det <= 0.0 {
            let sentence = format!(
                "its determinant is {det:.3e}, which makes the body flat or turns it inside out; it must be positive"
            );
            self.add_error(format!("{path}.deform"), sentence);
        }
    }

    /// Refuses keys of the initial state that a start from a file would replace.
    fn start(&mut self, scene: &Scene) {
        if scene.start.is_none() {
            return;
        }
        let mut replaced = Vec::new();
        for (i, body) in scene.body.iter().enumerate() {
            let keys = [
                ("velocity", body.velocity != Velocity::default()),
                ("stretch", body.stretch.is_some()),
                ("deform", body.deform.is_some()),
                ("disturb", body.disturb.is_some()),
            ];
            let given = keys.iter().filter(|(_, given)| *given);
            replaced.extend(given.map(|(key, _)| format!("body[{i}].{key}")));
        }
        for (i, particle) in scene.particle.iter().enumerate() {
            if particle.velocity != [0.0; 3] {
                replaced.push(format!("particle[{i}].velocity"));
            }
        }
        for path in replaced {
            self.add_error(
                path,
                "has no effect with \"start\", which gives positions and velocities of all nodes; leave one of the two out",
            );
        }
    }

    /// Refuses keys of damping that would have no effect.
    fn damping(&mut self, body: &Body, path: &str) {
        if body.damping.rate.is_some() && body.damping.stiffness == 0.0 {
            let sentence = "has no effect without \"stiffness\"; give a stiffness above 0 or leave \"rate\" out";
            self.add_error(format!("{path}.damping.rate"), sentence);
        }
        let viscosity = body.material.as_ref().and_then(|m| m.viscosity);
        if viscosity.is_some_and(|v| v.shear == 0.0 && v.bulk == 0.0) {
            let sentence = "has no effect with both \"shear\" and \"bulk\" 0; give one of them (Pa s) or leave \"viscosity\" out";
            self.add_error(format!("{path}.material.viscosity"), sentence);
        }
    }

    fn mesh(&mut self, mesh: &Mesh, path: &str) {
        let cube = |n: u32| f64::from(n).powi(3);
        let (shape, cells) = match mesh {
            Mesh::Box(s) => ("box", s.cells.map(f64::from).iter().product()),
            Mesh::Ball(s) => ("ball", cube(s.cells)),
            Mesh::Sheet(s) => ("sheet", s.cells.map(f64::from).iter().product()),
            Mesh::Cylinder(s) => ("cylinder", cube(s.cells)),
            Mesh::Torus(s) => ("torus", cube(s.cells)),
            Mesh::Blob(s) => ("blob", cube(s.cells)),
            Mesh::Mould(s) => ("mould", cube(s.cells)),
            Mesh::File(_) => ("file", 0.0),
        };
        if cells > MAX_CELLS {
            let sentence = format!("about {cells:.0e} cells are too many; at most {MAX_CELLS:.0e}");
            self.add_error(format!("{path}.{shape}.cells"), sentence);
        }
        if let Mesh::Torus(s) = mesh
            && s.tube >= s.radius
        {
            let sentence = format!(
                "{:?} m is not less than radius, {:?} m; the hole closes",
                s.tube, s.radius
            );
            self.add_error(format!("{path}.torus.tube"), sentence);
        }
    }

    fn place(&mut self, place: &NodeSelection, path: &str) {
        if let NodeSelection::Box { min, max } = place {
            self.bounds(min, max, &format!("{path}.where"));
        }
    }

    /// Refuses a box whose upper corner is below its lower one along an axis.
    pub(super) fn bounds(&mut self, min: &Vec3, max: &Vec3, path: &str) {
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            if max[i] < min[i] {
                let sentence = format!(
                    "{:?} m along {axis} is less than min, {:?} m",
                    max[i], min[i]
                );
                self.add_error(format!("{path}.max[{i}]"), sentence);
            }
        }
    }

    pub(super) fn motion(&mut self, motion: Option<&Motion>, path: &str) {
        match motion {
            Some(Motion::Keys { keys, .. }) => {
                for (i, pair) in keys.windows(2).enumerate() {
                    if pair[1].t <= pair[0].t {
                        let (t, before) = (pair[1].t, pair[0].t);
                        let sentence =
                            format!("times must ascend; {t:?} s comes after {before:?} s");
                        self.add_error(format!("{path}.motion.keys[{}].t", i + 1), sentence);
                    }
                }
            }
            Some(Motion::Samples(samples)) => {
                for (i, pair) in samples.windows(2).enumerate() {
                    if pair[1][0] <= pair[0][0] {
                        let (t, before) = (pair[1][0], pair[0][0]);
                        let sentence =
                            format!("times must ascend; {t:?} s comes after {before:?} s");
                        self.add_error(format!("{path}.motion.samples[{}]", i + 1), sentence);
                    }
                }
            }
            Some(Motion::Shake(shake)) => {
                if let Direction::Vector(v) = &shake.axis {
                    self.nonzero(v, &format!("{path}.motion.shake.axis"));
                }
            }
            Some(Motion::Speed(speed))
                if speed.translate == [0.0; 3] && speed.rotate_deg == [0.0; 3] =>
            {
                let sentence = "has neither translate nor rotate-deg; give one of them, or leave \"motion\" out";
                self.add_error(format!("{path}.motion.speed"), sentence);
            }
            Some(Motion::Speed(_)) => {}
            None => {}
        }
    }

    pub(super) fn nonzero(&mut self, v: &Vec3, path: &str) {
        if v.iter().all(|x| *x == 0.0) {
            self.add_error(path, "is zero; a direction must not be zero");
        }
    }

    fn springs(&mut self, scene: &Scene) {
        for (i, spring) in scene.spring.iter().enumerate() {
            for (key, end) in [("a", &spring.a), ("b", &spring.b)] {
                if let SpringEnd::Particle(k) = end {
                    self.particle(*k, scene.particle.len(), &format!("spring[{i}].{key}"));
                }
            }
            match (&spring.a, &spring.b) {
                (SpringEnd::Particle(a), SpringEnd::Particle(b)) if a == b => {
                    let sentence = format!("both ends are particle {b}");
                    self.add_error(format!("spring[{i}].b"), sentence);
                }
                (SpringEnd::Point(_), SpringEnd::Point(_)) => {
                    let sentence = "both ends are fixed points; one must be a particle";
                    self.add_error(format!("spring[{i}].b"), sentence);
                }
                _ => {}
            }
        }
    }

    fn particle(&mut self, index: usize, count: usize, path: &str) {
        if index >= count {
            let sentence = match count {
                0 => format!("there is no particle {index}; the scene has none"),
                1 => format!("there is no particle {index}; the only one is 0"),
                n => format!("there is no particle {index}; they are 0 to {}", n - 1),
            };
            self.add_error(path, sentence);
        }
    }

    /// Refuses what an emitted body cannot have.
    fn emitted(&mut self, scene: &Scene, emit: &Emit, number: usize) {
        let path = format!("emit[{number}]");
        let body = &emit.body;
        if scene.time.is_static() {
            self.add_error(&path, "has no effect in statics, where no time passes");
        }
        if !body.fix.is_empty() {
            let sentence = "a body that appears while the scene runs cannot be held; use [[emit.body.tether]], or a [[body]] that is there from the start";
            self.add_error(format!("{path}.body.fix"), sentence);
        }
        if body.bonds.is_some() {
            let sentence = "a body with bonds cannot be emitted; use a material or springs";
            self.add_error(format!("{path}.body.bonds"), sentence);
        }
        let name = emit.name_or_number(number);
        let same = |(i, other): &(usize, &Emit)| *i < number && other.name_or_number(*i) == name;
        let taken = scene.emit.iter().enumerate().find(same);
        if let Some((i, _)) = taken {
            let sentence = format!("\"{name}\" is already the name of emit[{i}].body");
            self.add_error(format!("{path}.body.name"), sentence);
        }
        let copy = |k: u32| format!("{name}-{k}");
        let bodies = scene.body.iter().enumerate();
        let own: Vec<String> = bodies.map(|(i, b)| b.name_or_number(i)).collect();
        if let Some(k) = (0..emit.count).find(|k| own.contains(&copy(*k))) {
            let sentence = format!(
                "copy {k} would be \"{}\", which is the name of a [[body]]",
                copy(k)
            );
            self.add_error(format!("{path}.body.name"), sentence);
        }
    }

    fn probes(&mut self, scene: &Scene) {
        for (i, probe) in scene.probe.iter().enumerate() {
            // The name is part of the header of a CSV file.
            if probe
                .name
                .contains(|c: char| c == ',' || c == '"' || c.is_control())
            {
                let sentence = "contains a comma, a quote or a control character; the name of a probe is a column name of a CSV file";
                self.add_error(format!("probe[{i}].name"), sentence);
            }
            match &probe.target {
                ProbeTarget::Particle(k) => {
                    self.particle(*k, scene.particle.len(), &format!("probe[{i}].particle"));
                }
                ProbeTarget::Body { body, .. } => {
                    let names = scene.body_names();
                    if !names.contains(body) {
                        let hint = suggestion(body, names.iter().map(String::as_str));
                        let sentence = format!("no body is named \"{body}\"; {hint}");
                        self.add_error(format!("probe[{i}].body"), sentence);
                    }
                }
            }
        }
    }
}
