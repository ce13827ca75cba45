//! Small scenes in which keys are set; together they cover every key of the schema.

/// Files of the scenes: grids of heights, a closed surface, and a mesh with a group.
pub const FILES: [(&str, &str); 5] = [
    ("flat.csv", "0.8, 0.8, 0.8\n0.8, 0.8, 0.8\n"),
    ("slope.csv", "0 0.1\n0.1 0.15\n"),
    (
        "octahedron.obj",
        "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n",
    ),
    (
        "grouped.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"left\"\n3 2 \"right\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 2 3 4 5\n$EndElements\n",
    ),
    // A frame with the number of nodes of [`BOX`].
    (
        "start.vtu",
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"12\" NumberOfCells=\"0\"><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0.05 0 0 0.55 0 0 1.05 0 0 0.05 1 0 0.55 1 0 1.05 1 0 0.05 0 1 0.55 0 1 1.05 0 1 0.05 1 1 0.55 1 1 1.05 1 1\
         </DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
    ),
];

const BRIEF: &str = "[time]\nstep = 0.01\nuntil = 0.04\nfps = 100\n";
const BOX: &str = "mesh = { box = { size = [1, 1, 1], cells = [2, 1, 1] } }\n";
const MATTER: &str = "material = { young = 1e4, poisson = 0.3, density = 1000 }\n";

/// A solid body with all kinds of constraints and loads, and a second body.
fn held() -> String {
    format!(
        "{BRIEF}[[body]]\nname = \"first\"\n{BOX}{MATTER}damping = {{ stiffness = 0.01 }}\n\
         [[body.fix]]\nwhere = {{ x = 0 }}\n[[body.tether]]\nwhere = {{ x = 1 }}\nstiffness = 10\n\
         [[body.push]]\nwhere = {{ x = 1 }}\nforce = [1, 2, 3]\n\
         [[body.traction]]\nwhere = {{ x = 1 }}\npressure = 5\n\
         [[body]]\nname = \"second\"\n{BOX}{MATTER}\
         [[wind]]\nvelocity = [0, 0, 5]\ndrag = 1\ngust = {{ amplitude = 0.5, frequency = 3 }}\n\
         [[probe]]\nname = \"tip\"\nbody = \"first\"\nnear = [1, 0, 0]\n"
    )
}

/// A solid body with this line in its table, free to fall.
fn with(line: &str) -> String {
    format!("{BRIEF}[[body]]\n{BOX}{MATTER}{line}\n")
}

/// A body of this mesh.
fn meshed(mesh: &str) -> String {
    format!("{BRIEF}[[body]]\nmesh = {mesh}\n{MATTER}")
}

/// A body with this constraint at one end.
fn moved(how: &str) -> String {
    with(&format!(
        "[[body.fix]]\nwhere = {{ x = 0 }}\n{how}\n[[body.tether]]\nwhere = {{ x = 1 }}\nstiffness = 100\n{how}"
    ))
}

/// A body with three uses of this node selection.
fn chosen(place: &str) -> String {
    let body = format!(
        "mesh = {{ file = \"grouped.msh\" }}\n{MATTER}[[body.fix]]\nwhere = {place}\n\
         [[body.tether]]\nwhere = {place}\nstiffness = 10\n[[body.push]]\nwhere = {place}\nforce = [1, 2, 3]\n"
    );
    format!("{BRIEF}[[body]]\n{body}")
}

/// Bodies with a single use of this node selection, as fixed nodes are not affected by forces.
fn pushed_only(place: &str) -> [String; 2] {
    let mesh = format!("mesh = {{ file = \"grouped.msh\" }}\n{MATTER}");
    [
        format!("{BRIEF}[[body]]\n{mesh}[[body.push]]\nwhere = {place}\nforce = [1, 2, 3]\n"),
        format!("{BRIEF}[[body]]\n{mesh}[[body.tether]]\nwhere = {place}\nstiffness = 10\n"),
    ]
}

/// A body of this mesh with a traction on the faces of this node selection.
fn loaded(mesh: &str, place: &str) -> String {
    let load = format!("[[body.traction]]\nwhere = {place}\nforce-per-area = [1, 2, 3]\n");
    format!("{BRIEF}[[body]]\n{mesh}{MATTER}{load}")
}

/// A scattered body with this `[time]` table: its tangents are indefinite.
fn scattered(time: &str) -> String {
    format!(
        "seed = 1\n[time]\nstep = 0.01\nuntil = 0.03\n{time}\n[[body]]\n{BOX}{MATTER}disturb = {{ scatter = 0.8 }}\n"
    )
}

/// A free body that rotates fast enough to gain energy under the midpoint rule.
fn spinning(rest: &str) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"implicit-midpoint\"\nstep = 0.033\nuntil = 0.5\n{rest}\n[[body]]\n\
         mesh = {{ box = {{ size = [1, 1, 1], cells = [2, 2, 2], element = \"tet4\" }} }}\n\
         material = {{ law = \"arap\", young = 1e5, poisson = 0.4, density = 1000 }}\nvelocity = {{ angular = [0, 15, 3] }}\n"
    )
}

/// Scenes with a kind of `[time.control]`: a smooth motion, and one in which steps of the given length fail.
pub fn controlled(kind: &str) -> [String; 2] {
    [
        format!(
            "[time]\nstep = 0.01\nuntil = 0.1\ncontrol = {{ kind = \"{kind}\" }}\n[[body]]\n{BOX}{MATTER}\
             velocity = {{ linear = [1, 2, 0], angular = [0, 5, 1] }}\n"
        ),
        format!(
            "gravity = [0, 0, 0]\n[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 0.02\ncalm-start = false\n\
             control = {{ kind = \"{kind}\" }}\n[solver]\nnewton = \"residual\"\nmax-iterations = 1\n[[body]]\n\
             mesh = {{ ball = {{ radius = 0.5, cells = 2, element = \"tet4\" }} }}\n\
             material = {{ young = 1e6, poisson = 0.4, density = 1000 }}\ndisturb = {{ scatter = 1.0, seed = 1 }}\n"
        ),
    ]
}

/// A scene with a kind of `[time.stabilise]`.
pub fn stabilised(kind: &str) -> String {
    spinning(&format!("stabilise = {{ kind = \"{kind}\" }}"))
}

/// A body that falls on an obstacle, with these keys of `[contact]`.
fn falling_on(obstacle: &str, contact: &str) -> String {
    format!(
        "{BRIEF}[[body]]\nname = \"first\"\nmesh = {{ box = {{ size = [1, 1, 1], cells = [2, 2, 2] }} }}\n{MATTER}\
         place = {{ translate = [0, 0.31, 0] }}\nvelocity = {{ linear = [0, -2, 0] }}\n\
         [[obstacle]]\nname = \"under\"\n{obstacle}\n[contact]\nkind = \"barrier\"\n{contact}\n"
    )
}

/// Scenes with obstacles of every shape, friction, self-contact, and pairs that pass through each other.
fn touching() -> Vec<String> {
    let obstacles = [
        "plane = { point = [0, 0.3, 0], normal = [0, 1, 0] }",
        "plane = { point = [0, 0.3, 0], normal = [0, 1, 0] }\nmotion = { shake = { axis = \"y\", amplitude = 0.02, frequency = 3 } }",
        "sphere = { center = [0.5, -0.7, 0.5], radius = 1 }",
        "box = { min = [-1, -1, -1], max = [2, 0.3, 2] }\nmotion = { keys = [{ t = 0.0 }, { t = 0.03, translate = [0, -0.01, 0], rotate-deg = [0, 0, -2] }] }",
        "box = { min = [-1, -1, -1], max = [2, 0.3, 2] }\nmotion = { speed = { translate = [0, -0.3, 0], rotate-deg = [0, 0, -20] } }",
        "box = { min = [-1, -1, -1], max = [2, 0.3, 2] }\nmotion = { samples = [[0, 0, 0, 0], [0.03, 0, -0.01, 0]] }",
        "capsule = { a = [-1, -0.2, 0.4], b = [2, -0.2, 0.4], radius = 0.5 }",
        "file = \"octahedron.obj\"\nplace = { translate = [0.5, -0.7, 0.5] }",
        "height-field = { size = [3, 3], heights = [[0.8, 0.8], [0.8, 0.8]], place = { translate = [-1, -0.5, -1] } }",
        "height-field = { size = [3, 3], file = \"flat.csv\", place = { translate = [-1, -0.5, -1] } }",
    ];
    let mut all: Vec<String> = obstacles
        .iter()
        .map(|o| falling_on(o, "reach = 0.02"))
        .collect();
    all.push(falling_on(obstacles[0], ""));
    all.push(falling_on(obstacles[0], "reach = 0.02\nfriction = 0.4"));
    all.push(format!(
        "{}[[event]]\nt = 0.01\nset = {{ friction = 0.1 }}\n",
        falling_on(obstacles[0], "reach = 0.02\nfriction = 0.4")
    ));
    all.push(falling_on(
        "plane = { point = [0, 0.4, 0], normal = [0, 1, 0] }",
        "reach = 0.02\nuntangle = true",
    ));
    all.push(falling_on(
        obstacles[0],
        "reach = 0.02\n[[contact.pair]]\na = \"first\"\nb = \"under\"",
    ));
    all.push(format!(
        "{}[[body]]\nname = \"second\"\n{BOX}{MATTER}place = {{ translate = [0, 5, 0] }}\n",
        falling_on(
            obstacles[0],
            "reach = 0.02\n[[contact.pair]]\na = \"first\"\nb = \"under\"\nignore = true"
        )
    ));
    let corrected = falling_on(
        obstacles[0],
        "rows = \"position\"\niterations = 1\ndamping = \"include\"",
    );
    let corrected = corrected.replace(
        "velocity = {",
        "damping = { stiffness = 0.01 }\nvelocity = {",
    );
    all.push(corrected.replace("\"barrier\"", "\"corrector\""));
    all
}

/// Spinning bars of bonds that break, with cracks.
fn bonded() -> Vec<String> {
    let scene = |time: &str, bonds: &str, crack: &str| {
        format!(
            "[time]\nmethod = \"newmark\"\nstep = 1e-3\nuntil = 8e-3\nfps = 500\n{time}\n[[body]]\n\
             mesh = {{ box = {{ size = [0.8, 0.2, 0.2], cells = [8, 2, 2] }} }}\nbonds = {bonds}\n\
             velocity = {{ angular = [0, 0, 25] }}\n[[body.crack]]\n{crack}\n"
        )
    };
    let strong = "{ horizon = 0.25, young = 1e6, critical-stretch = 0.004, strength-scatter = 0.3, seed = 4 }";
    let tough = "{ horizon = 0.25, micromodulus = 1e9, fracture-energy = 1.5, influence = \"linear\", calibrate = false }";
    let plane =
        "plane = { point = [0.25, 0, 0], normal = [1, 0, 0], min = [0, 0, 0], max = [1, 0.1, 1] }";
    let disc = "disc = { center = [0.25, 0, 0.1], normal = [1, 0, 0], radius = 0.1 }";
    let limit = "control = { kind = \"retreat\", break-limit = 5 }";
    vec![
        scene("", strong, plane),
        scene("", tough, disc),
        scene(limit, strong, disc),
    ]
}

/// All scenes in which keys are set.
pub fn bases() -> Vec<String> {
    let mut all = vec![
        held(),
        with("[[body.fix]]\nwhere = { x = 0 }")
            .replace(BRIEF, "[time]\nmethod = \"static\"\nsteps = 2\n"),
        with("disturb = { scatter = 0.01 }\nvelocity = { linear = [1, 0, 0] }"),
        with("material.viscosity = { shear = 1 }").replace(
            MATTER,
            "material.young = 1e4\nmaterial.poisson = 0.3\nmaterial.density = 1000\n",
        ),
        with("").replace(
            "young = 1e4, poisson = 0.3",
            "law = \"mooney-rivlin\", c10 = 1e3, c01 = 1e3, kappa = 1e4",
        ),
        scattered("method = \"implicit-midpoint\""),
        scattered("method = \"backward-euler\""),
        spinning("stabilise = {}"),
        spinning("[solver]\nnewton = \"local-global\""),
        moved("motion = { shake = { axis = \"x\", amplitude = 0.1, frequency = 3 } }"),
        moved("motion = { speed = { translate = [0.1, 0, 0], rotate-deg = [0, 0, 90] } }"),
        with(""),
        format!(
            "{}[[event]]\nt = 0.013\nset = {{ stiffness = 2, damping = {{ stiffness = 0.02 }} }}\n[[handle]]\nnode = 1\nstiffness = 300\n\
             motion = {{ samples = [[0.01, 1.5, 0, 0], [0.02, 1.6, 0.2, 0]] }}\n",
            held()
        ),
        moved("motion = { samples = [[0.0, 0, 0, 0], [0.03, 0.1, 0, 0]] }"),
        moved(
            "motion = { keys = [{ t = 0.0 }, { t = 0.03, translate = [0.1, 0, 0], rotate-deg = [0, 0, 20] }] }",
        ),
        format!(
            "{BRIEF}[[particle]]\nposition = [1, 0, 0]\nmass = 1\n[[particle]]\nposition = [0, 2, 0]\nmass = 2\n\
             [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 100\nrest = 0.5\n[[spring]]\na = 1\nb = 0\nstiffness = 10\n\
             [[probe]]\nname = \"point\"\nparticle = 0\n"
        ),
        format!(
            "{BRIEF}[[body]]\nmesh = {{ sheet = {{ size = [1, 1], cells = [2, 2] }} }}\nsprings = {{ stiffness = 100, density = 1 }}\n[[body.fix]]\nwhere = {{ x = 0 }}\n"
        ),
        format!(
            "{BRIEF}[[body]]\nmesh = {{ sheet = {{ size = [1, 1], cells = [2, 2] }} }}\nsprings = {{ stiffness = 100, mass = 1 }}\n[[body.fix]]\nwhere = {{ x = 0 }}\n"
        ),
    ];
    all.extend(
        [
            "{ box = { size = [1, 1, 1], cells = [2, 1, 1], element = \"tet4\" } }",
            "{ ball = { radius = 0.5, cells = 2 } }",
            "{ sheet = { size = [1, 1], cells = [2, 2], thickness = 0.1 } }",
            "{ cylinder = { radius = 0.5, height = 1, cells = 2 } }",
            "{ torus = { radius = 1, tube = 0.3, cells = 2 } }",
            "{ blob = { cells = 12 } }",
            "{ mould = { cells = 4, flutes = 2 } }",
            "{ file = \"octahedron.obj\", fill = { cell = 0.5 } }",
            "{ file = \"grouped.msh\" }",
        ]
        .map(meshed),
    );
    all.extend(touching());
    for place in [
        "{ group = \"left\" }",
        "{ min = [-0.1, -0.1, -0.1], max = [1.1, 0.9, 1.1] }",
        "{ near = [0, 0, 0] }",
        "{ nodes = [0] }",
        "{ sphere = { center = [0, 0, 0], radius = 0.9 } }",
        "{ x = 1 }",
        "{ y = 1 }",
        "{ z = 1 }",
        "\"all\"",
    ] {
        // A body that is fixed everywhere does not move.
        if place != "\"all\"" {
            all.push(chosen(place));
        }
        all.extend(pushed_only(place));
    }
    all.push(loaded(
        "mesh = { file = \"grouped.msh\" }\n",
        "{ group = \"left\" }",
    ));
    for place in [
        "{ min = [-0.1, -0.1, -0.1], max = [1.1, 1.1, 0.1] }",
        "{ nodes = [0, 1, 2, 3, 4, 5] }",
        "{ sphere = { center = [0, 0, 0], radius = 1.5 } }",
        "{ x = 1 }",
        "{ y = 1 }",
        "{ z = 1 }",
        "\"all\"",
    ] {
        all.push(loaded(BOX, place));
    }
    all.push(loaded(
        &format!("{BOX}place = {{ translate = [-1, -1, 0] }}\n"),
        "{ min = [-1.1, -1.1, -0.1], max = [1.1, 1.1, 0.1] }",
    ));
    for method in [
        "{ name = \"newmark\", beta = 0.3 }",
        "{ name = \"generalized-alpha\", rho-inf = 0.5 }",
        "{ name = \"siere\", modes = 2, refresh = 2 }",
        "{ name = \"dirk\", A = [[0.5, 0.0], [0.5, 0.5]], b = [0.5, 0.5] }",
        "{ name = \"rosenbrock\", alpha = [[0.0, 0.0], [1.0, 0.0]], Gamma = [[0.3, 0.0], [-0.6, 0.3]], b = [0.5, 0.5] }",
    ] {
        all.push(with("").replace("step = 0.01", &format!("method = {method}\nstep = 0.01")));
        let embedded = method.replace(" }", ", b-hat = [0.4, 0.6] }");
        if method.contains("b = ") {
            let controlled =
                format!("method = {embedded}\ncontrol.kind = \"embedded\"\nstep = 0.01");
            all.push(with("").replace("step = 0.01", &controlled));
        }
    }
    all.extend(bonded());
    all.push(with(
        "damping = { modal = [{ from-hz = 0.1, to-hz = 50.0, half-life = 1.0 }] }\n\
         velocity = { angular = [0, 1, 0] }\n[[body.fix]]\nwhere = { x = 0 }",
    ));
    all.push(format!(
        "{BRIEF}[[emit]]\nevery = 0.01\ncount = 2\nvelocity = {{ linear = [1, 0, 0], angular = [0, 1, 0] }}\n\
         place = {{ translate = [0, 1, 0] }}\n[emit.body]\nname = \"drop\"\n{BOX}{MATTER}"
    ));
    all.push(format!(
        "{BRIEF}[[particle]]\nposition = [0, 0.004, 0]\nvelocity = [1, -1, 0]\nmass = 1\n\
         [[obstacle]]\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\n\
         [contact]\nkind = \"penalty\"\nreach = 0.01\nstiffness = 1e4\nfriction = 0.2\nrestitution = 0.9\n"
    ));
    all
}
