//! Loads on the surface of solids, consistent with the shape functions of its faces.
//!
//! A traction t on a face Γ does the virtual work ∫_Γ t · δx dA, so node a gets the force ∫_Γ N_a t dA. On the reference
//! face dA n = ∂x/∂ξ × ∂x/∂η dξ dη. [`DeadTraction`] is a force per reference area, [`FollowerPressure`] a force along the
//! normal of the deformed face.

mod pressure;
mod projection;
mod traction;

pub use pressure::FollowerPressure;
pub use traction::DeadTraction;

use mesh::element::{FaceElement, FacePoint, MAX_FACE_NODES};
use mesh::vector::{add, cross, norm, scale};
use mesh::{Mesh, face_nodes, surface};

/// Faces of the surface of solid bodies, with their shape functions and quadrature.
#[derive(Clone, Debug, Default)]
pub struct SurfaceFaces {
    /// Elements of the kinds of faces that occur.
    elements: Vec<FaceElement>,
    faces: Vec<Face>,
}

/// A face: its element and its nodes, in the order of the element.
#[derive(Clone, Copy, Debug)]
struct Face {
    element: usize,
    nodes: [u32; MAX_FACE_NODES],
}

/// Tangents ∂x/∂ξ and ∂x/∂η of a face at a quadrature point.
struct Tangents {
    xi: [f64; 3],
    eta: [f64; 3],
}

impl SurfaceFaces {
    /// Returns the boundary faces of a mesh all of whose nodes, mid-edge and mid-face nodes included, satisfy a predicate.
    /// The nodes are renumbered by adding `first`.
    pub fn of_boundary(mesh: &Mesh, first: u32, wanted: impl Fn(u32) -> bool) -> SurfaceFaces {
        let mut out = SurfaceFaces::default();
        for boundary in surface(mesh).faces {
            let nodes = face_nodes(mesh, &boundary);
            if !nodes.iter().all(|&node| wanted(node)) {
                continue;
            }
            let kind = FaceElement::kind_of(boundary.nodes().len(), nodes.len());
            let Some(element) = kind.and_then(|kind| out.element(kind)) else {
                continue;
            };
            let mut own = [0; MAX_FACE_NODES];
            for (own, node) in own.iter_mut().zip(&nodes) {
                *own = node + first;
            }
            out.faces.push(Face {
                element,
                nodes: own,
            });
        }
        out
    }

    /// Returns the index of the element of a kind of face, which is built when first needed.
    fn element(&mut self, kind: mesh::CellKind) -> Option<usize> {
        let known = self.elements.iter().position(|e| e.kind == kind);
        known.or_else(|| {
            self.elements.push(FaceElement::of(kind)?);
            Some(self.elements.len() - 1)
        })
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Returns `true` if there are no faces.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Returns the area of the faces at these positions of all nodes, m².
    pub fn area(&self, x: &[[f64; 3]]) -> f64 {
        let mut area = 0.0;
        self.for_each_point(x, |_, _, normal| area += norm(normal));
        area
    }

    /// Returns the integral of the outward unit normal over the faces at these positions of all nodes, m².
    pub fn area_vector(&self, x: &[[f64; 3]]) -> [f64; 3] {
        let mut area = [0.0; 3];
        self.for_each_point(x, |_, _, normal| area = add(area, normal));
        area
    }

    /// Returns the nodes of a face.
    fn nodes(&self, face: usize) -> &[u32] {
        let Face { element, nodes } = &self.faces[face];
        &nodes[..self.elements[*element].kind.node_count()]
    }

    /// Returns the quadrature points of a face.
    fn points(&self, face: usize) -> &[FacePoint] {
        &self.elements[self.faces[face].element].points
    }

    /// Computes the tangents of a face at a quadrature point.
    fn tangents(&self, face: usize, point: &FacePoint, x: &[[f64; 3]]) -> Tangents {
        let mut out = Tangents {
            xi: [0.0; 3],
            eta: [0.0; 3],
        };
        for (&node, dn) in self.nodes(face).iter().zip(&point.dn) {
            let x = x[node as usize];
            for k in 0..3 {
                out.xi[k] += dn[0] * x[k];
                out.eta[k] += dn[1] * x[k];
            }
        }
        out
    }

    /// Calls `visit` with the face, the quadrature point and its area vector: weight times ∂x/∂ξ × ∂x/∂η, m².
    fn for_each_point(&self, x: &[[f64; 3]], mut visit: impl FnMut(usize, &FacePoint, [f64; 3])) {
        for face in 0..self.len() {
            for point in self.points(face) {
                let Tangents { xi, eta } = self.tangents(face, point, x);
                visit(face, point, scale(point.weight, cross(xi, eta)));
            }
        }
    }
}
