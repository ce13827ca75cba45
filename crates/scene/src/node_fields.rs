//! Fields at the nodes of a session that runs: those of [`FIELDS`] that follow from its current state and model.

use solid::potential::ElementMeasures;

use crate::results::{FIELDS, average_at_nodes};
use crate::session::Session;

/// Name of a field, as on the command line, and its label.
pub type NodeField = (&'static str, &'static str);

/// Returns the fields that a session has, without displacement and speed, which follow from positions and velocities.
pub fn known_fields(session: &Session) -> Vec<NodeField> {
    let solid = !session.element_cells.is_empty();
    let contact = session.contact.is_some();
    let bonds = session.model.bonds().next().is_some();
    let listed = FIELDS.iter().filter(|(name, ..)| match *name {
        "stress" | "energy" => solid,
        "contact" | "friction" => contact,
        "damage" => bonds,
        _ => false,
    });
    listed.map(|(name, _, label)| (*name, *label)).collect()
}

/// Computes fields; keeps its buffers.
#[derive(Debug, Default)]
pub struct NodeFields {
    measures: ElementMeasures,
    cells: Vec<f64>,
    forces: Vec<[f64; 3]>,
    values: Vec<f64>,
}

impl NodeFields {
    /// Computes a field of [`known_fields`] at all nodes: lengths of vectors, values of elements averaged over the solid cells at
    /// each node, as pictures of frames have them. Of a field that the session does not have there are no values.
    pub fn compute(&mut self, name: &str, session: &mut Session) -> &[f64] {
        self.values.clear();
        let (model, state) = session.model_and_state();
        let (t, u, v) = (state.t, &state.u, &state.v);
        match name {
            "damage" => _ = model.damage(&mut self.values),
            "contact" => _ = model.contact_forces(t, u, v, &mut self.forces),
            "friction" => _ = model.friction_forces(t, u, v, &mut self.forces),
            "energy" | "stress" => model.element_measures(t, u, v, &mut self.measures),
            _ => {}
        }
        match name {
            "contact" | "friction" => {
                let length = |f: &[f64; 3]| f.iter().map(|x| x * x).sum::<f64>().sqrt();
                self.values.extend(self.forces.iter().map(length));
            }
            "energy" => self.average(session, |m| &m.energy_density),
            "stress" => self.average(session, |m| &m.von_mises),
            _ => {}
        }
        &self.values
    }

    fn average(&mut self, session: &Session, of: impl Fn(&ElementMeasures) -> &Vec<f64>) {
        let mesh = &session.output_mesh.mesh;
        self.cells.clear();
        self.cells.resize(mesh.len(), 0.0);
        for (value, cell) in of(&self.measures).iter().zip(&session.element_cells) {
            self.cells[*cell as usize] = *value;
        }
        self.values = average_at_nodes(mesh, &self.cells);
    }
}
