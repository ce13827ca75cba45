//! A motion with known positions, and its numbers as JSON for third-party readers.
#![allow(dead_code)]

use std::path::Path;

use mesh::{CellKind, Mesh};
use meshio::record::{Frame, OutputMesh, Recorder};
use serde_json::json;

/// Frames a second of the motion.
pub const FPS: f64 = 24.0;

/// A mesh with a cell of every kind (body 0) and a surface of two bodies: a tetrahedron and a bent 4 × 3 sheet.
pub struct Motion {
    pub output_mesh: OutputMesh,
    pub skin: Vec<[f64; 3]>,
}

/// The numbers of one frame, owned.
pub struct Numbers {
    pub index: usize,
    pub t: f64,
    pub positions: Vec<[f64; 3]>,
    pub velocities: Vec<[f64; 3]>,
    pub skin: Vec<[f64; 3]>,
    pub fields: Vec<(&'static str, Vec<f64>)>,
}

impl Motion {
    pub fn new() -> Motion {
        let mut mesh = Mesh::with_points(Vec::new());
        for (c, kind) in CellKind::ALL.into_iter().enumerate() {
            let first = mesh.points.len() as u32;
            let nodes: Vec<u32> = (0..kind.node_count() as u32).map(|k| first + k).collect();
            for k in 0..kind.node_count() {
                let a = (c * 31 + k) as f64;
                mesh.points.push([a.sin(), 0.3 * a.cos(), 0.1 * a]);
            }
            mesh.push(kind, &nodes);
        }
        let cells = mesh.len() as u32;
        let mut skin = vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
        ];
        let mut triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let mut triangle_body = vec![0; 4];
        for i in 0..4u32 {
            for j in 0..3u32 {
                skin.push([2.0 + f64::from(i), 0.0, f64::from(j)]);
                if i < 3 && j < 2 {
                    let a = 4 + i * 3 + j;
                    triangles.push([a, a + 1, a + 4]);
                    triangles.push([a, a + 4, a + 3]);
                    triangle_body.extend([1, 1]);
                }
            }
        }
        let output_mesh = OutputMesh {
            mesh,
            cell_body: (0..cells).map(|c| c % 2).collect(),
            bodies: vec!["tetra & co".into(), "9 sheet".into()],
            triangles,
            triangle_body,
        };
        Motion { output_mesh, skin }
    }

    pub fn numbers(&self, index: usize) -> Numbers {
        let t = index as f64 / FPS;
        let (s, c) = (2.0 * t).sin_cos();
        let turn = |p: &[f64; 3]| {
            let lift = 0.2 * (3.0 * t + p[0]).sin();
            [c * p[0] + s * p[2], p[1] + lift, c * p[2] - s * p[0]]
        };
        let speed = |p: &[f64; 3]| {
            let lift = 0.6 * (3.0 * t + p[0]).cos();
            [
                2.0 * (c * p[2] - s * p[0]),
                lift,
                -2.0 * (s * p[2] + c * p[0]),
            ]
        };
        let cells = self.output_mesh.mesh.len();
        Numbers {
            index,
            t,
            positions: self.output_mesh.mesh.points.iter().map(turn).collect(),
            velocities: self.output_mesh.mesh.points.iter().map(speed).collect(),
            skin: self.skin.iter().map(turn).collect(),
            fields: vec![
                ("stress", (0..cells).map(|i| t + i as f64).collect()),
                (
                    "energy < \"J\" & co",
                    (0..cells).map(|i| t * t - i as f64 * 0.1).collect(),
                ),
            ],
        }
    }

    /// Sends frames `from..to` through a recorder and finishes it.
    pub fn play(&self, recorder: &mut dyn Recorder, from: usize, to: usize) {
        for index in from..to {
            self.numbers(index).send(recorder).unwrap();
        }
        recorder.finish().unwrap();
    }

    /// Writes `expect.json`, the expected values for `tools/readback`.
    pub fn expect(&self, dir: &Path, frames: usize) {
        let output_mesh = &self.output_mesh;
        let cells: Vec<_> = output_mesh
            .mesh
            .cells()
            .map(|(kind, nodes)| json!({ "kind": kind.name(), "nodes": nodes }))
            .collect();
        let frames: Vec<_> = (0..frames)
            .map(|i| {
                let n = self.numbers(i);
                let fields: serde_json::Map<_, _> = n
                    .fields
                    .iter()
                    .map(|(name, v)| (name.to_string(), json!(v)))
                    .collect();
                json!({ "index": i, "t": n.t, "positions": n.positions, "velocities": n.velocities,
                        "skin": n.skin, "fields": fields })
            })
            .collect();
        let all = json!({
            "fps": FPS, "points": output_mesh.mesh.points, "cells": cells, "cell_body": output_mesh.cell_body,
            "bodies": output_mesh.bodies, "triangles": output_mesh.triangles, "triangle_body": output_mesh.triangle_body,
            "frames": frames,
        });
        std::fs::write(dir.join("expect.json"), all.to_string()).unwrap();
    }
}

impl Numbers {
    pub fn send(&self, recorder: &mut dyn Recorder) -> std::io::Result<()> {
        let fields: Vec<(&str, &[f64])> = self
            .fields
            .iter()
            .map(|(n, v)| (*n, v.as_slice()))
            .collect();
        recorder.frame(&Frame {
            index: self.index,
            t: self.t,
            positions: &self.positions,
            velocities: &self.velocities,
            skin: &self.skin,
            cell_fields: &fields,
            point_fields: &[],
            point_scalars: &[],
        })
    }
}

/// All files below `dir` with their bytes, by name.
pub fn tree(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().display().to_string();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
