//! Fields at the drawn vertices of a session, computed only for pages that show them.

use std::collections::BTreeMap;

use scene::drawn_mesh::DrawnMesh;
use scene::node_fields::{NodeField, NodeFields};
use scene::session::Session;

use super::command::Client;
use crate::skin_values::SkinValues;

/// The field that each page shows.
#[derive(Debug, Default)]
pub struct ShownFields {
    known: Vec<NodeField>,
    pages: BTreeMap<Client, &'static str>,
}

impl ShownFields {
    /// Creates the list of pages that may show these fields; no page shows one.
    pub fn new(known: Vec<NodeField>) -> ShownFields {
        ShownFields {
            known,
            pages: BTreeMap::new(),
        }
    }

    /// Notes the field that a page shows; `None` if it shows none of these.
    pub fn show(&mut self, client: Client, field: Option<&str>) -> Result<(), String> {
        let Some(wanted) = field else {
            self.hide(client);
            return Ok(());
        };
        let names = || self.known.iter().map(|f| f.0);
        let name = names().find(|name| *name == wanted).ok_or_else(|| {
            let known: Vec<&str> = names().collect();
            let known = known.join(", ");
            format!("field {wanted:?} is not known; the sessions compute {known}")
        })?;
        self.pages.insert(client, name);
        Ok(())
    }

    /// Forgets a page.
    pub fn hide(&mut self, client: Client) {
        self.pages.remove(&client);
    }

    /// Returns the names of the fields that are shown, each once.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.pages.values().copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Computes fields at the drawn vertices.
#[derive(Debug, Default)]
pub struct VertexFields {
    nodes: NodeFields,
    /// How values at the vertices of an embedded surface follow from those at nodes, once this is needed.
    skin: Option<SkinValues>,
}

impl VertexFields {
    /// Computes a field at the drawn vertices; not a number where it has no value.
    pub fn compute(&mut self, name: &str, session: &mut Session, drawn: &DrawnMesh) -> Vec<f32> {
        let nodes = self.nodes.compute(name, session);
        if !session.skin.embedded {
            let value = |n: &u32| nodes.get(*n as usize).map_or(f32::NAN, |x| *x as f32);
            return drawn.nodes.iter().map(value).collect();
        }
        if self.skin.is_none() {
            let (rest, mut vertices) = (session.model.rest(), Vec::new());
            let skin = &session.skin;
            skin.positions(&session.model, rest, &mut vertices);
            self.skin = SkinValues::new(&vertices, rest);
        }
        match &self.skin {
            Some(skin) if nodes.len() == session.model.nodes() => skin.interpolate(nodes),
            _ => vec![f32::NAN; session.skin.vertices()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_shows_one_field_and_each_field_is_computed_once() {
        let mut shown = ShownFields::new(vec![("stress", ""), ("damage", "")]);
        shown.show(1, Some("stress")).unwrap();
        shown.show(2, Some("stress")).unwrap();
        shown.show(3, Some("damage")).unwrap();
        assert_eq!(shown.names(), ["damage", "stress"]);
        let why = shown.show(3, Some("mood")).unwrap_err();
        assert!(why.contains("stress, damage"), "{why}");
        shown.show(3, None).unwrap();
        shown.hide(1);
        assert_eq!(shown.names(), ["stress"]);
        shown.hide(2);
        assert!(shown.names().is_empty());
    }
}
