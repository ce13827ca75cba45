//! The scenes of the trials, as texts of scene files. `{method}` is a placeholder.

use base::random::Random;

#[path = "meshes.rs"]
mod meshes;

use meshes::{ball_mesh, die_mesh, funnel_mesh};

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
    let (cells, size, turns, near, until) = if small {
        ("[20, 1, 7]", [1.0, 0.05, 0.4], 0.5, 0.28, 1.0)
    } else {
        ("[72, 1, 13]", [1.0, 0.02, 0.25], 2.0, 0.1, 6.0)
    };
    let damping = if small {
        ""
    } else {
        "damping = { stiffness = 0.02 }\n"
    };
    let [left, right] = [-360.0 * turns, 360.0 * turns];
    let end = |x: f64, angle: f64, shift: f64| {
        format!(
            "[[body.fix]]\nwhere = {{ x = {x:?} }}\nmotion = {{ about = [{x:?}, {:?}, {:?}], keys = [{{ t = 0.0 }}, {{ t = {until:?}, rotate-deg = [{angle:?}, 0, 0], translate = [{shift:?}, 0, 0] }}] }}\n",
            0.5 * size[1],
            0.5 * size[2],
        )
    };
    let body = format!(
        "gravity = [0, 0, 0]
[[body]]
name = \"mat\"
mesh = {{ box = {{ size = {size:?}, cells = {cells} }} }}
material = {{ law = \"stable-neo-hookean\", young = 2e4, poisson = 0.4, density = 1000 }}
{damping}{}{}
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

/// A hundred dice of rubber, 64 vertices each, poured into a box; eight if small.
fn hundred(small: bool) -> Trial {
    let (layers, wide, until) = if small { (2, 2, 0.1) } else { (4, 5, 0.6) };
    let spacing = 0.12;
    let half = 0.5 * (wide as f64 * spacing + 0.01);
    // Each die is turned by up to 20 degrees about each axis.
    let mut random = Random::new(1);
    let mut body = String::new();
    for k in 0..layers {
        for i in 0..wide {
            for j in 0..wide {
                let [x, y, z] = [i, k, j].map(|n| spacing * (n as f64 + 0.5));
                let turn = [0, 1, 2].map(|_| 20.0 * random.signed());
                body += &format!(
                    "[[body]]
mesh = {{ file = \"die.mesh\" }}
place = {{ translate = [{:?}, {:?}, {:?}], rotate-deg = {turn:.1?} }}
material = {{ law = \"stable-neo-hookean\", young = 5e5, poisson = 0.4, density = 1000 }}
velocity = {{ linear = [0, -0.5, 0] }}
",
                    x - half + 0.005,
                    y + 0.01,
                    z - half + 0.005,
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
    body += "[contact]\nkind = \"barrier\"\nreach = 0.005\n";
    Trial {
        name: "hundred",
        steps: &[0.033, 0.005],
        body,
        until,
        files: vec![("die.mesh", die_mesh(3, 0.08))],
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
