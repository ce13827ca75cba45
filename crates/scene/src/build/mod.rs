//! Builds a [`Session`] from a [`Scene`]: meshes, materials, constraints, loads, method and step control.

mod body;
mod bonds;
mod contact;
pub(crate) mod control;
mod emission;
mod events;
mod matter;
mod mesh;
mod method;
pub mod modal;
mod motion;
mod particles;
mod select;
mod split_surface;
mod start;
mod statics;
mod traction;

pub(crate) use contact::refuse_method;
pub use contact::{ContactSetup, ObstacleSurface, Overlap, PairGap, Untangled};
pub(crate) use control::{controller, measures_errors};
pub(crate) use method::{Integrator, StartContext, integrator, parameters as method_parameters};
pub use select::bounds;
pub use split_surface::SplitBody;
pub(crate) use statics::notice as unheld_notice;
pub use traction::SurfaceLoadSummary;

use march::{StageSolver, State, TimeLoop};
use solid::model::{Model, ModelDescription};

use crate::error::{SceneError, SceneErrors};
use crate::session::{Session, SessionParts};
use crate::spec::{self, ProbeTarget, Scene, Source};
use meshio::record::OutputMesh;

/// Weights with which the vertices of the output surface follow the nodes.
#[derive(Clone, Debug, Default)]
pub struct SkinWeights {
    /// Nodes and weights of all vertices, one vertex after another.
    entries: Vec<(u32, f64)>,
    /// End of each vertex in `entries`.
    ends: Vec<u32>,
    /// Whether a body has an embedded surface instead of the boundary of its mesh.
    pub embedded: bool,
    /// Bodies whose cells are drawn apart along broken bonds.
    pub split: Vec<SplitBody>,
}

impl SkinWeights {
    /// Adds a vertex that is the weighted sum of nodes.
    fn push(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len() as u32);
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.ends.len()
    }

    /// Returns the node with the largest weight of a vertex, or `None` if the vertex does not exist.
    pub fn main_node(&self, vertex: usize) -> Option<u32> {
        let end = *self.ends.get(vertex)? as usize;
        let start = vertex.checked_sub(1).map_or(0, |v| self.ends[v] as usize);
        let own = self.entries[start..end].iter();
        own.max_by(|a, b| a.1.total_cmp(&b.1)).map(|e| e.0)
    }

    /// Computes the positions of the vertices from those of the nodes, m. Cells are separated along the bonds of the model that
    /// are broken now.
    pub fn positions(&self, model: &Model, nodes: &[[f64; 3]], out: &mut Vec<[f64; 3]>) {
        self.attached_positions(nodes, out);
        for body in &self.split {
            body.separate(model, nodes, out);
        }
    }

    /// Computes the positions of the vertices of unbroken bodies.
    fn attached_positions(&self, nodes: &[[f64; 3]], out: &mut Vec<[f64; 3]>) {
        out.clear();
        let mut start = 0;
        for &end in &self.ends {
            let own = &self.entries[start as usize..end as usize];
            let sum = |k: usize| own.iter().map(|&(i, w)| w * nodes[i as usize][k]).sum();
            out.push([0, 1, 2].map(sum));
            start = end;
        }
    }
}

/// Builds a session, or returns all errors with their locations in the file.
pub fn build(written: Scene, source: &Source) -> Result<Session, SceneErrors> {
    let scene = written.with_emitted_bodies();
    let mut errors = Vec::new();
    let method = method::choose(&scene, source, &mut errors);
    let assembled = bodies(&scene, source, &mut errors);
    if let Some(errors) = SceneErrors::collect(errors) {
        return Err(errors);
    }
    let one = |error: SceneError| SceneErrors::from(error);
    let (Some((method, parameters)), Some(mut all)) = (method, assembled) else {
        return Err(one(source.error("", "the scene could not be built")));
    };
    let Integrator {
        stepper,
        options,
        note,
    } = integrator(&scene, &method, &parameters, StartContext::SceneStart)
        .map_err(|(key, sentence)| one(source.error(key, sentence)))?;
    all.notices.extend(note);
    all.notices
        .extend(method::measured_order_notice(&method, &parameters));
    particles::add(&scene, &mut all);
    let probes = probes(&scene, &all);
    let wind = solid::load::WindLoad::new(winds(&scene), std::mem::take(&mut all.outside));
    all.parts.loads.push(Box::new(wind));
    all.parts.gravity = scene.gravity;
    if let Some((key, sentence)) = refuse_method(&scene, &method) {
        return Err(one(source.error(key, sentence)));
    }
    let (mut contact, obstacles) = contact::add(&scene, source, &mut all)?;
    if scene.solver.newton == spec::Newton::LocalGlobal
        && let Some(path) = viscous_body(&scene)
    {
        return Err(one(source.error(&path, method::NOT_VISCOUS)));
    }
    let untangle = scene.contact.as_ref().is_some_and(|c| c.untangle);
    let prescribed = match scene.start {
        Some(_) => all.parts.prescribed.clone(),
        None => Vec::new(),
    };
    let mut model = Model::new(std::mem::take(&mut all.parts))
        .map_err(|e| one(source.error("body", e.to_string())))?;
    if let Some(setup) = &contact
        && setup.kind == spec::ContactKind::Corrector
    {
        model.set_step_contact(setup.corrector(model.nodes()));
    }
    if scene.solver.newton == spec::Newton::LocalGlobal && !model.is_projective() {
        return Err(one(source.error("solver.newton", method::NOT_PROJECTIVE)));
    }
    let mut state = State {
        t: 0.0,
        u: model.restrict(&all.u),
        v: model.restrict(&all.v),
    };
    if let Some(file) = &scene.start {
        let path = source.folder().join(file);
        let notices = &mut all.notices;
        start::start_from_file(&path, &mut model, &prescribed, &mut state, notices)
            .map_err(|sentence| one(source.error("start", sentence)))?;
    }
    let unheld = match method.is_static() {
        true => statics::prepare(&scene, &all.first, &mut model, &state)
            .map_err(|(key, sentence)| one(source.error(&key, sentence)))?,
        false => Vec::new(),
    };
    all.notices.extend(unheld.iter().map(statics::notice));
    model.track_reactions(scene.output.reactions);
    let supports = all.fixes.into_iter().chain(all.tethers).collect();
    if let Some(contact) = &mut contact {
        let movable = untangle.then(|| movable(&scene, &model, &all.first, &all.output_mesh.mesh));
        free_start(contact, source, &mut model, &mut state, movable.as_ref())?;
        all.notices.extend(contact.untangled.map(|u| {
            format!(
                "overlaps at the start were relaxed: {} nodes moved, by up to {:.3e} m",
                u.nodes, u.largest
            )
        }));
    }
    if let Some(errors) = SceneErrors::collect(events::check(&scene, source, model.nodes())) {
        return Err(errors);
    }
    modal::damp(
        &scene,
        &all.first,
        (&method, &parameters),
        &mut model,
        &state,
    )
    .map_err(|(key, sentence)| one(source.error(&key, sentence)))?;
    let modes = modal::of_output(&scene, &mut model, &state)
        .map_err(|sentence| one(source.error("output.modes", sentence)))?;
    if let Some(count) = parameters.modes
        && count as usize > state.u.len()
    {
        let n = state.u.len();
        let sentence = format!(
            "{} asks for {count} modes, but the scene has {n} unknowns; ask for at most {n}, or leave modes out",
            method.name()
        );
        return Err(one(source.error("time.method.modes", sentence)));
    }
    let controller = controller(&scene, &method, &parameters)
        .map_err(|(key, sentence)| one(source.error(key, sentence)))?;
    let options = with_solver_of_bonds(options, &model);
    let time = TimeLoop::new(stepper, StageSolver::new(options), controller, state);
    Ok(Session::new(SessionParts {
        file: source.name.clone(),
        model,
        time,
        method,
        parameters,
        options,
        output_mesh: all.output_mesh,
        skin: all.skin,
        element_cells: all.element_cells,
        probes,
        modes,
        surface_loads: all.surface_loads,
        supports,
        unheld,
        contact,
        obstacles,
        notices: all.notices,
        warnings: all.warnings,
        scene: written,
    }))
}

/// Chooses conjugate gradients if nothing else was asked for and bodies have many bonds, whose factors would be nearly dense.
pub(crate) fn with_solver_of_bonds(options: march::Options, model: &Model) -> march::Options {
    let particles: usize = model.bonds().map(|b| b.nodes().len()).sum();
    let many = particles > sparse::MAX_DIRECT_VERTICES;
    match options.linear == march::Backend::Auto && many {
        true => march::Options {
            linear: march::Backend::Cg,
            ..options
        },
        false => options,
    }
}

/// All bodies and particles of a scene while it is built.
#[derive(Default)]
pub(crate) struct Assembly {
    parts: ModelDescription,
    u: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    output_mesh: OutputMesh,
    skin: SkinWeights,
    /// Boundary triangles of all bodies by node, which wind acts on.
    outside: Vec<[u32; 3]>,
    element_cells: Vec<u32>,
    /// First node of each body.
    first: Vec<u32>,
    surface_loads: Vec<SurfaceLoadSummary>,
    /// Names of all fixes and tethers, such as `bar.fix[0]`.
    fixes: Vec<String>,
    tethers: Vec<String>,
    notices: Vec<String>,
    warnings: Vec<String>,
}

fn bodies(scene: &Scene, source: &Source, errors: &mut Vec<SceneError>) -> Option<Assembly> {
    let mut all = Assembly::default();
    all.output_mesh.mesh.starts.push(0);
    let before = errors.len();
    for (number, body) in scene.body.iter().enumerate() {
        let context = body::BodyContext {
            source,
            path: emission::path(scene, number),
            seed: scene.seed,
        };
        let potentials = all.parts.potentials.len();
        if let Err(found) = body::add(&mut all, body, number, &context) {
            errors.extend(found);
        } else {
            emission::note(scene, number, potentials, &mut all);
        }
    }
    (errors.len() == before).then_some(all)
}

/// Returns the nodes of bodies and particles that may move before t = 0.
fn movable(scene: &Scene, model: &Model, first: &[u32], mesh: &::mesh::Mesh) -> contact::Movable {
    let end = model.nodes() - scene.particle.len();
    let bodies = first.iter().enumerate().map(|(i, &f)| {
        let next = first.get(i + 1).map_or(end, |n| *n as usize);
        f as usize..next
    });
    let nodes: Vec<_> = bodies
        .chain((end..model.nodes()).map(|i| i..i + 1))
        .collect();
    let mass = model.node_mass();
    let masses = nodes.iter().map(|n| mass[n.clone()].iter().sum());
    contact::Movable {
        masses: masses.collect(),
        nodes,
        held: model.held_nodes(),
        edges: ::mesh::edges(mesh),
    }
}

/// Checks that surfaces do not overlap at the start, or moves the nodes that may move.
fn free_start(
    contact: &mut ContactSetup,
    source: &Source,
    model: &mut Model,
    state: &mut State,
    movable: Option<&contact::Movable>,
) -> Result<(), SceneErrors> {
    let mut nodes = Vec::new();
    crate::session::node_positions(model, state, &mut nodes);
    if contact::free_start(contact, source, &mut nodes, movable)? {
        let rest = model.rest().iter();
        let moved = rest
            .zip(&nodes)
            .map(|(x, p)| [0, 1, 2].map(|k| p[k] - x[k]));
        state.u = model.restrict(&moved.collect::<Vec<_>>());
    }
    Ok(())
}

/// Returns the key of the first viscosity in a scene.
fn viscous_body(scene: &Scene) -> Option<String> {
    let viscous = |b: &spec::Body| b.material.as_ref().is_some_and(|m| m.viscosity.is_some());
    let number = scene.body.iter().position(viscous)?;
    Some(format!("body[{number}].material.viscosity"))
}

fn winds(scene: &Scene) -> Vec<solid::load::Wind> {
    let gust = |w: &spec::Wind| {
        w.gust
            .as_ref()
            .map_or((0.0, 0.0), |g| (g.amplitude, g.frequency))
    };
    let one = |w: &spec::Wind| solid::load::Wind {
        velocity: w.velocity,
        drag: w.drag,
        gust_amplitude: gust(w).0,
        gust_frequency: gust(w).1,
    };
    scene.wind.iter().map(one).collect()
}

/// Finds the nodes that probes follow. Validation has checked that their bodies and particles exist.
fn probes(scene: &Scene, all: &Assembly) -> Vec<(String, u32)> {
    let body_nodes = |name: &str| {
        let i = scene
            .body
            .iter()
            .enumerate()
            .position(|(i, b)| b.name_or_number(i) == name)
            .unwrap_or(0);
        let end = all
            .first
            .get(i + 1)
            .copied()
            .unwrap_or(all.parts.rest.len() as u32 - scene.particle.len() as u32);
        all.first.get(i).copied().unwrap_or(0)..end
    };
    let one = |probe: &spec::Probe| {
        let node = match &probe.target {
            ProbeTarget::Particle(i) => (all.parts.rest.len() - scene.particle.len() + i) as u32,
            ProbeTarget::Body { body, near } => {
                let range = body_nodes(body);
                let nodes = &all.parts.rest[range.start as usize..range.end as usize];
                range.start + select::nearest_point(nodes, *near)
            }
        };
        (probe.name.clone(), node)
    };
    scene.probe.iter().map(one).collect()
}
