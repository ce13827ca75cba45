//! Fuzz tests of readers: for any bytes a reader returns in time and without a panic. The number of inputs is bounded and
//! the seed fixed; `fuzz/` holds the open-ended version.

mod import_common;

use std::time::{Duration, Instant};

use import_common::{Random, all_kinds, elevated, group, hexes, sheet, tets};
use mesh::{CellKind, Mesh};
use meshio::export::{self, Encoding};
use meshio::import::{self, Format};

/// Number of damaged inputs per format.
const INPUTS: usize = 6000;
/// Longest time of one input, with a large margin for busy machines.
const LIMIT: Duration = Duration::from_secs(2);

/// Hand-written files with content that our writers do not produce.
fn hand_written(format: Format) -> Vec<&'static [u8]> {
    match format {
        Format::Msh22 => vec![
            b"$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n",
            b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a b\"\n$EndPhysicalNames\n$Elements\n1\n9 4 3 7 1 0 5 6 7 8\n$EndElements\n$Nodes\n4\n5 0 0 0\n8 0 0 1\n6 1 0 0\n7 0 1 0\n$EndNodes\n$NodeData\n1\n\"x\"\n$EndNodeData\n",
        ],
        Format::Msh41 => vec![
            b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 2 7 -8 0\n$EndEntities\n$Nodes\n2 4 1 4\n2 1 1 3\n1\n2\n3\n0 0 0 .1 .2\n1 0 0 .3 .4\n0 1 0 .5 .6\n3 1 0 1\n4\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
        ],
        Format::Vtk => vec![
            b"# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n0.5\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\nVECTORS v float\n0 0 0 1 1 1 2 2 2 3 3 3\nMETADATA\nINFORMATION 0\n\nCELL_DATA 1\nFIELD F 1\na%20b 1 1 int\n3\n",
            b"# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 2 0\nLINES 1 3\n2 0 1\nPOLYGONS 2 10\n5 0 1 4 2 3\n3 0 1 2\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n",
        ],
        Format::Vtu => vec![
            br#"<VTKFile type="UnstructuredGrid" byte_order="BigEndian"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1"><Points><DataArray type="Float64" NumberOfComponents="3" format="binary">AAAAYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/8AAAAAAAAA==</DataArray></Points><Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray><DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"#,
            br#"<?xml version="1.0"?><VTKFile type="UnstructuredGrid" compressor="vtkZLibDataCompressor"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1"><Points><DataArray type="Float64" NumberOfComponents="3" format="binary">AQAAAGAAAAAAAAAAEgAAAA==eJxjYMAHPtjjlSZCHgB4XQOO</DataArray></Points><Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray><DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"#,
        ],
        Format::Medit => vec![b"MeshVersionFormatted 2\nDimension\n3\n# note\nTetrahedra 1\n1 2 3 4 5\nVertices 4\n0 0 0 0\n1.0D0 0 0 0\n0 1 0 0\n0 0 1 0\nCorners 1\n1\nEnd\n"],
        Format::Tetgen => vec![b"# n\n10 3 1 1\n1 0 0 0 .5 1\n2 1 0 0 .5 0\n3 0 1 0 .5 0\n4 0 0 1 .5 0\n5 .5 0 0 0 0\n6 .5 .5 0 0 0\n7 0 .5 0 0 0\n8 0 0 .5 0 0\n9 .5 0 .5 0 0\n10 0 .5 .5 0 0\n1 10 1\n1 1 2 3 4 10 9 8 7 6 5 2\n"],
        Format::Vega => vec![b"*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*SET a\n1, 2,\n*INCLUDE b.txt\n*REGION\na, b\n"],
        Format::Obj => vec![b"mtllib a.mtl\no a\ng b c\nv 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0\nv 1 1 0\nv 2 2 2\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 \\\n 3\nf -5 -4 -3 -2 -1\nf 1 2 3 4\nl 1 2\np 1\n"],
        Format::Ply => vec![b"ply\nformat ascii 1.0\ncomment x\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nelement other 1\nproperty list uchar int v\nelement face 1\nproperty list uchar int vertex_index\nproperty int flags\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n2 7 8\n3 0 1 2 9\n"],
        Format::Stl => vec![b"solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a b\n"],
        Format::Off => vec![b"COFF # c\n# c\n4 2 0\n0 0 0 1 2 3\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2 255 0 0\n4 0 1 3 2\n"],
    }
}

/// Valid files of a format, and the corpus of the open-ended fuzzing.
fn corpus(format: Format) -> Vec<Vec<u8>> {
    let mut grouped = tets([1, 1, 1], 1);
    grouped.groups = vec![group(&grouped, "half", 0..3)];
    let meshes: [Mesh; 6] = [
        grouped,
        hexes([1, 1, 1], 2),
        elevated(&tets([1, 1, 1], 3), CellKind::Tet10),
        sheet(CellKind::Tri3, 4),
        sheet(CellKind::Quad4, 5),
        all_kinds(),
    ];
    let mut files: Vec<Vec<u8>> = hand_written(format).iter().map(|b| b.to_vec()).collect();
    for mesh in &meshes {
        for encoding in [Encoding::Text, Encoding::Binary] {
            files.extend(export::to_bytes(mesh, format, encoding).ok());
        }
    }
    for (i, file) in files.iter().enumerate() {
        let read = import::read_bytes(file, format, "whole");
        assert!(read.is_ok(), "{format:?} {i}: {}", read.unwrap_err());
    }
    // These inputs may be valid or damaged.
    files.extend(stored_corpus(format));
    files
}

fn stored_corpus(format: Format) -> Vec<Vec<u8>> {
    let folder = match format {
        Format::Msh22 | Format::Msh41 => "msh",
        Format::Medit => "mesh",
        Format::Tetgen => "node",
        Format::Vega => "veg",
        other => other.info().name,
    };
    let folder = format!("{}/../../fuzz/corpus/{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder} is empty");
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// Numbers that may overflow counters or fail to parse.
const NUMBERS: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1",
    b"4294967295",
    b"4294967296",
    b"2147483648",
    b"9223372036854775807",
    b"18446744073709551615",
    b"99999999999999999999",
    b"1e400",
    b"nan",
    b"-inf",
    b"0x10",
    b"1e9",
    b"3.5",
    b"",
];

fn damage(file: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let n = file.len();
        if n == 0 {
            return;
        }
        let at = random.below(n);
        match random.below(9) {
            0 => file[at] ^= 1 << random.below(8),
            1 => file[at] = random.bits() as u8,
            2 => file.truncate(at),
            3 => {
                let end = (at + 1 + random.below(16)).min(n);
                file.drain(at..end);
            }
            4 => {
                let from = random.below(other.len().max(1));
                let end = (from + random.below(64)).min(other.len());
                file.splice(at..at, other[from..end].iter().copied());
            }
            5 | 6 => {
                // Replace a number.
                let digits = |b: &u8| b.is_ascii_digit();
                let start = at + file[at..].iter().position(digits).unwrap_or(0);
                let end = start + file[start..].iter().take_while(|b| digits(b)).count();
                let number = NUMBERS[random.below(NUMBERS.len())];
                file.splice(start..end, number.iter().copied());
            }
            7 => {
                let extremes = [0u8, 0xff, 0x7f, 0x80];
                let end = (at + [1, 2, 4, 8][random.below(4)]).min(n);
                file[at..end].fill(extremes[random.below(4)]);
            }
            _ => {
                let line = file[at..]
                    .iter()
                    .position(|&b| b == b'\n')
                    .map_or(n, |k| at + k + 1);
                let copy = file[at..line].to_vec();
                file.splice(line..line, copy);
            }
        }
    }
}

fn fuzz(format: Format) {
    let files = corpus(format);
    let mut random = Random::new(format as u64 + 1);
    let mut read = 0;
    for _ in 0..INPUTS {
        let mut file = files[random.below(files.len())].clone();
        let other = &files[random.below(files.len())];
        damage(&mut file, other, &mut random);
        let start = Instant::now();
        let result = import::read_bytes(&file, format, "damaged");
        let took = start.elapsed();
        assert!(
            took < LIMIT,
            "{format:?}: {took:?} for {:?}",
            String::from_utf8_lossy(&file)
        );
        match result {
            Ok(loaded) => {
                read += 1;
                check_mesh(&loaded.mesh);
            }
            Err(e) => {
                let text = e.to_string();
                assert!(text.starts_with("damaged") && text.len() < 1000, "{text}");
                assert!(!text.contains('\n'), "{text}");
            }
        }
    }
    // Most damage is detected, some is harmless. Both must occur, or the test shows nothing.
    assert!(
        read > INPUTS / 100 && read < INPUTS,
        "{format:?}: {read} of {INPUTS} read"
    );
}

/// Checks that node numbers, groups and coordinates of a mesh are consistent.
fn check_mesh(mesh: &Mesh) {
    assert_eq!(mesh.starts.len(), mesh.len() + 1);
    for (kind, cell) in mesh.cells() {
        assert_eq!(cell.len(), kind.node_count());
        assert!(cell.iter().all(|&n| (n as usize) < mesh.points.len()));
    }
    assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
    for group in &mesh.groups {
        assert!(group.cells.iter().all(|&c| (c as usize) < mesh.len()));
        assert!(
            group
                .points
                .iter()
                .all(|&p| (p as usize) < mesh.points.len())
        );
        assert!(group.cells.is_sorted() && group.points.is_sorted());
    }
}

macro_rules! targets {
    ($($name:ident: $format:ident),*) => {$(
        #[test]
        fn $name() {
            fuzz(Format::$format);
        }
    )*};
}

targets! {
    msh22: Msh22, msh41: Msh41, vtk: Vtk, vtu: Vtu, medit: Medit, tetgen: Tetgen, vega: Vega, obj: Obj, ply: Ply,
    stl: Stl, off: Off
}
