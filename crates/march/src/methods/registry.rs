//! One entry a method.

use super::{EmbeddedMethod, Family, Method, Provenance, Stability};
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

    const fn embeds(self, order: u32, stability: Stability) -> Method {
        Method {
            embedded: Some(EmbeddedMethod { order, stability }),
            ..self
        }
    }

    const fn with(self, parameters: &'static [&'static str]) -> Method {
        Method { parameters, ..self }
    }
}

/// Every method there is.
#[rustfmt::skip]
pub static METHODS: &[Method] = &[
    method("forward-euler", "explicit Euler: one force a step; gains energy", 1, Conditional, Family::RungeKutta(&rk::FORWARD_EULER), "Euler 1768"),
    method("symplectic-euler", "velocities first, then positions: one force a step, keeps energy on average", 1, Conditional, Family::SymplecticEuler, "de Vogelaere 1956"),
    method("explicit-midpoint", "two forces a step", 2, Conditional, Family::RungeKutta(&rk::EXPLICIT_MIDPOINT), "Runge 1895").embeds(1, Conditional),
    method("rk4", "the classical Runge-Kutta method: four forces a step", 4, Conditional, Family::RungeKutta(&rk::RK4), "Kutta 1901"),
    method("central-difference", "velocity Verlet: one force a step, keeps energy on average", 2, Conditional, Family::CentralDifference, "Newmark 1959, beta = 0; Verlet 1967"),
    method("backward-euler", "stable at any step and damps everything", 1, L, Family::RungeKutta(&rk::BACKWARD_EULER), "000 eq. (3)"),
    method("implicit-midpoint", "symplectic; keeps angular momentum and, for linear forces, energy", 2, A, Family::RungeKutta(&rk::IMPLICIT_MIDPOINT), "004 eqs. (5)-(6)"),
    method("trapezoid", "no damping at any frequency", 2, A, Family::RungeKutta(&rk::TRAPEZOID), "001 sec. 3.3"),
    method("newmark", "Newmark's method, average acceleration unless told otherwise", 2, A, Family::Newmark, "Newmark 1959").with(&["beta", "gamma"]),
    method("generalized-alpha", "damps high frequencies as far as asked: rho-inf from 1 (none) to 0 (all at once)", 2, A, Family::GeneralizedAlpha, "Chung & Hulbert 1993; 003 sec. 3.2").with(&["rho-inf"]),
    method("hht-alpha", "damps high frequencies: rho-inf from 1 (none) to 0.5", 2, A, Family::HhtAlpha, "Hilber, Hughes & Taylor 1977").with(&["rho-inf"]),
    method("bdf2", "two-step backward differentiation, variable steps", 2, L, Family::Bdf2, "003 eq. (7), corrected"),
    method("sdirk2", "two stages, L-stable, lively at large steps", 2, L, Family::RungeKutta(&rk::SDIRK2), "Alexander 1977; 000").embeds(1, Conditional),
    method("sdirk3", "three stages, L-stable", 3, L, Family::RungeKutta(&rk::SDIRK3), "Alexander 1977; 000").embeds(2, A),
    method("tr-bdf2", "trapezoid then BDF2, gamma = 2 - sqrt 2: one matrix for both", 2, L, Family::RungeKutta(&rk::TR_BDF2), "Bank et al. 1985; 003 eq. (9)").embeds(3, Conditional),
    method("tr-bdf2-bathe", "trapezoid to the middle, then BDF2", 2, L, Family::RungeKutta(&rk::TR_BDF2_BATHE), "Bathe 2007; 000; 003 eq. (8)").embeds(3, Conditional),
    method("sdirk-ncs23", "two stages, order three, R(inf) = -0.73", 3, A, Family::RungeKutta(&rk::SDIRK_NCS23), "Norsett 1974; Crouzeix 1975; 000"),
    method("sdirk-nc34", "three stages, order four, R(inf) = 0.63", 4, A, Family::RungeKutta(&rk::SDIRK_NC34), "Norsett 1974; Crouzeix 1975; 000"),
    method("sdirk-3345", "three stages, order three, low dispersion and dissipation", 3, A, Family::RungeKutta(&rk::SDIRK_3345), "after Franco, Gomez & Randez 1997; 000").derived(),
    method("sdirk-4347", "four stages, order three, lower dissipation", 3, A, Family::RungeKutta(&rk::SDIRK_4347), "after Franco, Gomez & Randez 1997; 000").derived(),
    method("sdirk-4447", "the fourth-order relative of sdirk-4347", 4, A, Family::RungeKutta(&rk::SDIRK_4447), "derived from the properties of sdirk-4347").derived(),
    method("ilddirk22", "two stages, no dissipation, least dispersion", 2, A, Family::RungeKutta(&rk::ILDDIRK22), "after Giri & Sen 2020; 000").derived(),
    method("ros3p", "Rosenbrock, three stages, one factorization a step, R(inf) = -0.73", 3, A, Family::Rosenbrock(&ros::ROS3P), "Lang & Verwer 2001; 000").embeds(2, A),
    method("ros3pl", "Rosenbrock, four stages, one factorization a step", 3, L, Family::Rosenbrock(&ros::ROS3PL), "Lang & Teleaga 2008; 000").embeds(2, A),
    method("ros3prl", "Rosenbrock, four stages, made for stiff forcing", 3, L, Family::Rosenbrock(&ros::ROS3PRL), "Rang 2015; 000").embeds(2, A),
    method("ros3prl2", "Rosenbrock, four stages, made for stiff forcing", 3, L, Family::Rosenbrock(&ros::ROS3PRL2), "Rang 2015; 000").embeds(2, A),
    method("rodas3", "Rosenbrock, four stages, rational coefficients", 3, L, Family::Rosenbrock(&ros::RODAS3), "Sandu et al. 1997; 000").embeds(2, L),
    method("rodas4", "Rosenbrock, six stages, order four", 4, L, Family::Rosenbrock(&ros::RODAS4), "Hairer & Wanner 1996; 000").embeds(3, L),
    method("dirk", "your own diagonally implicit table", 1, Conditional, Family::UserRungeKutta, "the scene file").with(&["A", "b", "b-hat", "c"]),
    method("rosenbrock", "your own Rosenbrock table", 1, Conditional, Family::UserRosenbrock, "the scene file").with(&["alpha", "Gamma", "b", "b-hat"]),
];
