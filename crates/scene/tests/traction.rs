//! `[[body.traction]]`: which faces are loaded, the sentences of wrong keys, and runs.

use scene::build::build;
use scene::check::check;
use scene::session::Session;
use scene::spec;

/// A clamped beam of 2 × 1 × 1 m with these lines appended to its table.
fn beam(element: &str, rest: &str) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"backward-euler\"\nstep = 0.01\nuntil = 0.03\n[[body]]\nname = \"beam\"\n\
         mesh = {{ box = {{ size = [2, 1, 1], cells = [2, 1, 1], element = \"{element}\" }} }}\n\
         material = {{ young = 1e5, poisson = 0.3, density = 1000 }}\n[[body.fix]]\nwhere = {{ x = 0 }}\n{rest}\n"
    )
}

/// Opens a scene, or returns its first error without the file's name.
fn open(text: &str) -> Result<Session, String> {
    let first = |errors: scene::error::SceneErrors| {
        let text = errors.to_string();
        let line = text.lines().next().unwrap_or_default().to_string();
        line.split_once(": ")
            .map_or(line.clone(), |(_, rest)| rest.to_string())
    };
    let (scene, source) = spec::parse("s.toml", text).map_err(first)?;
    build(scene, &source).map_err(first)
}

fn refusal(text: &str) -> String {
    match open(text) {
        Ok(_) => panic!("no error in\n{text}"),
        Err(line) => line,
    }
}

#[test]
fn check_counts_faces_area_and_force_of_each_load() {
    let loads = "[[body.traction]]\nwhere = { x = 2 }\nforce-per-area = [0, -5, 0]\n\
                 [[body.traction]]\nwhere = { y = 1 }\npressure = 3\nramp = 1\n\
                 [[body.traction]]\nwhere = \"all\"\npressure = 7\n";
    for (element, faces) in [
        ("hex8", [1, 2, 10]),
        ("tet4", [2, 4, 20]),
        ("tet10", [2, 4, 20]),
    ] {
        let mut session = open(&beam(element, loads)).unwrap();
        let found = check(&mut session).unwrap();
        let expected = [
            (1.0, [0.0, -5.0, 0.0]),
            (2.0, [0.0, -6.0, 0.0]),
            (10.0, [0.0; 3]),
        ];
        assert_eq!(found.surface_loads.len(), 3);
        for ((load, (area, force)), faces) in found.surface_loads.iter().zip(expected).zip(faces) {
            assert_eq!(load.faces, faces, "{element} {load:?}");
            assert!((load.area - area).abs() < 1e-12, "{load:?}");
            assert!(
                (0..3).all(|k| (load.force[k] - force[k]).abs() < 1e-12),
                "{load:?}"
            );
        }
        let text = found.to_string();
        let line = "load         beam.traction[0]: ";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("1 m², total force (0, -5, 0) N at rest"),
            "{text}"
        );
    }
}

#[test]
fn a_pressure_moves_the_body_and_its_work_is_booked() {
    let load = "[[body.traction]]\nwhere = { x = 2 }\npressure = -2e3\nfrom = 0.01\nto = 0.03\nramp = 0.005\n";
    for solver in ["", "[solver]\nnewton = \"residual\"\nlinear = \"lu\"\n"] {
        let mut session = open(&format!("{}{solver}", beam("hex8", load))).unwrap();
        assert_eq!(session.model.nodes(), 12);
        let mut work = 0.0;
        let mut ends = Vec::new();
        for _ in 0..3 {
            session.step().unwrap();
            work += session.row().entry.work;
            ends.push(work);
        }
        // The load begins at the end of the first step, where the ramp is still zero.
        assert_eq!(ends[0], 0.0);
        assert!(ends[1] > 0.0, "{ends:?}");
    }
}

#[test]
fn wrong_tractions_are_refused_with_a_sentence() {
    let cases = [
        (
            "where = { near = [2, 1, 1] }\npressure = 1",
            "body[0].traction[0].where: selects 1 node but no face of the surface",
        ),
        (
            "where = { x = 1 }\npressure = 1",
            "body[0].traction[0].where: selects 4 nodes but no face of the surface",
        ),
        (
            "where = { x = 5 }\npressure = 1",
            "body[0].traction[0].where: matches no node",
        ),
        (
            "where = { x = 2 }",
            "body[0].traction[0]: give the load: needs one of \"pressure\", \"force-per-area\"",
        ),
        (
            "where = { x = 2 }\npressure = 1\nforce-per-area = [1, 0, 0]",
            "body[0].traction[0].force-per-area: cannot be combined with \"pressure\"",
        ),
        (
            "where = { x = 2 }\npressure = 1\nramp = -1",
            "body[0].traction[0].ramp: ",
        ),
        (
            "where = { x = 2 }\npressure = 1\nfrom = 2\nto = 1",
            "body[0].traction[0].to: 1.0 s is not after from, 2.0 s",
        ),
    ];
    for (keys, expected) in cases {
        let found = refusal(&beam("hex8", &format!("[[body.traction]]\n{keys}")));
        assert!(found.starts_with(expected), "{keys}\n{found}");
    }
    let cloth = "[time]\nstep = 0.01\nuntil = 0.03\n[[body]]\nmesh = { sheet = { size = [1, 1], cells = [2, 2] } }\n\
                 springs = { stiffness = 100, mass = 1 }\n[[body.traction]]\nwhere = \"all\"\npressure = 1\n";
    let found = refusal(cloth);
    let expected = "body[0].traction[0]: acts on faces of a solid, but springs have none";
    assert!(found.starts_with(expected), "{found}");
}

/// A mid-edge node that is not selected leaves its face unloaded.
#[test]
fn all_nodes_of_a_face_must_be_selected() {
    let mesh = |nodes: &str| {
        let load = format!("[[body.traction]]\nwhere = {nodes}\npressure = 1");
        open(&beam("tet10", &load)).map(|s| s.surface_loads[0].faces)
    };
    let session = open(&beam("tet10", "")).unwrap();
    let side = |i: &usize| session.model.rest()[*i][0] == 2.0;
    let mut nodes: Vec<usize> = (0..session.model.nodes()).filter(side).collect();
    assert_eq!(nodes.len(), 9);
    assert_eq!(mesh(&format!("{{ nodes = {nodes:?} }}")).unwrap(), 2);
    // The middle of the outer edges belongs to one triangle, that of the diagonal to both.
    let middle = |i: &usize| {
        let x = session.model.rest()[*i];
        x[1] == 0.5 && x[2] == 0.5
    };
    let outer = |i: &usize| {
        let x = session.model.rest()[*i];
        x[1] == 0.5 && x[2] == 0.0
    };
    let without = |drop: &dyn Fn(&usize) -> bool| -> Vec<usize> {
        nodes.iter().copied().filter(|i| !drop(i)).collect()
    };
    let one = without(&outer);
    let none = without(&middle);
    nodes.clear();
    assert_eq!(mesh(&format!("{{ nodes = {one:?} }}")).unwrap(), 1);
    let refused = mesh(&format!("{{ nodes = {none:?} }}")).unwrap_err();
    assert!(refused.contains("selects 8 nodes but no face"), "{refused}");
}
