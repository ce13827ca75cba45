//! The scenes of the trials, as texts of scene files. `{method}` is a placeholder.

/// A trial: a scene and the steps at which it runs.
pub struct Trial {
    /// Name on the command line and in the table.
    pub name: &'static str,
    /// Steps, s.
    pub steps: &'static [f64],
    /// Text of the scene without `[time]`.
    pub body: String,
    /// End time, s.
    pub until: f64,
    /// Files that the scene reads: name and text.
    pub files: Vec<(&'static str, String)>,
}

impl Trial {
    /// Text of the scene with a method and a step (s).
    pub fn scene(&self, method: &str, step: f64) -> String {
        let until = self.until;
        let fps = (1.0 / step).min(50.0);
        let title = self.name;
        let time = format!(
            "[time]\nmethod = \"{method}\"\nstep = {step:?}\nuntil = {until:?}\nfps = {fps:?}\n"
        );
        // Keys of the scene itself come before its tables.
        let (keys, tables) = self.body.split_once("[[").unwrap_or((&self.body, ""));
        format!("title = \"{title}\"\n{keys}\n{time}\n[[{tables}")
    }
}

/// All trials in full size, or small.
pub fn trials(small: bool) -> Vec<Trial> {
    vec![
        mat(small),
        rollers(small),
        funnel(small),
        bullet(small),
        folds(small),
        hundred(small),
        ball(),
        cubes(),
    ]
}

/// A mat whose ends turn against each other by four turns together and come nearer; one turn if small.
fn mat(small: bool) -> Trial {
    let (cells, thick, turns, near, until) = if small {
        ("[20, 1, 7]", 0.05, 0.5, 0.28, 1.0)
    } else {
        ("[50, 1, 20]", 0.02, 2.0, 0.2, 4.0)
    };
    let [left, right] = [-360.0 * turns, 360.0 * turns];
    let end = |x: f64, angle: f64, shift: f64| {
        format!(
            "[[body.fix]]\nwhere = {{ x = {x:?} }}\nmotion = {{ about = [{x:?}, {:?}, 0.2], keys = [{{ t = 0.0 }}, {{ t = {until:?}, rotate-deg = [{angle:?}, 0, 0], translate = [{shift:?}, 0, 0] }}] }}\n",
            0.5 * thick
        )
    };
    let body = format!(
        "gravity = [0, 0, 0]
[[body]]
name = \"mat\"
mesh = {{ box = {{ size = [1.0, {thick:?}, 0.4], cells = {cells} }} }}
material = {{ law = \"stable-neo-hookean\", young = 2e4, poisson = 0.4, density = 1000 }}
{}{}
[contact]
kind = \"barrier\"
self = true
",
        end(0.0, left, near),
        end(1.0, right, -near),
    );
    Trial {
        name: "mat",
        steps: &[0.04],
        body,
        until,
        files: Vec::new(),
    }
}

/// A soft ball that gravity pulls through the gap of two turning rollers.
fn rollers(small: bool) -> Trial {
    let cells = if small { 8 } else { 13 };
    let roller = |name: &str, x: f64, angle: f64| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\ncapsule = {{ a = [{x:?}, 0, -0.3], b = [{x:?}, 0, 0.3], radius = 0.1 }}\nmotion = {{ keys = [{{ t = 0.0 }}, {{ t = 1.0, rotate-deg = [0, 0, {angle:?}] }}] }}\n"
        )
    };
    let body = format!(
        "[[body]]
name = \"ball\"
mesh = {{ ball = {{ radius = 0.1, cells = {cells} }} }}
place = {{ translate = [0, 0.19, 0] }}
material = {{ law = \"stable-neo-hookean\", young = 2e4, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -0.5, 0] }}
{}{}
[contact]
kind = \"barrier\"
self = true
",
        roller("left", -0.17, -360.0),
        roller("right", 0.17, 360.0),
    );
    Trial {
        name: "rollers",
        steps: &[0.01],
        body,
        until: if small { 0.3 } else { 0.6 },
        files: Vec::new(),
    }
}

/// A soft ball that falls through a funnel, a mesh, whose neck is narrower than the ball.
fn funnel(small: bool) -> Trial {
    let cells = if small { 8 } else { 13 };
    let body = format!(
        "[[body]]
name = \"ball\"
mesh = {{ ball = {{ radius = 0.1, cells = {cells} }} }}
place = {{ translate = [0.005, 0.25, 0] }}
material = {{ law = \"stable-neo-hookean\", young = 1e4, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -1, 0] }}
[[obstacle]]
name = \"funnel\"
file = \"funnel.obj\"
[contact]
kind = \"barrier\"
self = true
"
    );
    Trial {
        name: "funnel",
        steps: &[0.01],
        body,
        until: if small { 0.3 } else { 0.8 },
        files: vec![("funnel.obj", funnel_mesh(if small { 16 } else { 32 }))],
    }
}

/// An open funnel around the y axis as an OBJ file: rings of vertices and the triangles between them.
fn funnel_mesh(around: usize) -> String {
    use std::fmt::Write;
    // Radius and height of each ring, m.
    let rings = [(0.075, -0.12), (0.075, 0.0), (0.16, 0.1), (0.25, 0.2)];
    let mut text = String::new();
    for (radius, y) in rings {
        for k in 0..around {
            let (s, c) = (std::f64::consts::TAU * k as f64 / around as f64).sin_cos();
            // Writing into a String cannot fail.
            let _ = writeln!(text, "v {} {y} {}", radius * c, radius * s);
        }
    }
    for ring in 0..rings.len() - 1 {
        for k in 0..around {
            let at = |r: usize, k: usize| r * around + k % around + 1;
            let [a, b] = [at(ring, k), at(ring, k + 1)];
            let [c, d] = [at(ring + 1, k), at(ring + 1, k + 1)];
            let _ = writeln!(text, "f {a} {b} {c}\nf {b} {d} {c}");
        }
    }
    text
}

/// A ball at 100 m/s against a thin sheet held at its edges: at 33 ms it flies 3.3 m in a step, the sheet is 5 mm thick.
fn bullet(small: bool) -> Trial {
    let (cells, ball) = if small { (9, 3) } else { (22, 4) };
    let mut body = format!(
        "gravity = [0, 0, 0]
[[body]]
name = \"sheet\"
mesh = {{ sheet = {{ size = [0.4, 0.4], cells = [{cells}, {cells}], thickness = 0.005 }} }}
material = {{ law = \"stable-neo-hookean\", young = 1e6, poisson = 0.4, density = 1000 }}
"
    );
    for side in ["x = 0.0", "x = 0.4", "y = 0.0", "y = 0.4"] {
        body += &format!("[[body.fix]]\nwhere = {{ {side} }}\n");
    }
    body += &format!(
        "[[body]]
name = \"bullet\"
mesh = {{ ball = {{ radius = 0.02, cells = {ball} }} }}
place = {{ translate = [0.205, 0.197, 0.5] }}
material = {{ law = \"stable-neo-hookean\", young = 1e6, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, 0, -100] }}
[contact]
kind = \"barrier\"
self = true
"
    );
    Trial {
        name: "bullet",
        steps: &[0.033],
        body,
        until: 0.33,
        files: Vec::new(),
    }
}

/// Two thin strips that fall upright on a floor, buckle and fold onto themselves and each other.
fn folds(small: bool) -> Trial {
    let (cells, thick) = if small {
        ("[4, 24, 1]", 0.02)
    } else {
        ("[8, 60, 1]", 0.01)
    };
    let strip = |name: &str, z: f64, tilt: f64| {
        format!(
            "[[body]]
name = \"{name}\"
mesh = {{ box = {{ size = [0.12, 0.8, {thick:?}], cells = {cells} }} }}
place = {{ translate = [0, 0.02, {z:?}], rotate-deg = [{tilt:?}, 0, 0] }}
material = {{ law = \"stable-neo-hookean\", young = 1e5, poisson = 0.3, density = 500 }}
damping = {{ stiffness = 0.002 }}
"
        )
    };
    let body = format!(
        "{}{}[[obstacle]]
name = \"floor\"
plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
[contact]
kind = \"barrier\"
self = true
",
        strip("first", 0.0, 1.0),
        strip("second", 0.06, -1.0),
    );
    Trial {
        name: "folds",
        steps: &[0.02],
        body,
        until: if small { 0.4 } else { 1.0 },
        files: Vec::new(),
    }
}

/// A hundred balls of 64 vertices each poured into a box; eight if small.
fn hundred(small: bool) -> Trial {
    let (layers, wide) = if small { (2, 2) } else { (4, 5) };
    let radius = 0.05;
    let half = 0.5 * (wide as f64 * 2.3 * radius + 0.01);
    let mut body = String::new();
    for k in 0..layers {
        for i in 0..wide {
            for j in 0..wide {
                let place =
                    |n: usize, shift: f64| 2.3 * radius * (n as f64 + 0.5) - half + 0.005 + shift;
                // Layers are shifted a little, so that balls do not stand on top of each other.
                let shift = 0.004 * ((k * 7 + i * 3 + j * 5) % 5) as f64 / 4.0 - 0.002;
                let y = 0.07 + 2.3 * radius * k as f64;
                body += &format!(
                    "[[body]]
mesh = {{ file = \"pebble.mesh\" }}
place = {{ translate = [{:?}, {y:?}, {:?}] }}
material = {{ law = \"stable-neo-hookean\", young = 5e4, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -1, 0] }}
",
                    place(i, shift),
                    place(j, -shift),
                );
            }
        }
    }
    for (point, normal) in [
        ([0.0, 0.0, 0.0], [0, 1, 0]),
        ([-half, 0.0, 0.0], [1, 0, 0]),
        ([half, 0.0, 0.0], [-1, 0, 0]),
        ([0.0, 0.0, -half], [0, 0, 1]),
        ([0.0, 0.0, half], [0, 0, -1]),
    ] {
        body += &format!("[[obstacle]]\nplane = {{ point = {point:?}, normal = {normal:?} }}\n");
    }
    body += "[contact]\nkind = \"barrier\"\n";
    Trial {
        name: "hundred",
        steps: &[0.033, 0.005],
        body,
        until: if small { 0.1 } else { 0.5 },
        files: vec![("pebble.mesh", ball_mesh(3, radius))],
    }
}

/// A soft ball of 9³ = 729 vertices that falls on a plane.
fn ball() -> Trial {
    let body = "[[body]]
name = \"ball\"
mesh = { file = \"ball.mesh\" }
place = { translate = [0.0, 3.5, 0.0] }
material = { law = \"stable-neo-hookean\", young = 6e5, poisson = 0.48, density = 1000 }
[[obstacle]]
name = \"floor\"
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[contact]
kind = \"barrier\"
";
    Trial {
        name: "ball",
        steps: &[0.005],
        body: body.into(),
        until: 1.2,
        files: vec![("ball.mesh", ball_mesh(8, 0.5))],
    }
}

/// A ball as a Medit file: a grid of `cells` cells a side whose cubes are mapped radially onto spheres, each cell cut into six
/// tetrahedra around its diagonal.
fn ball_mesh(cells: usize, radius: f64) -> String {
    use std::fmt::Write;
    let side = cells + 1;
    let mut text = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n",
        side.pow(3)
    );
    for n in 0..side.pow(3) {
        let p = [n % side, n / side % side, n / (side * side)]
            .map(|i| 2.0 * i as f64 / cells as f64 - 1.0);
        let largest = p.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = radius * if length > 0.0 { largest / length } else { 0.0 };
        let [x, y, z] = p.map(|x| scale * x);
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{x} {y} {z} 0");
    }
    let _ = writeln!(text, "Tetrahedra\n{}", 6 * cells.pow(3));
    // Steps along the axes from the first corner of a cell to the opposite one, and the orientation of the tetrahedron.
    let strides = [1, side, side * side];
    let orders = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [1, 0, 2],
        [0, 2, 1],
        [2, 1, 0],
    ];
    for n in 0..cells.pow(3) {
        let [i, j, k] = [n % cells, n / cells % cells, n / (cells * cells)];
        let first = i + side * (j + side * k) + 1;
        for (number, [a, b, _]) in orders.into_iter().enumerate() {
            let second = first + strides[a];
            let third = second + strides[b];
            let last = first + strides.iter().sum::<usize>();
            let [second, third] = if number < 3 {
                [second, third]
            } else {
                [third, second]
            };
            let _ = writeln!(text, "{first} {second} {third} {last} 0");
        }
    }
    text + "End\n"
}

/// Two cubes of 216 vertices each, of which one falls on the other, which stands on a plane.
fn cubes() -> Trial {
    let cube = |name: &str, x: f64, y: f64, speed: f64| {
        format!(
            "[[body]]
name = \"{name}\"
mesh = {{ box = {{ size = [0.2, 0.2, 0.2], cells = [5, 5, 5], element = \"tet4\" }} }}
place = {{ translate = [{x:?}, {y:?}, 0.0] }}
material = {{ law = \"stable-neo-hookean\", young = 1e5, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, {speed:?}, 0] }}
"
        )
    };
    let body = format!(
        "{}{}[[obstacle]]
name = \"floor\"
plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}
[contact]
kind = \"barrier\"
",
        cube("lower", 0.0, 0.01, 0.0),
        cube("upper", 0.03, 0.25, -1.0),
    );
    Trial {
        name: "cubes",
        steps: &[0.005],
        body,
        until: 0.3,
        files: Vec::new(),
    }
}
