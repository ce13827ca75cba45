//! Tests of readers with small hand-written files of every format.

mod import_common;

use import_common::{corners, mid_nodes};
use mesh::CellKind;
use meshio::import::{
    self, Fault, FilePosition, Format, ImportError, ImportedMesh, QuadHandling, read_bytes,
};

fn read(format: Format, text: &str) -> ImportedMesh {
    read_bytes(text.as_bytes(), format, "t").unwrap_or_else(|e| panic!("{e}"))
}

fn refused(format: Format, bytes: &[u8]) -> ImportError {
    match read_bytes(bytes, format, "t") {
        Ok(l) => panic!("read: {:?} {:?}", l.mesh, l.notices),
        Err(e) => e,
    }
}

fn has_notice(loaded: &ImportedMesh, words: &str) -> bool {
    loaded.notices.iter().any(|n| n.text.contains(words))
}

/// Points of a tetrahedron, in the notation that several formats share.
const TET: &str = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";

fn msh22(elements: &str) -> String {
    let n = elements.lines().count();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{TET}$EndNodes\n$Elements\n{n}\n{elements}$EndElements\n"
    )
}

/// Corners whose mean each mid node is, in the order of Gmsh's manual.
fn gmsh_mid_nodes(kind: CellKind) -> Vec<Vec<usize>> {
    let hex: &[&[usize]] = &[
        &[0, 1],
        &[0, 3],
        &[0, 4],
        &[1, 2],
        &[1, 5],
        &[2, 3],
        &[2, 6],
        &[3, 7],
        &[4, 5],
        &[4, 7],
        &[5, 6],
        &[6, 7],
        &[0, 1, 2, 3],
        &[0, 1, 4, 5],
        &[0, 3, 4, 7],
        &[1, 2, 5, 6],
        &[2, 3, 6, 7],
        &[4, 5, 6, 7],
        &[0, 1, 2, 3, 4, 5, 6, 7],
    ];
    let tet: &[&[usize]] = &[&[0, 1], &[1, 2], &[0, 2], &[0, 3], &[2, 3], &[1, 3]];
    let take = |l: &[&[usize]], n: usize| l[..n].iter().map(|x| x.to_vec()).collect();
    match kind {
        CellKind::Tet10 => take(tet, 6),
        CellKind::Hex20 => take(hex, 12),
        CellKind::Hex27 => take(hex, 19),
        _ => mid_nodes(kind),
    }
}

/// Box with three different side lengths: no two mid nodes coincide.
const BOX: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0],
    [2.0, 3.0, 0.0],
    [0.0, 3.0, 0.0],
    [0.0, 0.0, 5.0],
    [2.0, 0.0, 5.0],
    [2.0, 3.0, 5.0],
    [0.0, 3.0, 5.0],
];
const SIMPLEX: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0],
    [0.0, 3.0, 0.0],
    [0.0, 0.0, 5.0],
];

fn means(corner: &[[f64; 3]], lists: &[Vec<usize>]) -> Vec<[f64; 3]> {
    let mean = |l: &Vec<usize>| {
        [0, 1, 2].map(|a| l.iter().map(|&k| corner[k][a]).sum::<f64>() / l.len() as f64)
    };
    corner
        .iter()
        .copied()
        .chain(lists.iter().map(mean))
        .collect()
}

/// Checks that the mid nodes of the only cell lie in the middle of their corners.
fn assert_mid_nodes(loaded: &ImportedMesh, kind: CellKind) {
    assert_eq!(loaded.mesh.kinds, [kind]);
    let places: Vec<_> = loaded
        .mesh
        .cell(0)
        .iter()
        .map(|&n| loaded.mesh.points[n as usize])
        .collect();
    let wanted = means(&places[..corners(kind)], &mid_nodes(kind));
    assert_eq!(places, wanted, "{kind:?}");
}

#[test]
fn mid_nodes_of_gmsh_cells_are_in_vtk_order() {
    for (kind, id) in [
        (CellKind::Tet10, 11),
        (CellKind::Hex20, 17),
        (CellKind::Hex27, 12),
    ] {
        let corner = if kind == CellKind::Tet10 {
            &SIMPLEX[..]
        } else {
            &BOX
        };
        let points = means(corner, &gmsh_mid_nodes(kind));
        let mut nodes = String::new();
        for (i, [x, y, z]) in points.iter().enumerate() {
            nodes += &format!("{} {x} {y} {z}\n", i + 1);
        }
        let list: Vec<_> = (1..=points.len()).map(|i| i.to_string()).collect();
        let n = points.len();
        let text = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n{nodes}$EndNodes\n$Elements\n1\n1 {id} 2 0 1 {}\n$EndElements\n",
            list.join(" ")
        );
        assert_mid_nodes(&read(Format::Msh22, &text), kind);
        // A mirrored cell is repaired with all its nodes.
        let mirrored = nodes_mirrored(&points);
        let text = text.replace(&nodes, &mirrored);
        let loaded = read(Format::Msh22, &text);
        assert!(
            has_notice(&loaded, "negative orientation"),
            "{:?}",
            loaded.notices
        );
        assert_mid_nodes(&loaded, kind);
    }
}

fn nodes_mirrored(points: &[[f64; 3]]) -> String {
    let lines = points.iter().enumerate();
    lines
        .map(|(i, [x, y, z])| format!("{} {x} {y} {}\n", i + 1, -z))
        .collect()
}

#[test]
fn mid_nodes_of_tetgen_and_medit_tetrahedra_are_in_vtk_order() {
    let points = means(&SIMPLEX, &mid_nodes(CellKind::Tet10));
    // Mid-edge nodes of TetGen in another order.
    let order = [0, 1, 2, 3, 9, 7, 8, 4, 6, 5];
    let mut text = String::from("10 3 0 0\n");
    for (i, k) in order.iter().enumerate() {
        let [x, y, z] = points[*k];
        text += &format!("{i} {x} {y} {z}\n");
    }
    text += "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n";
    assert_mid_nodes(&read(Format::Tetgen, &text), CellKind::Tet10);

    let mut text = String::from("MeshVersionFormatted 2 Dimension 3 Vertices 10\n");
    for [x, y, z] in &points {
        text += &format!("{x} {y} {z} 0\n");
    }
    text += "TetrahedraP2 1 1 2 3 4 5 6 7 8 9 10 0 End";
    assert_mid_nodes(&read(Format::Medit, &text), CellKind::Tet10);
}

#[test]
fn voxels_become_hexahedra() {
    let mut text = String::from(
        "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n",
    );
    for k in 0..8 {
        text += &format!("{} {} {}\n", k & 1, k >> 1 & 1, k >> 2);
    }
    text += "CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n";
    let loaded = read(Format::Vtk, &text);
    assert_eq!(loaded.mesh.cell(0), [0, 1, 3, 2, 4, 5, 7, 6]);
    assert!(!has_notice(&loaded, "orientation"));
}

#[test]
fn physical_groups_are_named_by_name_or_number() {
    let text = msh22("7 4 2 5 1 1 2 3 4\n8 2 2 5 1 1 2 3\n9 2 2 6 1 1 2 4\n10 15 2 9 1 4\n");
    let text = text.replace(
        "$Nodes",
        "$PhysicalNames\n1\n2 6 \"the floor\"\n$EndPhysicalNames\n$Nodes",
    );
    let loaded = read(Format::Msh22, &text);
    let names: Vec<_> = loaded
        .mesh
        .groups
        .iter()
        .map(|g| (g.name.as_str(), &g.cells[..], &g.points[..]))
        .collect();
    assert_eq!(
        names,
        [
            ("9", &[3][..], &[3][..]),
            ("surface 5", &[1], &[0, 1, 2]),
            ("the floor", &[2], &[0, 1, 3]),
            ("5", &[0], &[0, 1, 2, 3]),
        ]
    );
}

#[test]
fn binary_gmsh_files_of_either_byte_order_are_read() {
    for big in [false, true] {
        let int = |n: i32| {
            if big {
                n.to_be_bytes()
            } else {
                n.to_le_bytes()
            }
        };
        let double = |x: f64| {
            if big {
                x.to_be_bytes()
            } else {
                x.to_le_bytes()
            }
        };
        let mut file = b"$MeshFormat\n2.2 1 8\n".to_vec();
        file.extend(int(1));
        file.extend(b"\n$EndMeshFormat\n$Nodes\n4\n");
        for (i, p) in SIMPLEX.iter().enumerate() {
            file.extend(int(10 * i as i32 + 10));
            file.extend(p.iter().flat_map(|x| double(*x)));
        }
        file.extend(b"\n$EndNodes\n$Elements\n1\n");
        for n in [4, 1, 2, 77, 3, 1, 10, 20, 30, 40] {
            file.extend(int(n));
        }
        file.extend(b"\n$EndElements\n");
        let loaded = read_bytes(&file, Format::Msh22, "t").unwrap();
        assert_eq!(loaded.mesh.points, SIMPLEX);
        assert_eq!(loaded.mesh.cell(0), [0, 1, 2, 3]);
        assert_eq!(loaded.mesh.groups[0].name, "3");
        file.truncate(file.len() - 30);
        assert!(matches!(
            refused(Format::Msh22, &file).position,
            FilePosition::Byte(_)
        ));
    }
}

#[test]
fn errors_name_position_section_and_cause() {
    let e = refused(Format::Msh22, msh22("7 4 2 5 1 1 2 3 9\n").as_bytes());
    assert_eq!(
        (e.position, e.section.as_str()),
        (FilePosition::Line(13), "$Elements")
    );
    assert!(matches!(*e.fault, Fault::Reference { .. }));
    assert!(
        e.to_string().contains("element 7 refers to unknown node 9"),
        "{e}"
    );
    let e = refused(
        Format::Msh22,
        msh22("7 4 2 5 1 1 2 3\n8 4 2 5 1 1 2 3 4\n").as_bytes(),
    );
    assert!(e.to_string().contains("too short"), "{e}");
    let e = refused(Format::Msh22, msh22("7 4 2 5 1 1 2 3 3\n").as_bytes());
    assert!(matches!(*e.fault, Fault::Geometry { .. }), "{e}");
    for bytes in [&b""[..], b" \n", b"\x00\xff", b"$MeshFormat"] {
        for info in import::FORMATS {
            refused(info.format, bytes);
        }
    }
}

#[test]
fn huge_counts_and_tags_are_refused() {
    let mut file = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let block = |file: &mut Vec<u8>, n: u64| {
        file.extend([3, 1, 0].iter().flat_map(|i: &i32| i.to_le_bytes()));
        file.extend(n.to_le_bytes());
    };
    file.extend([2, 9, 1, 9].iter().flat_map(|n: &u64| n.to_le_bytes()));
    block(&mut file, 1);
    file.extend(1u64.to_le_bytes());
    file.extend([0; 24]);
    block(&mut file, u64::MAX);
    assert!(matches!(
        *refused(Format::Msh41, &file).fault,
        Fault::Count { .. }
    ));
    // The tag is the greatest 64-bit integer.
    let text = msh22("7 4 2 5 1 1 2 3 4\n")
        .replace("\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4", "\n9223372036854775807");
    let text = text.replace("$Nodes\n4", "$Nodes\n1");
    assert!(matches!(
        *refused(Format::Msh22, text.as_bytes()).fault,
        Fault::Reference { .. }
    ));
}

#[test]
fn cell_data_match_cells_that_are_dropped_or_split() {
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
                0 0 0 1 0 0 1 1 0 0 1 0 0 0 1\nCELLS 4 18\n3 0 1 1\n4 0 1 2 4\n5 0 1 2 3 4\n2 0 1\nCELL_TYPES 4\n5\n10\n7\n3\n\
                CELL_DATA 4\nSCALARS a double 1\nLOOKUP_TABLE default\n1 2 3 4\nVECTORS v float\n1 1 1 2 2 2 3 3 3 4 4 4\n\
                POINT_DATA 5\nFIELD f 1\nx%20y 1 5 float\n0 1 2 3 nan\n";
    let loaded = read(Format::Vtk, text);
    let kinds = [
        CellKind::Tet4,
        CellKind::Tri3,
        CellKind::Tri3,
        CellKind::Tri3,
        CellKind::Line2,
    ];
    assert_eq!(loaded.mesh.kinds, kinds);
    assert_eq!(loaded.cell_data[0].values, [2.0, 3.0, 3.0, 3.0, 4.0]);
    assert_eq!(loaded.cell_data[1].components, 3);
    assert_eq!(loaded.cell_data[1].values[..4], [2.0, 2.0, 2.0, 3.0]);
    assert_eq!(loaded.point_data[0].name, "x y");
    assert!(loaded.point_data[0].values[4].is_nan());
    assert!(has_notice(&loaded, "left out") && has_notice(&loaded, "fans"));
}

#[test]
fn vtu_pieces_are_concatenated() {
    let piece = "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><PointData><DataArray type=\"Float32\" Name=\"u\" format=\"ascii\">1 2 3 4</DataArray></PointData>\
        <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\
        <Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>\
        <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece>";
    let file = format!(
        "<VTKFile type=\"UnstructuredGrid\"><!-- two --><UnstructuredGrid>{piece}{piece}</UnstructuredGrid></VTKFile>"
    );
    let loaded = read(Format::Vtu, &file);
    assert_eq!(loaded.mesh.nodes, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        loaded.point_data[0].values,
        [1., 2., 3., 4., 1., 2., 3., 4.]
    );
    assert!(has_notice(&loaded, "duplicates"));
}

#[test]
fn tetgen_node_numbers_from_zero_and_one_are_distinguished() {
    let nodes = |base: usize| {
        let mut text = String::from("4 3 0 0\n");
        for (i, [x, y, z]) in SIMPLEX.iter().enumerate() {
            text += &format!("{} {x} {y} {z}\n", i + base);
        }
        text
    };
    for base in [0, 1] {
        let ids: Vec<_> = (base..base + 4).map(|i| i.to_string()).collect();
        let ids = ids.join(" ");
        let loaded = read(
            Format::Tetgen,
            &format!("{}1 4 0\n{base} {ids}\n", nodes(base)),
        );
        assert_eq!(loaded.mesh.cell(0), [0, 1, 2, 3]);
        // One element with nodes from 0 may be a mistake; sixteen that use all nodes show the base.
        let wrong = format!("{}1 4 0\n0 0 1 2 3\n", nodes(1));
        assert!(
            refused(Format::Tetgen, wrong.as_bytes())
                .to_string()
                .contains("unknown node 0")
        );
        let mut many = format!("{}16 4 0\n", nodes(1));
        for i in 0..16 {
            many += &format!("{i} 0 1 2 3\n");
        }
        let loaded = read(Format::Tetgen, &many);
        assert!(has_notice(&loaded, "from 0") && loaded.mesh.len() == 16);
    }
}

#[test]
fn obj_corners_groups_and_polygons_are_read() {
    let text = "o thing\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 0\ng a b\nf 1/1/1 2//1 3/2 4\ng\nf -5 -4 -3 \\\n -2 -1\nl 1 2\n";
    let loaded = read(Format::Obj, text);
    assert_eq!(loaded.mesh.kinds, [CellKind::Tri3; 5]);
    assert_eq!(loaded.mesh.cell(1), [0, 2, 3]);
    let names: Vec<_> = loaded
        .mesh
        .groups
        .iter()
        .map(|g| (g.name.as_str(), g.cells.len()))
        .collect();
    assert_eq!(names, [("a", 2), ("b", 2), ("thing", 5)]);
    assert!(
        has_notice(&loaded, "lines were ignored (1)") && has_notice(&loaded, "1 quad was split")
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    std::fs::write(&path, text).unwrap();
    let kept = import::read_with(&path, QuadHandling::Keep).unwrap();
    assert_eq!(kept.mesh.kinds[0], CellKind::Quad4);
}

#[test]
fn binary_stl_is_detected_by_size_not_by_its_first_word() {
    let mut file = b"solid but binary".to_vec();
    file.resize(80, b' ');
    file.extend(2u32.to_le_bytes());
    for t in [[0, 1, 2], [1, 3, 2]] {
        file.extend([0u8; 12]);
        let corner = |k: usize| [(k & 1) as f32, (k >> 1) as f32, -0.0];
        file.extend(t.iter().flat_map(|&k| corner(k)).flat_map(f32::to_le_bytes));
        file.extend([0, 0]);
    }
    let loaded = read_bytes(&file, Format::Stl, "t").unwrap();
    assert_eq!((loaded.mesh.points.len(), loaded.mesh.len()), (4, 2));
    assert!(has_notice(&loaded, "6 corners were welded to 4"));
    assert!(has_notice(&loaded, "4 boundary edges"));
    file.truncate(150);
    assert!(matches!(
        *refused(Format::Stl, &file).fault,
        Fault::Unexpected { .. } | Fault::Truncated { .. }
    ));
}

#[test]
fn content_decides_if_the_extension_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mesh.vtk");
    std::fs::write(&path, msh22("1 4 2 0 1 1 2 3 4\n")).unwrap();
    let loaded = import::read(&path).unwrap();
    assert_eq!(loaded.format, Format::Msh22);
    assert!(has_notice(&loaded, "the content decides"));
    let path = folder.path().join("mesh.dat");
    std::fs::write(&path, "hello").unwrap();
    let e = import::read(&path).unwrap_err().to_string();
    assert!(e.contains("not known") && e.contains(".vtu"), "{e}");
    let e = import::read(&folder.path().join("none.msh")).unwrap_err();
    assert!(matches!(*e.fault, Fault::Io(_)));
}

#[test]
fn vega_includes_outside_the_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!(
        "*VERTICES\n4 3 0 0\n{TET}*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n*SET fast\n*INCLUDE list.txt\n"
    );
    let path = folder.path().join("a.veg");
    std::fs::write(&path, &body).unwrap();
    assert!(has_notice(&import::read(&path).unwrap(), "no such file"));
    std::fs::write(folder.path().join("list.txt"), "1,\n").unwrap();
    let loaded = import::read(&path).unwrap();
    assert_eq!(
        (
            loaded.mesh.groups[0].name.as_str(),
            &loaded.mesh.groups[0].cells[..]
        ),
        ("fast", &[0][..])
    );
    for name in ["../list.txt", "/etc/hosts", "a.veg"] {
        std::fs::write(&path, body.replace("list.txt", name)).unwrap();
        let e = import::read(&path).unwrap_err();
        assert!(matches!(*e.fault, Fault::Forbidden { .. }), "{e}");
    }
}

#[test]
fn numbers_may_extend_over_compressed_blocks() {
    use std::io::Write;
    let points: Vec<u8> = SIMPLEX
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    // Three blocks of 36, 36 and 24 bytes: doubles extend over their ends.
    let blocks: Vec<Vec<u8>> = points
        .chunks(36)
        .map(|b| {
            let mut z = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            z.write_all(b).unwrap();
            z.finish().unwrap()
        })
        .collect();
    let mut data = Vec::new();
    for n in [3, 36, 24].into_iter().chain(blocks.iter().map(Vec::len)) {
        data.extend((n as u64).to_le_bytes());
    }
    data.extend(blocks.concat());
    let mut file = br#"<VTKFile type="UnstructuredGrid" header_type="UInt64" compressor="vtkZLibDataCompressor"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1"><Points><DataArray type="Float64" NumberOfComponents="3" format="appended" offset="0"/></Points><Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray><DataArray type="Int64" Name="offsets" format="ascii">4</DataArray><DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells></Piece></UnstructuredGrid><AppendedData encoding="raw">_"#.to_vec();
    file.extend(data);
    file.extend(b"</AppendedData></VTKFile>");
    let loaded = read_bytes(&file, Format::Vtu, "t").unwrap();
    assert_eq!(loaded.mesh.points, SIMPLEX);
}
