//! glTF 2.0, one animated file: `skin.glb`.
//!
//! Deforming geometry has a morph target per key frame, blended by animated weights (glTF 2.0 §3.7.2.2), which Blender
//! (shape keys), three.js and others play without an extension. The first frame is the mesh; target k holds the
//! differences of positions and normals of key frame k. At its time target k has weight 1 and all others 0, with linear
//! interpolation between.
//!
//! Size: 24 bytes per vertex and key frame, and the square of the number of key frames for weights. At most 300 key frames
//! and 96 MiB of targets are written: of a longer motion every 2nd, 3rd, … frame and the last; `asset.extras` says which.
//! Frames are stored in `skin.glb.frames` (module `frame_log`); `skin.glb` is written at the end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::record::error::RecordError;
use crate::record::file::{create_folder, write_atomically};
use crate::record::frame_log::FrameLog;
use crate::record::skin::{Part, Skin};
use crate::record::{Frame, OutputMesh, Recorder};

const MAX_KEY_FRAMES: u64 = 300;
const MAX_TARGET_BYTES: u64 = 96 << 20;
// Component types of accessors (glTF 2.0 §3.6.2.2).
const FLOAT: u32 = 5126;
const UINT: u32 = 5125;

/// Recorder that writes the animated surface to `skin.glb` in a folder.
pub struct Gltf {
    path: PathBuf,
    skin: Skin,
    log: FrameLog,
}

/// Positions and normals of one frame.
#[derive(Default)]
struct Pose {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f32; 3]>,
    t: f64,
}

impl Gltf {
    /// Creates the folder; `skin.glb` is written when the recording is finished.
    pub fn new(dir: &Path, output_mesh: &OutputMesh) -> io::Result<Gltf> {
        let skin = Skin::new(output_mesh)?;
        create_folder(dir)?;
        Ok(Gltf {
            path: dir.join("skin.glb"),
            skin,
            log: FrameLog::new(dir.join("skin.glb.frames")),
        })
    }

    fn pose(&mut self, k: u64) -> io::Result<Pose> {
        let mut pose = Pose::default();
        pose.t = self.log.read(k, &mut pose.positions)?.t;
        self.skin.normals(&pose.positions, &mut pose.normals);
        Ok(pose)
    }

    /// Returns the frames of the log that become key frames, and the stride between them.
    fn keys(&self) -> (Vec<u64>, u64) {
        let frames = self.log.frames();
        let bytes = 24 * self.log.vertices().unwrap_or(0).max(1) as u64;
        let most = (MAX_TARGET_BYTES / bytes).clamp(2, MAX_KEY_FRAMES);
        let every = frames.saturating_sub(1).div_ceil(most - 1).max(1);
        let mut keys: Vec<u64> = (0..frames).step_by(every as usize).collect();
        if keys.last().is_some_and(|&last| last + 1 != frames) {
            keys.push(frames - 1);
        }
        (keys, every)
    }
}

impl Recorder for Gltf {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.log.add(frame, &self.skin)
    }

    fn finish(&mut self) -> io::Result<()> {
        let (keys, every) = self.keys();
        if keys.is_empty() {
            return Ok(());
        }
        let base = self.pose(keys[0])?;
        let mut layout = BufferLayout::new(&self.skin, &base);
        let mut times = vec![base.t as f32];
        for &key in &keys[1..] {
            let pose = self.pose(key)?;
            times.push(pose.t as f32);
            for (p, part) in self.skin.parts.iter().enumerate() {
                layout.target(p, part, &base, &pose);
            }
        }
        if keys.len() > 1 {
            layout.animate(&times);
        }
        let json = layout.document(&self.skin, self.log.frames(), every);
        let (text, length) = padded(json, layout.bytes, &self.path)?;
        let path = self.path.clone();
        write_atomically(&path, |out| {
            write_header(out, &text, layout.bytes, length)?;
            self.write_body(out, &keys, &base, &times)
        })
    }
}

impl Gltf {
    /// Writes the binary chunk in the order of [`BufferLayout`].
    fn write_body(
        &mut self,
        out: &mut impl Write,
        keys: &[u64],
        base: &Pose,
        times: &[f32],
    ) -> io::Result<()> {
        for part in &self.skin.parts {
            write_floats(
                out,
                part.vertices
                    .iter()
                    .flat_map(|&v| base.positions[v as usize].map(|x| x as f32)),
            )?;
            write_floats(
                out,
                part.vertices.iter().flat_map(|&v| base.normals[v as usize]),
            )?;
            for v in part.triangles.iter().flatten() {
                out.write_all(&v.to_le_bytes())?;
            }
        }
        for &key in &keys[1..] {
            let pose = self.pose(key)?;
            for part in &self.skin.parts {
                write_floats(
                    out,
                    part.vertices
                        .iter()
                        .flat_map(|&v| position_offset(v, base, &pose)),
                )?;
                write_floats(
                    out,
                    part.vertices
                        .iter()
                        .flat_map(|&v| normal_offset(v, base, &pose)),
                )?;
            }
        }
        if keys.len() > 1 {
            write_floats(out, times.iter().copied())?;
            let targets = keys.len() - 1;
            for key in 0..keys.len() {
                write_floats(
                    out,
                    (1..=targets).map(|target| if target == key { 1.0 } else { 0.0 }),
                )?;
            }
        }
        Ok(())
    }
}

/// Returns the difference of a position from the first frame. Positions of the log are rounded to f32: base plus
/// difference is the position of the frame.
fn position_offset(v: u32, base: &Pose, pose: &Pose) -> [f32; 3] {
    let (a, b) = (base.positions[v as usize], pose.positions[v as usize]);
    std::array::from_fn(|i| (b[i] - a[i]) as f32)
}

fn normal_offset(v: u32, base: &Pose, pose: &Pose) -> [f32; 3] {
    let (a, b) = (base.normals[v as usize], pose.normals[v as usize]);
    std::array::from_fn(|i| b[i] - a[i])
}

fn write_floats(out: &mut impl Write, values: impl Iterator<Item = f32>) -> io::Result<()> {
    for x in values {
        out.write_all(&x.to_le_bytes())?;
    }
    Ok(())
}

/// Accessors and buffer views in the order in which the bytes are written.
struct BufferLayout {
    bytes: u64,
    views: Vec<Value>,
    accessors: Vec<Value>,
    primitives: Vec<Value>,
    targets: Vec<Vec<Value>>,
    animation: Option<[usize; 2]>,
}

impl BufferLayout {
    fn new(skin: &Skin, base: &Pose) -> BufferLayout {
        let mut layout = BufferLayout {
            bytes: 0,
            views: Vec::new(),
            accessors: Vec::new(),
            primitives: Vec::new(),
            targets: vec![Vec::new(); skin.parts.len()],
            animation: None,
        };
        for (p, part) in skin.parts.iter().enumerate() {
            let count = part.vertices.len();
            let positions = part
                .vertices
                .iter()
                .map(|&v| base.positions[v as usize].map(|x| x as f32));
            let position = layout.add(FLOAT, "VEC3", count, Some(34962), Some(bounds(positions)));
            let normal = layout.add(FLOAT, "VEC3", count, Some(34962), None);
            let indices = layout.add(UINT, "SCALAR", 3 * part.triangles.len(), Some(34963), None);
            layout.primitives.push(json!({
                "attributes": { "POSITION": position, "NORMAL": normal }, "indices": indices, "material": p,
            }));
        }
        layout
    }

    fn target(&mut self, p: usize, part: &Part, base: &Pose, pose: &Pose) {
        let count = part.vertices.len();
        let differences = part
            .vertices
            .iter()
            .map(|&v| position_offset(v, base, pose));
        let position = self.add(FLOAT, "VEC3", count, Some(34962), Some(bounds(differences)));
        let normal = self.add(FLOAT, "VEC3", count, Some(34962), None);
        self.targets[p].push(json!({ "POSITION": position, "NORMAL": normal }));
    }

    fn animate(&mut self, times: &[f32]) {
        let limits = bounds(times.iter().map(|&t| [t]));
        let input = self.add(FLOAT, "SCALAR", times.len(), None, Some(limits));
        let output = self.add(FLOAT, "SCALAR", times.len() * (times.len() - 1), None, None);
        self.animation = Some([input, output]);
    }

    fn add(
        &mut self,
        component: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
        limits: Option<[Value; 2]>,
    ) -> usize {
        let length = 4 * count as u64 * if kind == "VEC3" { 3 } else { 1 };
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes, "byteLength": length });
        let mut accessor = json!({ "bufferView": self.views.len(), "componentType": component, "count": count, "type": kind });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        if let Some([min, max]) = limits {
            (accessor["min"], accessor["max"]) = (min, max);
        }
        self.views.push(view);
        self.accessors.push(accessor);
        self.bytes += length;
        self.accessors.len() - 1
    }

    fn document(&self, skin: &Skin, frames: u64, every: u64) -> Value {
        let mut meshes = Vec::new();
        for (p, part) in skin.parts.iter().enumerate() {
            let mut primitive = self.primitives[p].clone();
            let mut mesh = json!({ "name": part.name });
            if !self.targets[p].is_empty() {
                primitive["targets"] = json!(self.targets[p]);
                mesh["weights"] = json!(vec![0.0; self.targets[p].len()]);
            }
            mesh["primitives"] = json!([primitive]);
            meshes.push(mesh);
        }
        let nodes: Vec<Value> = skin
            .parts
            .iter()
            .enumerate()
            .map(|(p, part)| json!({ "mesh": p, "name": part.name }))
            .collect();
        let materials: Vec<Value> = skin
            .parts
            .iter()
            .map(|part| {
                let [r, g, b] = part.colour;
                json!({ "name": part.name, "doubleSided": true, "pbrMetallicRoughness": {
                    "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 } })
            })
            .collect();
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "Supple",
                       "extras": { "frames": frames, "key-frame-every": every } },
            "scene": 0,
            "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        });
        let lists = [
            ("nodes", nodes),
            ("meshes", meshes),
            ("materials", materials),
            ("accessors", self.accessors.clone()),
            ("bufferViews", self.views.clone()),
        ];
        // glTF forbids empty lists.
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            document[name] = json!(list);
        }
        if skin.parts.is_empty() {
            document["scenes"] = json!([{ "name": "empty" }]);
        }
        if self.bytes > 0 {
            document["buffers"] = json!([{ "byteLength": self.bytes }]);
        }
        if let Some([input, output]) = self.animation.filter(|_| !skin.parts.is_empty()) {
            let channels: Vec<Value> = (0..skin.parts.len())
                .map(|node| json!({ "sampler": 0, "target": { "node": node, "path": "weights" } }))
                .collect();
            document["animations"] = json!([{
                "name": "motion", "channels": channels,
                "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
            }]);
        }
        document
    }
}

/// Returns the smallest and the largest value of each component.
fn bounds<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> [Value; 2] {
    let (mut low, mut high) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for x in values {
        low = std::array::from_fn(|i| low[i].min(x[i]));
        high = std::array::from_fn(|i| high[i].max(x[i]));
    }
    [json!(low.to_vec()), json!(high.to_vec())]
}

/// Returns the JSON chunk, padded to a multiple of four bytes, and the length of the file.
fn padded(json: Value, bytes: u64, path: &Path) -> io::Result<(String, u32)> {
    let mut text = json.to_string();
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let found = 28 + text.len() as u64 + bytes;
    match u32::try_from(found) {
        Ok(length) => Ok((text, length)),
        Err(_) => {
            let (what, most) = ("bytes", u64::from(u32::MAX));
            Err(RecordError::TooLarge {
                path: path.to_path_buf(),
                what,
                most,
                found,
            }
            .into())
        }
    }
}

/// Writes the file header, the JSON chunk and the header of the binary chunk, whose length is a multiple of four.
fn write_header(out: &mut impl Write, text: &str, bytes: u64, length: u32) -> io::Result<()> {
    out.write_all(b"glTF")?;
    for word in [2, length, text.len() as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(text.as_bytes())?;
    out.write_all(&(bytes as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")
}
