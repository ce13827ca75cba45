//! Barrier of many stencils on one thread: `cargo bench -p supple-solid --bench barrier`.
//!
//! A stack of wavy sheets of 20 000 vertices. Prints milliseconds of processor time of the gradient and of the projected Hessian,
//! added into a matrix of fixed pattern, for 200 000 stencils, and their ratios to IPC Toolkit 1.6.1 on one thread (43 and
//! 3190 ms). These are recorded figures of another scene; `tools/contact_peers.py` measures both programs on the same sheets.

#[path = "../../contact/benches/common/mod.rs"]
mod common;

use contact::collision::{Incidence, Range, SurfacesAt};
use contact::search::Search;
use contact::{Barrier, BarrierShape, CollisionSurface, Point};
use march::Curvature;
use solid::blocks::BlockPattern;
use solid::potential::contact::{
    BarrierContact, BarrierSettings, ContactDescription, FrictionSettings,
};
use solid::potential::{Configuration, Potential, Stencils};

use common::{best, sheets};

/// Milliseconds of IPC Toolkit 1.6.1 for the gradient and the projected Hessian of 200 000 stencils.
const PEER: [f64; 2] = [43.0, 3190.0];
const PEER_STENCILS: f64 = 200_000.0;
/// Sheets, their vertices a side, and the reach of the barrier in units of the distance of vertices.
const SHEETS: usize = 8;
const SIDE: usize = 50;
const REACH: f64 = 0.6;

/// Number of stencils within reach.
fn stencils(surfaces: &CollisionSurface, x: &[Point]) -> usize {
    let p = &surfaces.primitives;
    let incidence = Incidence::new(p.groups.len(), &p.triangles, &p.edges);
    let range = Range {
        reach: REACH,
        thickness: 0.0,
    };
    let mut search = Search::new(surfaces, REACH, false, Vec::new());
    search.update(surfaces, x, range);
    let at = SurfacesAt {
        surfaces,
        incidence: &incidence,
        x,
        range,
    };
    let mut found = Vec::new();
    search.collect(&at, &mut found);
    found.len()
}

fn measure() {
    let (surfaces, rest, _) = sheets(SHEETS, SIDE);
    let count = stencils(&surfaces, &rest) as f64;
    let description = ContactDescription {
        surfaces,
        names: (0..SHEETS).map(|k| format!("sheet {k}")).collect(),
        obstacles: Vec::new(),
        ignored: Vec::new(),
        settings: BarrierSettings {
            barrier: Barrier::new(BarrierShape::SquaredLog, REACH),
            stiffness: 1e4,
            thickness: 0.0,
            self_contact: false,
        },
        friction: FrictionSettings::default(),
    };
    let mut contact = BarrierContact::new(description, &rest);
    let u = vec![[0.0; 3]; rest.len()];
    let x = Configuration {
        t: 0.0,
        rest: &rest,
        u: &u,
    };
    let mut pairs = Vec::new();
    contact.active_pairs(&x, &mut pairs);
    let pattern = BlockPattern::new(rest.len(), pairs.into_iter());
    contact.bind_diagonal(&pattern);
    contact.bind(&pattern);
    let mut f = vec![[0.0; 3]; rest.len()];
    let mut k = vec![[0.0; 9]; pattern.len()];
    // Stencils are found once: both times are those of the derivatives and their assembly.
    let gradient = best(3, || {
        std::hint::black_box(contact.add_force(&x, &mut f));
    });
    let hessian = best(3, || {
        contact.add_stiffness(&x, 1.0, Curvature::Definite, &mut k);
    });
    let exact = best(3, || {
        contact.add_stiffness(&x, 1.0, Curvature::Exact, &mut k);
    });
    println!(
        "{count} stencils: gradient {gradient:.2} ms, projected Hessian {hessian:.2} ms, exact Hessian {exact:.2} ms"
    );
    let scale = PEER_STENCILS / count;
    for (name, time, peer, asked) in [
        ("gradient", gradient, PEER[0], 0.5),
        ("projected Hessian into the pattern", hessian, PEER[1], 0.1),
        ("exact Hessian into the pattern", exact, PEER[1], 0.1),
    ] {
        let time = time * scale;
        println!(
            "{name} of 200 000 stencils: {time:.1} ms, {:.3} of IPC Toolkit (asked: {asked})",
            time / peer
        );
    }
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread starts").install(measure);
}
