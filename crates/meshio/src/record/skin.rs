//! The output surface, split by body, and its smooth normals.

use std::collections::HashMap;

use mesh::vector::{cross, dot, norm, sub};

use super::error::RecordError;
use super::{Frame, OutputMesh};

/// Triangles of the output surface and their parts by body.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) parts: Vec<Part>,
    highest: Option<(usize, u32)>,
}

/// Part of the surface that belongs to one body.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// Vertices of the surface that it uses, ascending.
    pub(crate) vertices: Vec<u32>,
    /// Triangles by indices into `vertices`.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Numbers of these triangles in the surface.
    pub(crate) numbers: Vec<u32>,
    /// Colour of the body (linear RGB).
    pub(crate) colour: [f32; 3],
}

impl Skin {
    /// Splits the output mesh's triangles by body; bodies without any are left out.
    pub(crate) fn new(output_mesh: &OutputMesh) -> Result<Skin, RecordError> {
        let triangles = output_mesh.triangles.clone();
        if output_mesh.triangle_body.len() != triangles.len() {
            return Err(RecordError::OutputMesh {
                what: "triangle bodies",
                wanted: triangles.len(),
                found: output_mesh.triangle_body.len(),
            });
        }
        let bodies = output_mesh
            .triangle_body
            .iter()
            .map(|&b| b as usize + 1)
            .max()
            .unwrap_or(0);
        let mut numbers = vec![Vec::new(); bodies];
        for (t, &body) in output_mesh.triangle_body.iter().enumerate() {
            numbers[body as usize].push(t as u32);
        }
        let named = numbers
            .into_iter()
            .enumerate()
            .filter(|(_, own)| !own.is_empty());
        let parts = named
            .map(|(body, own)| {
                let name = output_mesh.bodies.get(body).cloned();
                Part::new(
                    name.unwrap_or_else(|| format!("body {body}")),
                    body,
                    own,
                    &triangles,
                )
            })
            .collect();
        let highest = triangles
            .iter()
            .enumerate()
            .flat_map(|(t, corners)| corners.iter().map(move |&v| (t, v)))
            .max_by_key(|&(_, v)| v);
        Ok(Skin {
            triangles,
            parts,
            highest,
        })
    }

    /// Refuses a frame that has fewer vertices than the triangles refer to, or not `vertices` of them if that is given.
    pub(crate) fn check_vertex_count(
        &self,
        frame: &Frame,
        vertices: Option<usize>,
    ) -> Result<(), RecordError> {
        let found = frame.skin.len();
        if let Some(wanted) = vertices.filter(|&wanted| wanted != found) {
            let what = "skin vertices".to_string();
            return Err(RecordError::Count {
                index: frame.index,
                what,
                wanted,
                found,
            });
        }
        match self.highest {
            Some((triangle, vertex)) if vertex as usize >= found => Err(RecordError::Triangle {
                triangle,
                vertex,
                vertices: found,
            }),
            _ => Ok(()),
        }
    }

    /// Returns a hash of the triangles (FNV-1a), which identifies the mesh.
    pub(crate) fn stamp(&self) -> u64 {
        let bytes = self
            .triangles
            .iter()
            .flatten()
            .flat_map(|v| v.to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Computes unit normals at the vertices: the mean of the normals of adjacent triangles, weighted by their angles at the
    /// vertex [Thürmer and Wüthrich 1998]. A vertex without a triangle of nonzero area gets +y, as formats require unit
    /// length.
    pub(crate) fn normals(&self, positions: &[[f64; 3]], out: &mut Vec<[f32; 3]>) {
        let mut sums = vec![[0.0; 3]; positions.len()];
        for corners in &self.triangles {
            let p = corners.map(|v| positions[v as usize]);
            let normal = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
            for k in 0..3 {
                let (a, b) = (sub(p[(k + 1) % 3], p[k]), sub(p[(k + 2) % 3], p[k]));
                let across = cross(a, b);
                let angle = dot(across, across).sqrt().atan2(dot(a, b));
                let sum: &mut [f64; 3] = &mut sums[corners[k] as usize];
                *sum = std::array::from_fn(|i| sum[i] + angle * normal[i]);
            }
        }
        out.clear();
        out.extend(sums.into_iter().map(|s| match unit(s) {
            [0.0, 0.0, 0.0] => [0.0, 1.0, 0.0],
            n => n.map(|x| x as f32),
        }));
    }
}

impl Part {
    fn new(name: String, body: usize, numbers: Vec<u32>, triangles: &[[u32; 3]]) -> Part {
        let corners = || numbers.iter().map(|&t| triangles[t as usize]);
        let mut vertices: Vec<u32> = corners().flatten().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place: HashMap<u32, u32> = vertices
            .iter()
            .enumerate()
            .map(|(i, &v)| (v, i as u32))
            .collect();
        let triangles = corners().map(|t| t.map(|v| place[&v])).collect();
        const COLOURS: [[f32; 3]; 6] = [
            [0.11, 0.27, 0.57],
            [0.79, 0.30, 0.11],
            [0.20, 0.43, 0.20],
            [0.60, 0.18, 0.22],
            [0.34, 0.25, 0.57],
            [0.71, 0.52, 0.15],
        ];
        Part {
            name,
            vertices,
            triangles,
            numbers,
            colour: COLOURS[body % COLOURS.len()],
        }
    }
}

/// Returns `a` scaled to length 1, or zero if `a` is zero or not finite.
fn unit(a: [f64; 3]) -> [f64; 3] {
    let n = norm(a);
    if n > 0.0 && n.is_finite() {
        a.map(|x| x / n)
    } else {
        [0.0; 3]
    }
}
