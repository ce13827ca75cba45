//! A system that wraps a model and checks, with its own determinants, every evaluated state and every queried path.

use march::ledger::{Energy, Powers};
use march::{
    AdmissiblePaths, At, Blocker, Change, ConstantMatrix, Curvature, DampingUpdate,
    PositionDamping, Positions, State, StateMeasures, System, Weights,
};
use mesh::element::Element;
use solid::model::{Model, PrescribedNodes};
use sparse::Matrix;

use crate::common::Body;

/// Distance, m, below which two states count as equal; they may differ by rounding.
const NEAR: f64 = 1e-9;
/// Number of points at which an admissible path is checked.
const SAMPLES: u32 = 24;

/// A straight path and its admissible fraction.
struct Segment {
    t: [f64; 2],
    from: Vec<f64>,
    to: Vec<f64>,
    /// Admissible fraction.
    free: f64,
}

impl Segment {
    /// Returns `true` if a state lies on the admissible part.
    fn holds(&self, at: Positions) -> bool {
        let (mut along, mut square) = (0.0, 0.0);
        for i in 0..at.u.len() {
            let d = self.to[i] - self.from[i];
            along += d * (at.u[i] - self.from[i]);
            square += d * d;
        }
        // Only the boundary moves: the time determines the fraction.
        let s = if square > 0.0 {
            along / square
        } else if self.t[1] != self.t[0] {
            (at.t - self.t[0]) / (self.t[1] - self.t[0])
        } else {
            0.0
        };
        let s = s.clamp(0.0, self.free);
        let t = self.t[0] + s * (self.t[1] - self.t[0]);
        // A curved motion of the boundary leaves the chord, so only its ends are known to be admissible.
        let on_time = (t - at.t).abs() <= 1e-9 && (self.t[0] == self.t[1] || s == 0.0 || s == 1.0);
        let near =
            |i: usize| (self.from[i] + s * (self.to[i] - self.from[i]) - at.u[i]).abs() < NEAR;
        on_time && (0..at.u.len()).all(near)
    }
}

/// A model whose evaluations are checked.
pub struct Guard {
    pub model: Model,
    element: Element,
    nodes: Vec<u32>,
    rest: Vec<[f64; 3]>,
    prescribed: Vec<PrescribedNodes>,
    /// Node and axis of each unknown, as 3 · node + axis.
    free: Vec<usize>,
    segments: Vec<Segment>,
    /// Whether every path must start at a state that was reached before.
    pub connected: bool,
    /// Number of evaluated states, and the smallest determinant among them.
    pub states: u64,
    pub least: f64,
    /// Numbers of queried and of blocked paths.
    pub paths: u64,
    pub blocked: u64,
    /// Whether the system offers [`AdmissiblePaths`] to the solver.
    pub reports_paths: bool,
}

impl Guard {
    pub fn new(model: Model, body: &Body, prescribed: Vec<PrescribedNodes>) -> Guard {
        let count = body.rest.len();
        let index: Vec<[f64; 3]> = (0..count)
            .map(|i| [0, 1, 2].map(|k| (3 * i + k) as f64))
            .collect();
        let free = model.restrict(&index).iter().map(|&i| i as usize).collect();
        Guard {
            model,
            element: Element::of(body.kind).unwrap(),
            nodes: body.nodes.clone(),
            rest: body.rest.clone(),
            prescribed,
            free,
            segments: Vec::new(),
            connected: true,
            states: 0,
            least: f64::INFINITY,
            paths: 0,
            blocked: 0,
            reports_paths: true,
        }
    }

    /// Positions of all nodes.
    fn positions(&self, at: Positions) -> Vec<[f64; 3]> {
        let mut x = self.rest.clone();
        for fix in &self.prescribed {
            for &i in &fix.nodes {
                let rest = self.rest[i as usize];
                let [u, ..] = fix.motion.at(at.t, rest);
                for k in (0..3).filter(|&k| fix.axes[k]) {
                    x[i as usize][k] = rest[k] + u[k];
                }
            }
        }
        for (&place, u) in self.free.iter().zip(at.u) {
            x[place / 3][place % 3] += u;
        }
        x
    }

    /// Smallest det F over all integration points at a fraction of a straight path, and its element.
    pub fn least_on_path(&self, from: Positions, to: Positions, s: f64) -> (f64, usize) {
        let [a, b] = [self.positions(from), self.positions(to)];
        let mix = |(a, b): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
        self.least_determinant_and_element(&a.iter().zip(&b).map(mix).collect::<Vec<_>>())
    }

    /// Smallest det F over all integration points.
    fn least_determinant(&self, x: &[[f64; 3]]) -> f64 {
        self.least_determinant_and_element(x).0
    }

    /// Smallest det F over all integration points, as a ratio of volumes, and its element.
    fn least_determinant_and_element(&self, x: &[[f64; 3]]) -> (f64, usize) {
        let n = self.element.kind.node_count();
        let mut least = (f64::INFINITY, 0);
        for (element, own) in self.nodes.chunks_exact(n).enumerate() {
            for point in &self.element.points {
                let [now, then] = [x, &self.rest].map(|x| {
                    let mut j = [[0.0; 3]; 3];
                    for (&i, dn) in own.iter().zip(&point.dn) {
                        for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                            j[r][c] += x[i as usize][r] * dn[c];
                        }
                    }
                    let [a, b, c] = j;
                    a[0] * (b[1] * c[2] - b[2] * c[1])
                        + a[1] * (b[2] * c[0] - b[0] * c[2])
                        + a[2] * (b[0] * c[1] - b[1] * c[0])
                });
                if now / then < least.0 {
                    least = (now / then, element);
                }
            }
        }
        least
    }

    /// Checks a state at which the model is evaluated: det F > 0, and reached by admissible paths.
    fn check_state(&mut self, at: Positions, what: &str) {
        let least = self.least_determinant(&self.positions(at));
        self.states += 1;
        self.least = self.least.min(least);
        if !self.reports_paths {
            return;
        }
        assert!(least > 0.0, "{what} at t = {}: det F = {least:e}", at.t);
        assert!(
            self.segments.is_empty() || self.segments.iter().rev().any(|s| s.holds(at)),
            "{what} at t = {}: no free path leads there",
            at.t
        );
    }

    /// Checks a queried path: det F > 0 on its admissible part, and not beyond.
    fn check_path(&mut self, from: Positions, to: Positions, free: f64) {
        self.paths += 1;
        self.blocked += u64::from(free < 1.0);
        let [a, b] = [self.positions(from), self.positions(to)];
        let between = |s: f64| -> Vec<[f64; 3]> {
            let mix = |(a, b): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
            a.iter().zip(&b).map(mix).collect()
        };
        for k in 0..SAMPLES {
            let s = free * f64::from(k) / f64::from(SAMPLES);
            let least = self.least_determinant(&between(s));
            assert!(least > 0.0 || free == 0.0, "{least:e} at {s} of {free}");
        }
        // At the end of the admissible part det F is zero up to rounding.
        let least = self.least_determinant(&between(free));
        assert!(least > -1e-13 || free == 0.0, "{least:e} at {free}");
        if free < 1.0 {
            let least = self.least_determinant(&between(free + 1e-9));
            // The rounding error of the determinants grows with the length of the path, in sizes of a cell.
            let far = a.iter().flatten().zip(b.iter().flatten());
            let far = far.fold(1.0, |m: f64, (a, b)| m.max((a - b).abs() / 0.03));
            assert!(
                least < 1e-6 + 1e-13 * far.powi(3),
                "a path is cut at {free} where det F = {least:e}"
            );
        }
        assert!((0.0..=1.0).contains(&free));
        let known = self.segments.iter().rev().any(|s| s.holds(from));
        assert!(
            known || !self.connected,
            "a path at t = {} starts nowhere",
            from.t
        );
        self.segments.push(Segment {
            t: [from.t, to.t],
            from: from.u.to_vec(),
            to: to.u.to_vec(),
            free,
        });
    }

    /// Starts the record of paths at a state.
    fn begin(&mut self, at: Positions) {
        self.segments.clear();
        self.segments.push(Segment {
            t: [at.t; 2],
            from: at.u.to_vec(),
            to: at.u.to_vec(),
            free: 1.0,
        });
    }
}

impl System for Guard {
    fn force(&mut self, at: At, f: &mut [f64]) {
        self.check_state(at.positions(), "force");
        self.model.force(at, f);
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        self.check_state(at.positions(), "tangent");
        self.model.tangent(at, w, c, out);
    }

    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64> {
        self.check_state(Positions::new(t, u), "potential");
        self.model.potential(t, u)
    }

    fn prepare(&mut self, at: At) -> Change {
        self.begin(at.positions());
        self.check_state(at.positions(), "start");
        self.model.prepare(at)
    }

    fn commit(&mut self, at: At) {
        self.check_state(at.positions(), "accepted step");
        self.begin(at.positions());
        self.model.commit(at);
    }

    fn dofs(&self) -> usize {
        self.model.dofs()
    }

    fn mass(&self) -> &Matrix {
        self.model.mass()
    }

    fn zero_matrix(&self) -> Matrix {
        self.model.zero_matrix()
    }

    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]) {
        self.model.tangent_times(du, dv, y);
    }

    fn force_rate(&mut self, at: At, ft: &mut [f64]) {
        self.check_state(at.positions(), "force rate");
        self.model.force_rate(at, ft);
    }

    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64> {
        self.model.dissipation(t, v)
    }

    fn has_lagged_potential(&self) -> bool {
        self.model.has_lagged_potential()
    }

    fn force_scale(&self) -> f64 {
        self.model.force_scale()
    }

    fn apply_velocity_damping(&mut self, h: f64, s: &mut State) -> Option<f64> {
        self.model.apply_velocity_damping(h, s)
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }

    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        self.model.constant_matrix()
    }

    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        let forbids = self.reports_paths && self.model.admissible_paths().is_some();
        forbids.then_some(self as &mut dyn AdmissiblePaths)
    }

    fn position_damping(&mut self) -> Option<&mut dyn PositionDamping> {
        let damped = self.model.position_damping().is_some();
        damped.then_some(self as &mut dyn PositionDamping)
    }
}

impl StateMeasures for Guard {
    fn energy_at(&mut self, at: At) -> Energy {
        self.check_state(at.positions(), "energy");
        self.model.energy_at(at)
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        self.model.powers(at, a)
    }

    fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        self.model.exchange_power(at, a)
    }

    fn rigid_velocity(&mut self, at: At, out: &mut [f64]) {
        self.model.rigid_velocity(at, out);
    }

    fn angular_momenta(&mut self, at: At, out: &mut Vec<f64>) {
        self.model.angular_momenta(at, out);
    }

    fn set_angular_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        self.model.set_angular_momenta(u, wanted, v);
    }
}

impl AdmissiblePaths for Guard {
    fn max_step(&mut self, from: Positions, to: Positions) -> f64 {
        let free = self.model.max_step(from, to);
        self.check_path(from, to, free);
        free
    }

    fn blocker(&mut self, from: Positions, to: Positions) -> Option<Blocker> {
        self.model.blocker(from, to)
    }
}

impl PositionDamping for Guard {
    fn update_damping(&mut self, at: At, update: DampingUpdate) -> f64 {
        self.check_state(at.positions(), "damping");
        self.model.update_damping(at, update)
    }

    fn damping_derivative(&mut self, at: At, du: &[f64], y: &mut [f64]) {
        self.model.damping_derivative(at, du, y);
    }
}
