//! Where steps end and what is seen after them: what runs that write files and trials that do not have in common.

use march::ledger::{Entry, book};
use solid::model::{Energies, Momentum};

use crate::build::Simulation;

/// A step shorter than a billionth of the scene's is round-off, not a step.
fn nothing(sim: &Simulation) -> f64 {
    1e-9 * sim.scene.time.step
}

/// End of the interval after `multiples` of the scene's step: the next multiple or the end of the run; nothing when
/// that is reached.
pub fn interval_end(sim: &Simulation, multiples: u64) -> Option<f64> {
    let (h, until) = (sim.scene.time.step, sim.scene.time.until);
    if sim.state.t >= until - nothing(sim) {
        return None;
    }
    let multiple = (multiples + 1) as f64 * h;
    Some(if multiple >= until - nothing(sim) {
        until
    } else {
        multiple
    })
}

/// Length of the interval between two times; exactly the scene's step where it is that but for round-off.
pub fn length(sim: &Simulation, start: f64, end: f64) -> f64 {
    let (h, length) = (sim.scene.time.step, end - start);
    if (length - h).abs() <= nothing(sim) {
        h
    } else {
        length
    }
}

/// Where the energy of the last step, of length `h`, went as far as its powers tell, and damping that acts after the
/// step. To be asked for before [`look`], which takes energies with the rotations of the new state.
pub fn spent(sim: &mut Simulation, h: f64) -> Entry {
    let mut entry = book(sim.stepper.as_mut(), &mut sim.model, &sim.state);
    if sim.model.relaxes() {
        entry.damping += sim.model.relax(h, &mut sim.state);
        sim.stepper.restart();
    }
    entry
}

/// Energies and momenta of the state.
pub fn look(sim: &mut Simulation) -> (Energies, Momentum) {
    let (t, u, v) = (sim.state.t, &sim.state.u, &sim.state.v);
    sim.model.freeze(t, u, v);
    (sim.model.energies(t, u, v), sim.model.momentum(t, u, v))
}
