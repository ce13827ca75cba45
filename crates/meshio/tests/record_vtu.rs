//! VTU frames and their PVD, read back by a reader written from the format's description.

mod record_motion;

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use mesh::{CellKind, Mesh};
use meshio::record::formats::vtu::VtuSeries;
use meshio::record::{Frame, OutputMesh, Recorder};
use record_motion::{FPS, Motion, tree};

/// Reads and decompresses all appended arrays of a file, by name.
fn arrays(path: &Path) -> HashMap<String, Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
    let head = std::str::from_utf8(&bytes[..at]).unwrap();
    let data = &bytes[at + mark.len()..];
    assert!(data.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
    let word = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize;
    let attribute = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_string()
    };
    let mut found = HashMap::new();
    for line in head.lines().filter(|l| l.contains("format=\"appended\"")) {
        let offset: usize = attribute(line, "offset").parse().unwrap();
        let (count, size, last) = (word(offset), word(offset + 8), word(offset + 16));
        let mut at = offset + 24 + 8 * count;
        let mut all = Vec::new();
        for block in 0..count {
            let packed = word(offset + 24 + 8 * block);
            let before = all.len();
            flate2::read::ZlibDecoder::new(&data[at..at + packed])
                .read_to_end(&mut all)
                .unwrap();
            let partial = block + 1 == count && last > 0;
            assert_eq!(all.len() - before, if partial { last } else { size });
            at += packed;
        }
        found.insert(attribute(line, "Name"), all);
    }
    found
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes
        .chunks(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn vtu_frames_are_read_back_exactly() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let mut series = VtuSeries::new(dir.path(), &motion.output_mesh).unwrap();
    motion.play(&mut series, 0, 3);
    for index in 0..3 {
        let sent = motion.numbers(index);
        let read = arrays(&dir.path().join(format!("frames/{index:05}.vtu")));
        assert_eq!(doubles(&read["Points"]), sent.positions.as_flattened());
        assert_eq!(doubles(&read["velocity"]), sent.velocities.as_flattened());
        let rest = motion.output_mesh.mesh.points.as_flattened();
        let moved: Vec<f64> = sent
            .positions
            .as_flattened()
            .iter()
            .zip(rest)
            .map(|(x, r)| x - r)
            .collect();
        assert_eq!(doubles(&read["displacement"]), moved);
        assert_eq!(doubles(&read["stress"]), sent.fields[0].1);
        assert_eq!(
            doubles(&read["energy &lt; &quot;J&quot; &amp; co"]),
            sent.fields[1].1
        );
        let nodes: Vec<u32> = read["connectivity"]
            .chunks(8)
            .map(|b| b[0] as u32 + 256 * b[1] as u32)
            .collect();
        assert_eq!(nodes, motion.output_mesh.mesh.nodes);
        assert_eq!(
            read["types"],
            [1, 3, 21, 5, 22, 9, 23, 28, 10, 24, 12, 25, 29, 13, 14]
        );
        let bodies: Vec<u32> = read["body"].chunks(4).map(|b| b[0] as u32).collect();
        assert_eq!(bodies, motion.output_mesh.cell_body);
    }
    let pvd = std::fs::read_to_string(dir.path().join("series.pvd")).unwrap();
    for index in 0..3 {
        let t = index as f64 / FPS;
        assert!(pvd.contains(&format!(
            "timestep=\"{t}\" part=\"0\" file=\"frames/{index:05}.vtu\""
        )));
    }
    assert_eq!(pvd.matches("<DataSet").count(), 3);
    assert!(
        tree(dir.path())
            .iter()
            .all(|(name, _)| !name.ends_with(".part"))
    );
}

/// More than one block, and a last block that is exactly full.
#[test]
fn compressed_blocks_of_every_length_are_read_back() {
    for points in [0, 1, 5461, 16384, 16385, 40000] {
        let x: Vec<[f64; 3]> = (0..points)
            .map(|i| [i as f64, (i as f64).sin(), -1.0])
            .collect();
        let mut mesh = Mesh::with_points(x.clone());
        for i in 0..points {
            mesh.push(CellKind::Vertex, &[i as u32]);
        }
        let output_mesh = OutputMesh {
            mesh,
            cell_body: vec![0; points],
            ..OutputMesh::default()
        };
        let dir = tempfile::tempdir().unwrap();
        let mut series = VtuSeries::new(dir.path(), &output_mesh).unwrap();
        let frame = Frame {
            index: 0,
            t: 0.0,
            positions: &x,
            velocities: &x,
            skin: &[],
            point_fields: &[],
            point_scalars: &[],
            cell_fields: &[],
        };
        series.frame(&frame).unwrap();
        let read = arrays(&dir.path().join("frames/00000.vtu"));
        assert_eq!(
            doubles(&read["Points"]),
            x.as_flattened(),
            "{points} points"
        );
        assert_eq!(read["types"].len(), points);
    }
}

#[test]
fn every_frame_leaves_a_readable_series() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let mut series = VtuSeries::new(dir.path(), &motion.output_mesh).unwrap();
    for index in 0..3 {
        motion.numbers(index).send(&mut series).unwrap();
        let pvd = std::fs::read_to_string(dir.path().join("series.pvd")).unwrap();
        assert_eq!(pvd.matches("<DataSet").count(), index + 1);
        assert!(pvd.ends_with("</Collection>\n</VTKFile>\n"));
    }
}

#[test]
fn a_resumed_series_equals_an_uninterrupted_one() {
    let motion = Motion::new();
    let (whole, halves) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    motion.play(
        &mut VtuSeries::new(whole.path(), &motion.output_mesh).unwrap(),
        0,
        6,
    );
    // Interrupted after frame 4, resumed from a checkpoint between frames 2 and 3.
    motion.play(
        &mut VtuSeries::new(halves.path(), &motion.output_mesh).unwrap(),
        0,
        5,
    );
    motion.play(
        &mut VtuSeries::new(halves.path(), &motion.output_mesh).unwrap(),
        3,
        6,
    );
    assert_eq!(tree(whole.path()), tree(halves.path()));
    // A new run replaces the old series.
    motion.play(
        &mut VtuSeries::new(halves.path(), &motion.output_mesh).unwrap(),
        0,
        2,
    );
    let pvd = std::fs::read_to_string(halves.path().join("series.pvd")).unwrap();
    assert_eq!(pvd.matches("<DataSet").count(), 2);
}

#[test]
fn same_bytes_for_any_number_of_threads() {
    let motion = Motion::new();
    let written = |threads: usize| {
        let dir = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            motion.play(
                &mut VtuSeries::new(dir.path(), &motion.output_mesh).unwrap(),
                0,
                2,
            )
        });
        tree(dir.path())
    };
    assert_eq!(written(1), written(2));
    assert_eq!(written(1), written(4));
}

#[test]
fn frames_with_wrong_counts_are_refused() {
    let motion = Motion::new();
    let dir = tempfile::tempdir().unwrap();
    let mut series = VtuSeries::new(dir.path(), &motion.output_mesh).unwrap();
    let mut numbers = motion.numbers(7);
    numbers.positions.pop();
    let said = numbers.send(&mut series).unwrap_err().to_string();
    assert!(
        said.starts_with("frame 7 has 115 positions, the recording has 116;"),
        "{said}"
    );
    let mut numbers = motion.numbers(7);
    numbers.fields[1].1.push(0.0);
    let said = numbers.send(&mut series).unwrap_err().to_string();
    assert!(said.contains("16 values of \"energy"), "{said}");
    let mut numbers = motion.numbers(7);
    numbers.fields[1].0 = "stress";
    let said = numbers.send(&mut series).unwrap_err().to_string();
    assert!(said.contains("two cell fields named \"stress\""), "{said}");
    assert!(!dir.path().join("series.pvd").exists());

    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = VtuSeries::new(&file, &motion.output_mesh).err().unwrap();
    assert!(
        error.to_string().contains(&file.display().to_string()),
        "{error}"
    );

    std::fs::create_dir(dir.path().join("frames/00003.vtu")).unwrap();
    let said = motion.numbers(3).send(&mut series).unwrap_err().to_string();
    assert!(said.contains("00003.vtu"), "{said}");
}
