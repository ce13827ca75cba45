//! List of all methods, one line for each.

use super::{AdditiveStages::*, EmbeddedMethod, Family, Method, Provenance, Stability};
use exponential::additive::AdditiveScheme;

use crate::tables::{rosenbrock as ros, runge_kutta as rk};

use Provenance::{Derived, Quoted};
use Stability::{A, Conditional, L};

const fn method(
    name: &'static str,
    description: &'static str,
    order: u32,
    stability: Stability,
    family: Family,
    cite: &'static str,
) -> Method {
    Method {
        name,
        description,
        order,
        embedded: None,
        stability,
        family,
        cite,
        provenance: Quoted,
        parameters: &[],
    }
}

impl Method {
    const fn derived(self) -> Method {
        Method {
            provenance: Derived,
            ..self
        }
    }

    const fn with_embedded(self, order: u32, stability: Stability) -> Method {
        Method {
            embedded: Some(EmbeddedMethod { order, stability }),
            ..self
        }
    }

    const fn with_parameters(self, parameters: &'static [&'static str]) -> Method {
        Method { parameters, ..self }
    }
}

/// Load steps of statics: the equilibrium of the loads at a series of load factors. It is no integrator and has no order
/// in time, so it is not one of [`METHODS`]; `order` and `stability` have no meaning.
#[rustfmt::skip]
pub static STATIC: Method = method("static", "no integrator: equilibrium of the loads in load steps, without inertia; takes time.steps instead of time.step", 0, Conditional, Family::Static, "Wriggers 2008, ch. 5");

/// Keys of methods with modes.
const MODAL: &[&str] = &["modes", "refresh"];

/// All methods of the registry.
#[rustfmt::skip]
pub static METHODS: &[Method] = &[
    method("forward-euler", "explicit Euler: one force evaluation per step; gains energy", 1, Conditional, Family::RungeKutta(&rk::FORWARD_EULER), "Euler 1768"),
    method("symplectic-euler", "updates velocities, then positions: one force evaluation per step; energy bounded at small steps", 1, Conditional, Family::SymplecticEuler, "de Vogelaere 1956"),
    method("explicit-midpoint", "two-stage Runge–Kutta: two force evaluations per step", 2, Conditional, Family::RungeKutta(&rk::EXPLICIT_MIDPOINT), "Runge 1895").with_embedded(1, Conditional),
    method("rk4", "classical Runge–Kutta: four force evaluations per step", 4, Conditional, Family::RungeKutta(&rk::RK4), "Kutta 1901"),
    method("central-difference", "velocity Verlet: one force evaluation per step; energy bounded at small steps", 2, Conditional, Family::CentralDifference, "Newmark 1959, beta = 0; Verlet 1967"),
    method("backward-euler", "stable at any step; strong numerical damping at all frequencies", 1, L, Family::RungeKutta(&rk::BACKWARD_EULER), "Löschner et al. 2020, eq. 3"),
    method("implicit-midpoint", "symplectic; conserves angular momentum and, for linear forces, energy", 2, A, Family::RungeKutta(&rk::IMPLICIT_MIDPOINT), "Dinev et al. 2018, eqs. 5–6"),
    method("trapezoid", "trapezoidal rule: no numerical damping", 2, A, Family::RungeKutta(&rk::TRAPEZOID), "Linearized Force Error, sec. 3.3"),
    method("newmark", "Newmark's method; average acceleration by default", 2, A, Family::Newmark, "Newmark 1959").with_parameters(&["beta", "gamma"]),
    method("generalized-alpha", "controlled damping of high frequencies: rho-inf from 1 (none) to 0 (annihilation in one step)", 2, A, Family::GeneralizedAlpha, "Chung & Hulbert 1993; Ascher et al. 2021, sec. 3.2").with_parameters(&["rho-inf"]),
    method("hht-alpha", "Hilber–Hughes–Taylor: controlled damping of high frequencies, rho-inf from 1 (none) to 0.5", 2, A, Family::HhtAlpha, "Hilber, Hughes & Taylor 1977").with_parameters(&["rho-inf"]),
    method("bdf2", "two-step backward differentiation formula with variable steps", 2, L, Family::Bdf2, "Ascher et al. 2021, eq. 7 (corrected: E8)"),
    method("sdirk2", "two stages; lively at large steps (low numerical damping)", 2, L, Family::RungeKutta(&rk::SDIRK2), "Alexander 1977; Löschner et al. 2020, sec. 5.1").with_embedded(1, Conditional),
    method("sdirk3", "three stages", 3, L, Family::RungeKutta(&rk::SDIRK3), "Alexander 1977; Löschner et al. 2020, sec. 5.1").with_embedded(2, A),
    method("tr-bdf2", "trapezoidal rule, then BDF2, gamma = 2 - sqrt 2: both stages share one matrix", 2, L, Family::RungeKutta(&rk::TR_BDF2), "Bank et al. 1985; Ascher et al. 2021, eq. 9").with_embedded(3, Conditional),
    method("tr-bdf2-bathe", "trapezoidal rule over half the step, then BDF2 (gamma = 1/2)", 2, L, Family::RungeKutta(&rk::TR_BDF2_BATHE), "Bathe 2007; Löschner et al. 2020, sec. 5.1; Ascher et al. 2021, eq. 8").with_embedded(3, Conditional),
    method("sdirk-ncs23", "two stages, order three, R(inf) = -0.73", 3, A, Family::RungeKutta(&rk::SDIRK_NCS23), "Nørsett 1974; Crouzeix 1975; Löschner et al. 2020, sec. 5.1"),
    method("sdirk-nc34", "three stages, order four, R(inf) = 0.63", 4, A, Family::RungeKutta(&rk::SDIRK_NC34), "Nørsett 1974; Crouzeix 1975; Löschner et al. 2020, sec. 5.1"),
    method("sdirk-3345", "three stages, order three, low dispersion and dissipation", 3, A, Family::RungeKutta(&rk::SDIRK_3345), "after Franco, Gómez & Rández 1997 (E18); Löschner et al. 2020, sec. 5.1").derived(),
    method("sdirk-4347", "four stages, order three, lower dissipation", 3, A, Family::RungeKutta(&rk::SDIRK_4347), "after Franco, Gómez & Rández 1997 (E18); Löschner et al. 2020, sec. 5.1").derived(),
    method("sdirk-4447", "fourth order, same stability function as sdirk-4347", 4, A, Family::RungeKutta(&rk::SDIRK_4447), "derived from the properties of sdirk-4347 (E18)").derived(),
    method("ilddirk22", "two stages, zero dissipation, minimal dispersion", 2, A, Family::RungeKutta(&rk::ILDDIRK22), "after Giri & Sen 2020 (E18); Löschner et al. 2020, sec. 5.1").derived(),
    method("ros3p", "Rosenbrock, three stages, one factorization per step, R(inf) = -0.73", 3, A, Family::Rosenbrock(&ros::ROS3P), "Lang & Verwer 2001; form of Löschner et al. 2020, eqs. 11–13").with_embedded(2, A),
    method("ros3pl", "Rosenbrock, four stages, one factorization per step", 3, L, Family::Rosenbrock(&ros::ROS3PL), "Lang & Teleaga 2008; Löschner et al. 2020, sec. 5.2").with_embedded(2, A),
    method("ros3prl", "Rosenbrock, four stages, no order reduction on stiff Prothero–Robinson problems", 3, L, Family::Rosenbrock(&ros::ROS3PRL), "Rang 2015; form of Löschner et al. 2020, eqs. 11–13").with_embedded(2, A),
    method("ros3prl2", "Rosenbrock, four stages, no order reduction on stiff Prothero–Robinson problems", 3, L, Family::Rosenbrock(&ros::ROS3PRL2), "Rang 2015; Löschner et al. 2020, sec. 5.2").with_embedded(2, A),
    method("rodas3", "Rosenbrock, four stages, rational coefficients", 3, L, Family::Rosenbrock(&ros::RODAS3), "Sandu et al. 1997; form of Löschner et al. 2020, eqs. 11–13").with_embedded(2, L),
    method("rodas4", "Rosenbrock, six stages, order four", 4, L, Family::Rosenbrock(&ros::RODAS4), "Hairer & Wanner 1996; form of Löschner et al. 2020, eqs. 11–13").with_embedded(3, L),
    method("ere", "exponential Rosenbrock–Euler: exact for linear forces; products with the Jacobian grow with the stiffness", 2, A, Family::ExponentialEuler, "Ascher et al. 2021, eq. 17 (with the term of ∂f/∂t)"),
    method("siere", "exact on the lowest modes, one Newton iteration of backward Euler on the rest", 1, A, Family::Additive(AdditiveScheme::BackwardEuler, Linearised), "Ascher et al. 2021, eq. 20").with_parameters(MODAL),
    method("be-ere", "exact on the lowest modes, backward Euler on the rest", 1, A, Family::Additive(AdditiveScheme::BackwardEuler, Iterated), "Ascher et al. 2021, eq. 19").with_parameters(MODAL),
    method("bdf2-ere", "BDF2 with exponentials on the modes below hω = 0.8, which it damps", 2, L, Family::Additive(AdditiveScheme::Bdf2, Iterated), "Ascher et al. 2021, eqs. 21–22 (corrected: E11)").with_parameters(MODAL),
    method("str-sbdf2-ere", "TR-BDF2, one Newton iteration a stage, with exponentials on the modes below hω = 4.5", 2, L, Family::Additive(AdditiveScheme::TrBdf2, Linearised), "Ascher et al. 2021, eq. 26 (corrected: E11, E20)").with_parameters(MODAL),
    method("tr-bdf2-ere", "TR-BDF2 with exponentials on the modes below hω = 4.5", 2, L, Family::Additive(AdditiveScheme::TrBdf2, Iterated), "Ascher et al. 2021, sec. 4, end (corrected: E11, E20)").with_parameters(MODAL),
    method("tr-bdf2-ere-exact", "TR-BDF2 on the rest, exact on the lowest modes at any step", 2, A, Family::Additive(AdditiveScheme::ExactTrBdf2, Iterated), "after Ascher et al. 2021, eq. 26: weights that are exact on the modes (E20)").with_parameters(MODAL).derived(),
    method("dirk", "your own diagonally implicit tableau", 1, Conditional, Family::UserRungeKutta, "the scene file").with_parameters(&["A", "b", "b-hat", "c"]),
    method("rosenbrock", "your own Rosenbrock coefficients", 1, Conditional, Family::UserRosenbrock, "the scene file").with_parameters(&["alpha", "Gamma", "b", "b-hat"]),
];
