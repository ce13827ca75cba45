//! Surface formats, read back by small readers written from the formats' descriptions.

mod record_motion;

use std::path::Path;

use meshio::record::{Frame, MultiRecorder, OUTPUT_FORMATS, OutputMesh, find_format};
use record_motion::{FPS, Motion, tree};
use serde_json::Value;

fn recorded(name: &str, frames: usize) -> (Motion, tempfile::TempDir) {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let mut recorder =
        (find_format(name).unwrap().open)(dir.path(), &motion.output_mesh, FPS).unwrap();
    motion.play(recorder.as_mut(), 0, frames);
    (motion, dir)
}

fn single(p: &[f64; 3]) -> [f32; 3] {
    p.map(|x| x as f32)
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// Contents of an OBJ file.
#[derive(Default)]
struct Obj {
    v: Vec<[f64; 3]>,
    vn: Vec<[f64; 3]>,
    f: Vec<[u32; 3]>,
    bodies: Vec<String>,
}

fn read_obj(path: &Path) -> Obj {
    let mut obj = Obj::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (word, rest) = line.split_once(' ').unwrap();
        let numbers = || -> Vec<f64> { rest.split(' ').map(|x| x.parse().unwrap()).collect() };
        match word {
            "v" => obj.v.push(numbers().try_into().unwrap()),
            "vn" => obj.vn.push(numbers().try_into().unwrap()),
            "f" => {
                let corners: Vec<u32> = rest
                    .split(' ')
                    .map(|c| {
                        let (a, b) = c.split_once("//").unwrap();
                        assert_eq!(a, b);
                        a.parse::<u32>().unwrap() - 1
                    })
                    .collect();
                obj.f.push(corners.try_into().unwrap());
            }
            "o" | "g" => obj.bodies.push(rest.to_string()),
            "#" | "s" => {}
            other => panic!("{other}"),
        }
    }
    obj
}

#[test]
fn obj_holds_positions_exactly_and_normals_point_out() {
    let (motion, dir) = recorded("obj", 3);
    for index in 0..3 {
        let Obj { v, vn, f, bodies } = read_obj(&dir.path().join(format!("obj/{index:05}.obj")));
        assert_eq!(v, motion.numbers(index).skin);
        assert_eq!(f, motion.output_mesh.triangles);
        assert_eq!(bodies, motion.output_mesh.bodies);
        // The corner of the tetrahedron at the origin has three equal angles: its normal is −(1, 1, 1)/√3, rotated.
        if index == 0 {
            // Frame 0 is not rotated, but displaced by 0.2 sin(x): nearly right angles.
            assert!(
                vn[0].iter().all(|x| (x + 1.0 / 3f64.sqrt()).abs() < 0.15),
                "{:?}",
                vn[0]
            );
        }
        for n in vn {
            assert!((n.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn ply_holds_positions_and_triangles() {
    let (motion, dir) = recorded("ply", 2);
    let bytes = std::fs::read(dir.path().join("ply/00001.ply")).unwrap();
    let mark = b"end_header\n";
    let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap() + mark.len();
    let head = std::str::from_utf8(&bytes[..at]).unwrap();
    let skin = motion.numbers(1).skin;
    assert!(head.contains(&format!("element vertex {}\n", skin.len())));
    let (vertices, faces) = bytes[at..].split_at(24 * skin.len());
    for (v, p) in f32s(vertices).chunks(6).zip(&skin) {
        assert_eq!(v[..3], single(p));
    }
    assert_eq!(faces.len(), 13 * motion.output_mesh.triangles.len());
    for (f, t) in faces.chunks(13).zip(&motion.output_mesh.triangles) {
        let corners: Vec<u32> = f[1..]
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!((f[0], corners.as_slice()), (3, t.as_slice()));
    }
}

#[test]
fn pc2_holds_every_frame_and_is_whole_after_each() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let mut cache =
        (find_format("pc2").unwrap().open)(dir.path(), &motion.output_mesh, FPS).unwrap();
    for index in 0..4 {
        motion.numbers(index).send(cache.as_mut()).unwrap();
        let bytes = std::fs::read(dir.path().join("skin.pc2")).unwrap();
        let word = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(&bytes[..12], b"POINTCACHE2\0");
        assert_eq!(
            (word(12), word(16), word(28)),
            (1, motion.skin.len() as i32, index as i32 + 1)
        );
        assert_eq!(f32s(&bytes[20..28]), [0.0, 1.0]);
        let all: Vec<f32> = (0..=index)
            .flat_map(|i| motion.numbers(i).skin)
            .flat_map(|p| single(&p))
            .collect();
        assert_eq!(f32s(&bytes[32..]), all);
    }
    let Obj { v, f, .. } = read_obj(&dir.path().join("skin.obj"));
    assert_eq!(
        (v, f),
        (motion.numbers(0).skin, motion.output_mesh.triangles.clone())
    );
}

/// A `.glb` file in memory.
struct Glb {
    json: Value,
    bin: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Glb {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(
            (&bytes[..4], word(4), word(8)),
            (&b"glTF"[..], 2, bytes.len())
        );
        let text = word(12);
        assert_eq!((&bytes[16..20], text % 4), (&b"JSON"[..], 0));
        let bin = word(20 + text);
        assert_eq!((&bytes[24 + text..28 + text], bin % 4), (&b"BIN\0"[..], 0));
        assert_eq!(28 + text + bin, bytes.len());
        Glb {
            json: serde_json::from_slice(&bytes[20..20 + text]).unwrap(),
            bin: bytes[28 + text..].to_vec(),
        }
    }

    fn bytes(&self, accessor: &Value) -> &[u8] {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let (at, length) = (
            view["byteOffset"].as_u64().unwrap() as usize,
            view["byteLength"].as_u64().unwrap() as usize,
        );
        let width = if accessor["type"] == "VEC3" { 12 } else { 4 };
        assert_eq!(length, width * accessor["count"].as_u64().unwrap() as usize);
        &self.bin[at..at + length]
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        f32s(self.bytes(accessor))
    }
}

#[test]
fn gltf_key_frames_equal_the_recorded_frames() {
    let (motion, dir) = recorded("gltf", 5);
    let glb = Glb::read(&dir.path().join("skin.glb"));
    let animation = &glb.json["animations"][0];
    let times = glb.floats(&animation["samplers"][0]["input"]);
    let weights = glb.floats(&animation["samplers"][0]["output"]);
    assert_eq!((times.len(), weights.len()), (5, 5 * 4));
    assert_eq!(animation["channels"].as_array().unwrap().len(), 2);
    for (body, used) in [(0, 0..4usize), (1, 4..16)] {
        let mesh = &glb.json["meshes"][body];
        assert_eq!(mesh["name"], motion.output_mesh.bodies[body].as_str());
        let primitive = &mesh["primitives"][0];
        let base = glb.floats(&primitive["attributes"]["POSITION"]);
        let targets: Vec<Vec<f32>> = (0..4)
            .map(|k| glb.floats(&primitive["targets"][k]["POSITION"]))
            .collect();
        let normals: Vec<Vec<f32>> = (0..4)
            .map(|k| glb.floats(&primitive["targets"][k]["NORMAL"]))
            .collect();
        let base_normals = glb.floats(&primitive["attributes"]["NORMAL"]);
        for frame in 0..5 {
            let sent = motion.numbers(frame);
            assert_eq!(times[frame], sent.t as f32);
            let row = &weights[4 * frame..4 * frame + 4];
            let blend = |base: &[f32], targets: &[Vec<f32>], i: usize| {
                base[i] + (0..4).map(|k| row[k] * targets[k][i]).sum::<f32>()
            };
            for (i, v) in used.clone().enumerate() {
                for c in 0..3 {
                    let found = blend(&base, &targets, 3 * i + c);
                    assert!((found - sent.skin[v][c] as f32).abs() < 1e-6);
                }
                let square: f32 = (0..3)
                    .map(|c| blend(&base_normals, &normals, 3 * i + c).powi(2))
                    .sum();
                assert!((square - 1.0).abs() < 1e-5);
            }
        }
        let indices = glb.bytes(&primitive["indices"]);
        let corners: Vec<u32> = indices
            .chunks(4)
            .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
            .collect();
        let own = motion
            .output_mesh
            .triangles
            .iter()
            .zip(&motion.output_mesh.triangle_body)
            .filter(|(_, b)| **b == body as u32);
        let wanted: Vec<u32> = own
            .flat_map(|(t, _)| t.map(|v| v - used.start as u32))
            .collect();
        assert_eq!(corners, wanted);
    }
}

#[test]
fn a_long_motion_is_thinned_in_gltf() {
    let (motion, dir) = recorded("gltf", 1000);
    let glb = Glb::read(&dir.path().join("skin.glb"));
    let times = glb.floats(&glb.json["animations"][0]["samplers"][0]["input"]);
    assert!(times.len() <= 301 && times.len() > 200, "{}", times.len());
    assert_eq!(times[0], 0.0);
    assert_eq!(*times.last().unwrap(), motion.numbers(999).t as f32);
    assert_eq!(glb.json["asset"]["extras"]["frames"], 1000);
    let every = glb.json["asset"]["extras"]["key-frame-every"]
        .as_u64()
        .unwrap();
    assert_eq!(times[1], motion.numbers(every as usize).t as f32);
}

#[test]
fn usd_has_a_sample_per_frame() {
    let (motion, dir) = recorded("usd", 3);
    let text = std::fs::read_to_string(dir.path().join("skin.usda")).unwrap();
    for wanted in [
        "startTimeCode = 0",
        "endTimeCode = 2",
        "timeCodesPerSecond = 24",
        "\"tetra___co\"",
        "\"_9_sheet\"",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    let points = text
        .split("point3f[] points.timeSamples = {")
        .nth(1)
        .unwrap();
    let line = points.lines().nth(3).unwrap().trim();
    let inner = line
        .strip_prefix("2: [(")
        .unwrap()
        .strip_suffix(")],")
        .unwrap();
    let read: Vec<[f32; 3]> = inner
        .split("), (")
        .map(|p| {
            p.split(", ")
                .map(|x| x.parse().unwrap())
                .collect::<Vec<f32>>()
                .try_into()
                .unwrap()
        })
        .collect();
    let wanted: Vec<[f32; 3]> = motion.numbers(2).skin[..4].iter().map(single).collect();
    assert_eq!(read, wanted);
}

#[test]
fn every_format_resumes_byte_for_byte() {
    let motion = Motion::new();
    for record in OUTPUT_FORMATS {
        let open = |dir: &Path| (record.open)(dir, &motion.output_mesh, FPS).unwrap();
        let whole = tempfile::tempdir().unwrap();
        motion.play(open(whole.path()).as_mut(), 0, 7);
        // Finished after frame 4, resumed at frame 3.
        let halves = tempfile::tempdir().unwrap();
        motion.play(open(halves.path()).as_mut(), 0, 5);
        motion.play(open(halves.path()).as_mut(), 3, 7);
        assert!(tree(whole.path()) == tree(halves.path()), "{}", record.name);
        // Killed after frame 4 without `finish`, resumed at frame 5.
        let killed = tempfile::tempdir().unwrap();
        let mut recorder = open(killed.path());
        for index in 0..5 {
            motion.numbers(index).send(recorder.as_mut()).unwrap();
        }
        drop(recorder);
        motion.play(open(killed.path()).as_mut(), 5, 7);
        assert!(
            tree(whole.path()) == tree(killed.path()),
            "{} after a kill",
            record.name
        );
        // A shorter run in the same folder removes the frames of the longer one.
        let short = tempfile::tempdir().unwrap();
        motion.play(open(short.path()).as_mut(), 0, 2);
        motion.play(open(whole.path()).as_mut(), 0, 2);
        assert!(
            tree(whole.path()) == tree(short.path()),
            "{} run again",
            record.name
        );
        // Resumed in an empty folder: starts at the resumed frame.
        let late = tempfile::tempdir().unwrap();
        motion.play(open(late.path()).as_mut(), 3, 5);
        assert!(!tree(late.path()).is_empty());
    }
}

#[test]
fn every_format_refuses_wrong_counts_and_accepts_empty_meshes() {
    let motion = Motion::new();
    for record in OUTPUT_FORMATS {
        let dir = tempfile::tempdir().unwrap();
        let mut recorder = (record.open)(dir.path(), &motion.output_mesh, FPS).unwrap();
        recorder.finish().unwrap();
        let mut few = motion.numbers(0);
        few.skin.truncate(5);
        few.positions.truncate(5);
        let said = few.send(recorder.as_mut()).unwrap_err().to_string();
        assert!(said.contains('5'), "{}: {said}", record.name);
        let none = OutputMesh::default();
        let mut recorder = (record.open)(dir.path(), &none, FPS).unwrap();
        let empty = Frame {
            index: 0,
            t: 0.0,
            positions: &[],
            velocities: &[],
            skin: &[],
            cell_fields: &[],
            point_fields: &[],
            point_scalars: &[],
        };
        recorder.frame(&empty).unwrap();
        recorder
            .frame(&Frame {
                index: 1,
                t: 0.1,
                ..empty
            })
            .unwrap();
        recorder.finish().unwrap();
        let file = dir.path().join("taken");
        std::fs::write(&file, "").unwrap();
        let said = (record.open)(&file.join("out"), &motion.output_mesh, FPS)
            .err()
            .unwrap()
            .to_string();
        assert!(said.contains("taken"), "{}: {said}", record.name);
    }
}

#[test]
fn a_point_cache_of_another_mesh_is_refused() {
    for name in ["gltf", "usd", "pc2"] {
        let (motion, dir) = recorded(name, 3);
        let mut other = motion.output_mesh.clone();
        other.triangles.truncate(4);
        other.triangle_body.truncate(4);
        let mut recorder = (find_format(name).unwrap().open)(dir.path(), &other, FPS).unwrap();
        let mut numbers = motion.numbers(3);
        numbers.skin.truncate(4);
        let said = numbers.send(recorder.as_mut()).unwrap_err().to_string();
        assert!(said.contains("cannot continue"), "{name}: {said}");
    }
}

#[test]
fn several_formats_are_written_and_unknown_ones_refused() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<&str> = OUTPUT_FORMATS.iter().map(|r| r.name).collect();
    let mut all = MultiRecorder::open(&names, dir.path(), &motion.output_mesh, FPS).unwrap();
    motion.play(&mut all, 0, 2);
    for file in [
        "frames/00001.vtu",
        "series.pvd",
        "obj/00001.obj",
        "ply/00001.ply",
        "skin.glb",
        "skin.usda",
        "skin.pc2",
        "skin.obj",
    ] {
        assert!(dir.path().join(file).exists(), "{file}");
    }
    let said = MultiRecorder::open(&["abc"], dir.path(), &motion.output_mesh, FPS)
        .err()
        .unwrap()
        .to_string();
    assert_eq!(
        said,
        "there is no format \"abc\"; there are vtu, obj, ply, gltf, usd, pc2"
    );
}
