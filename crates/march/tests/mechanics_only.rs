//! A system that implements only the mechanics can be integrated, booked, tracked and controlled.

use march::{
    At, Curvature, Newton, Options, Parameters, Positions, State, System, TimeLoop, Weights, find,
};
use sparse::{Matrix, Pattern};

/// Pendulum of unit mass and length: Π = g (1 − cos u).
struct Pendulum {
    mass: Matrix,
    slope: f64,
    scale: f64,
}

const GRAVITY: f64 = 9.81;

impl Pendulum {
    fn new() -> Pendulum {
        let mut mass = Matrix::new(Pattern::new(1, []));
        mass.values_mut()[0] = 1.0;
        Pendulum {
            mass,
            slope: 0.0,
            scale: 0.0,
        }
    }
}

impl System for Pendulum {
    fn dofs(&self) -> usize {
        1
    }

    fn mass(&self) -> &Matrix {
        &self.mass
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        f[0] = -GRAVITY * at.u[0].sin();
        self.scale = f[0].abs();
    }

    fn tangent(&mut self, at: At, w: Weights, _c: Curvature, out: &mut Matrix) {
        self.slope = GRAVITY * at.u[0].cos();
        out.values_mut()[0] = w.mass + w.stiffness * self.slope;
    }

    fn zero_matrix(&self) -> Matrix {
        Matrix::new(self.mass.pattern().clone())
    }

    fn tangent_times(&mut self, du: &[f64], _dv: &[f64], y: &mut [f64]) {
        y[0] = self.slope * du[0];
    }

    fn potential(&mut self, _t: f64, u: &[f64]) -> Option<f64> {
        Some(GRAVITY * (1.0 - u[0].cos()))
    }

    fn dissipation(&mut self, _t: f64, _v: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn force_scale(&self) -> f64 {
        self.scale
    }
}

#[test]
fn a_pendulum_needs_no_measures_of_its_own() {
    let start = State {
        t: 0.0,
        u: vec![1.0],
        v: vec![0.0],
    };
    let energy = GRAVITY * (1.0 - 1f64.cos());
    for (name, lossy) in [
        ("backward-euler", true),
        ("implicit-midpoint", false),
        ("sdirk3", false),
    ] {
        let method = find(name).unwrap();
        let stepper = method.stepper(&Parameters::default(), Newton::Minimise);
        let mut pendulum = Pendulum::new();
        let mut time = TimeLoop::fixed(stepper.unwrap(), Options::default(), start.clone(), 0.01);
        time.keep_ledger(&mut pendulum);
        let (mut booked, mut residual) = (0.0, 0.0);
        time.run(&mut pendulum, 1.0, &mut |_, step| {
            booked += step.entry.numerical + step.entry.residual;
            residual += step.entry.residual.abs();
            assert_eq!((step.entry.damping, step.entry.work), (0.0, 0.0));
            true
        })
        .unwrap();
        let end = time.energy().unwrap();
        let s = time.state();
        let kinetic = 0.5 * s.v[0] * s.v[0];
        assert!((end.kinetic - kinetic).abs() < 1e-15);
        assert!((end.strain - GRAVITY * (1.0 - s.u[0].cos())).abs() < 1e-15);
        // The whole energy change is numerical or due to the residual.
        assert!((end.total() - energy - booked).abs() < 1e-12, "{name}");
        assert!(residual < 1e-6, "{name}: residual {residual}");
        let lost = energy - end.total();
        assert_eq!(lost > 1e-2 * energy, lossy, "{name} lost {lost} J");
    }
}

#[test]
fn missing_optional_traits_have_defaults() {
    let mut pendulum = Pendulum::new();
    let system: &mut dyn System = &mut pendulum;
    let (u, v) = ([0.5], [-2.0]);
    let at = At {
        t: 0.0,
        u: &u,
        v: &v,
    };
    let powers = system.powers(at, &[3.0]);
    assert!((powers.residual - (3.0 + GRAVITY * 0.5f64.sin()) * -2.0).abs() < 1e-14);
    assert_eq!(system.exchange_power(at, &[3.0]), 0.0);
    assert_eq!(system.max_speed(at), 2.0);
    let mut momenta = vec![1.0];
    system.angular_momenta(at, &mut momenta);
    assert!(momenta.is_empty());
    let mut rigid = [1.0];
    system.rigid_velocity(at, &mut rigid);
    assert_eq!(rigid, [0.0]);
    assert!(!system.has_forbidden_states());
    let end = Positions::new(0.0, &[9.0]);
    assert_eq!(system.max_step(at.positions(), end), 1.0);
    assert!(system.constant_matrix().is_none());
    let mut y = [7.0];
    assert!(!system.damping_derivative(at, &[1.0], &mut y));
    assert_eq!(y, [7.0]);
}
