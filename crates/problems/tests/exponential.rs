//! Exponential methods: orders with fresh and old modes, exactness on linear systems, momentum of free bodies.

use march::methods::Refresh;
use march::{
    At, Curvature, MethodMemory, Newton, Options, Parameters, State, Stepper, System, TimeLoop,
    Weights, find,
};
use problems::Chain;
use sparse::{Matrix, Pattern};

const METHODS: [&str; 9] = [
    "ere",
    "siere",
    "be-ere",
    "bdf2-ere",
    "s-bdf2-ere",
    "str-sbdf2-ere",
    "tr-bdf2-ere",
    "tr-bdf2-ere-exact",
    "s-tr-bdf2-ere-exact",
];

fn stepper(name: &str, modes: u32, refresh: Refresh) -> Box<dyn Stepper> {
    let p = match name {
        "ere" => Parameters::default(),
        _ => Parameters {
            modes: Some(modes),
            refresh: Some(refresh),
            ..Parameters::default()
        },
    };
    find(name).unwrap().stepper(&p, Newton::Minimise).unwrap()
}

fn run(
    stepper: Box<dyn Stepper>,
    system: &mut dyn System,
    start: &State,
    h: f64,
    steps: u32,
) -> State {
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    let mut time = TimeLoop::fixed(stepper, options, start.clone(), h);
    let end = start.t + f64::from(steps) * h;
    time.run(system, end, &mut |_, _| true).unwrap();
    time.state().clone()
}

fn difference(a: &State, b: &State) -> f64 {
    let pairs = a.u.iter().zip(&b.u).chain(a.v.iter().zip(&b.v));
    pairs.fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

/// Forced, damped, nonlinear chain of 16 masses with a known motion; three modes are less than a quarter of its unknowns.
fn forced() -> Chain {
    let mut chain = Chain::new(16);
    (chain.stiffness, chain.hardening) = (2.0, 4.0);
    (chain.damping, chain.cubic_damping) = (0.1, 0.2);
    chain.motion = (0..16)
        .map(|i| {
            let i = f64::from(i);
            [0.3 * (0.9 * i).cos(), 0.8 + 0.05 * i, 0.7 * i]
        })
        .collect();
    chain
}

#[test]
fn orders_do_not_depend_on_the_age_of_the_modes() {
    let end = 2.0;
    for refresh in [Refresh::Steps(1), Refresh::Once] {
        for name in METHODS {
            let claimed = f64::from(find(name).unwrap().order());
            let error = |steps: u32| {
                let mut chain = forced();
                let (start, truth) = (chain.exact(0.0), chain.exact(end));
                let h = end / f64::from(steps);
                let s = run(stepper(name, 3, refresh), &mut chain, &start, h, steps);
                difference(&s, &truth)
            };
            let steps = if claimed > 1.5 { 80 } else { 320 };
            let order = (error(steps) / error(2 * steps)).log2();
            assert!(
                (order - claimed).abs() < 0.2,
                "{name}, {refresh:?}: order {order:.3}, claimed {claimed}"
            );
        }
    }
}

/// Linear springs and dampers without load.
fn linear() -> (Chain, State) {
    let mut chain = Chain::new(12);
    (chain.stiffness, chain.damping) = (300.0, 0.4);
    let wave = |p: f64| (0..12).map(|i| (1.3 * f64::from(i) + p).sin()).collect();
    let start = State {
        t: 0.0,
        u: wave(0.2),
        v: wave(1.1),
    };
    (chain, start)
}

#[test]
fn ere_is_exact_on_linear_systems_at_any_step() {
    let (mut chain, start) = linear();
    let mut end = |h: f64, steps: u32| {
        let stepper = stepper("ere", 0, Refresh::Once);
        run(stepper, &mut chain, &start, h, steps)
    };
    let fine = end(0.01, 400);
    for (h, steps) in [(0.1, 40), (1.0, 4), (4.0, 1)] {
        let error = difference(&end(h, steps), &fine);
        assert!(error < 1e-10, "h = {h}: {error:e}");
    }
}

/// With all modes the methods that are exact on them are exact.
#[test]
fn methods_are_exact_with_all_modes_of_a_linear_system() {
    let (mut chain, start) = linear();
    let exact = run(stepper("ere", 0, Refresh::Once), &mut chain, &start, 0.5, 6);
    for name in ["siere", "be-ere", "tr-bdf2-ere-exact"] {
        let s = run(
            stepper(name, 12, Refresh::Angle),
            &mut chain,
            &start,
            0.5,
            6,
        );
        let error = difference(&s, &exact);
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

/// Plane truss of unit masses that nothing holds: springs of force k (l − l₀) between all pairs of points.
struct Truss {
    rest: Vec<[f64; 2]>,
    mass: Matrix,
    stiffness: Vec<f64>,
    scale: f64,
    /// Spring constant of every third pair; the others have 1 N/m.
    stiff: f64,
}

impl Truss {
    fn new(points: usize) -> Truss {
        let rest = (0..points)
            .map(|i| {
                let a = i as f64;
                [a.sqrt() * (2.4 * a).cos(), a.sqrt() * (2.4 * a).sin()]
            })
            .collect();
        let n = 2 * points;
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mass = Matrix::identity(Pattern::new(n, pairs));
        Truss {
            rest,
            mass,
            stiffness: vec![0.0; n * n],
            scale: 1.0,
            stiff: 1.0,
        }
    }

    /// Returns the displacements that turn the truss about the origin.
    fn turned(&self, angle: f64) -> Vec<f64> {
        let (s, c) = angle.sin_cos();
        let of = |x: &[f64; 2]| [c * x[0] - s * x[1] - x[0], s * x[0] + c * x[1] - x[1]];
        self.rest.iter().flat_map(of).collect()
    }

    /// Returns the kinetic and the elastic energy.
    fn energy(&mut self, s: &State) -> f64 {
        let kinetic: f64 = s.v.iter().map(|v| 0.5 * v * v).sum();
        kinetic + self.potential(s.t, &s.u).unwrap()
    }

    fn spring_constant(&self, i: usize, j: usize) -> f64 {
        if (i + j).is_multiple_of(3) {
            self.stiff
        } else {
            1.0
        }
    }

    /// Calls `see` with the ends of each spring, the vector between them and its length now and at rest.
    fn springs(&self, u: &[f64], mut see: impl FnMut(usize, usize, [f64; 2], f64, f64)) {
        for i in 0..self.rest.len() {
            for j in 0..i {
                let d0 = [0, 1].map(|k| self.rest[i][k] - self.rest[j][k]);
                let d = [0, 1].map(|k| d0[k] + u[2 * i + k] - u[2 * j + k]);
                see(i, j, d, d[0].hypot(d[1]), d0[0].hypot(d0[1]));
            }
        }
    }
}

impl System for Truss {
    fn dofs(&self) -> usize {
        self.mass.n()
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        f.fill(0.0);
        self.springs(at.u, |i, j, d, l, l0| {
            for k in 0..2 {
                let p = self.spring_constant(i, j) * (l - l0) * d[k] / l;
                f[2 * i + k] -= p;
                f[2 * j + k] += p;
            }
        });
        self.scale = f.iter().map(|f| f * f).sum::<f64>().sqrt().max(1e-3);
    }

    fn tangent(&mut self, at: At, w: Weights, _c: Curvature, out: &mut Matrix) {
        let n = self.dofs();
        let mut stiffness = vec![0.0; n * n];
        self.springs(at.u, |i, j, d, l, l0| {
            for a in 0..2 {
                for b in 0..2 {
                    let unit = if a == b { 1.0 } else { 0.0 };
                    let along = d[a] * d[b] / (l * l);
                    let k = along + (1.0 - l0 / l) * (unit - along);
                    let k = self.spring_constant(i, j) * k;
                    for (x, y, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                        stiffness[(2 * x + a) * n + 2 * y + b] += sign * k;
                    }
                }
            }
        });
        self.stiffness = stiffness;
        out.ensure_pattern(self.mass.pattern());
        for i in 0..n {
            for j in 0..=i {
                let k = self.mass.pattern().find(i, j).unwrap();
                let unit = if i == j { 1.0 } else { 0.0 };
                out.values_mut()[k] = w.mass * unit + w.stiffness * self.stiffness[i * n + j];
            }
        }
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.mass.pattern().clone())
    }

    fn tangent_times(&mut self, du: &[f64], _dv: &[f64], y: &mut [f64]) {
        let n = self.dofs();
        for i in 0..n {
            y[i] = (0..n).map(|j| self.stiffness[i * n + j] * du[j]).sum();
        }
    }

    fn potential(&mut self, _t: f64, u: &[f64]) -> Option<f64> {
        let mut sum = 0.0;
        self.springs(u, |i, j, _, l, l0| {
            sum += 0.5 * self.spring_constant(i, j) * (l - l0).powi(2);
        });
        Some(sum)
    }

    fn dissipation(&mut self, _t: f64, _v: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn force_scale(&self) -> f64 {
        self.scale
    }
}

/// A free body turns and deforms; translations are a part of its rigid modes, old or new.
#[test]
fn free_bodies_keep_their_linear_momentum() {
    for refresh in [Refresh::Once, Refresh::Steps(3)] {
        for name in METHODS {
            let mut truss = Truss::new(7);
            let n = truss.dofs();
            let start = State {
                t: 0.0,
                u: (0..n).map(|i| 0.1 * (1.9 * i as f64).sin()).collect(),
                v: (0..n).map(|i| (0.7 * i as f64).cos() + 0.3).collect(),
            };
            let momentum = |s: &State, k: usize| -> f64 { s.v.iter().skip(k).step_by(2).sum() };
            let end = run(stepper(name, 5, refresh), &mut truss, &start, 0.05, 40);
            for k in 0..2 {
                let change = momentum(&end, k) - momentum(&start, k);
                assert!(change.abs() < 1e-10, "{name}, {refresh:?}: {change:e}");
            }
            assert!(difference(&end, &start) > 0.5, "{name} hardly moved");
        }
    }
}

/// Modes of a truss before it was turned by 0.3 rad have a share of stiff motion. Small vibrations under such modes do not
/// gain energy, at steps of 0.01 to 100 times the period of the stiffest one over 2π.
#[test]
fn stale_modes_do_not_amplify() {
    for name in METHODS.into_iter().filter(|n| *n != "ere") {
        for h in [1e-4, 1e-3, 1e-2, 0.1, 1.0] {
            let mut truss = Truss::new(8);
            truss.stiff = 1e4;
            let n = truss.dofs();
            let at_rest = State {
                t: 0.0,
                u: vec![0.0; n],
                v: vec![0.0; n],
            };
            let stepper = stepper(name, 6, Refresh::Once);
            let mut time = TimeLoop::fixed(stepper, Options::default(), at_rest, h);
            time.run(&mut truss, h, &mut |_, _| true).unwrap();
            let mut saved = time.save(&truss);
            saved.state.u = truss.turned(0.3);
            saved.state.v = (0..n).map(|i| 1e-5 * (1.7 * i as f64).sin()).collect();
            if let MethodMemory::Modal { base, .. } = &mut saved.method {
                **base = MethodMemory::None;
            }
            let start = truss.energy(&saved.state);
            time.restore(&mut truss, &saved).unwrap();
            for _ in 0..200 {
                let end = time.state().t + h;
                time.run(&mut truss, end, &mut |_, _| true).unwrap();
                let energy = truss.energy(time.state());
                assert!(
                    energy < 1.02 * start,
                    "{name}, h = {h}: {energy:e} J after {} s, {start:e} J at the start",
                    time.state().t
                );
            }
        }
    }
}
