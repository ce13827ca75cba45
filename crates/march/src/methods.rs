//! The registry: every method by name, with what it claims and where it comes from.

use crate::families::{
    alpha::AlphaMethod, bdf2::Bdf2, explicit, rosenbrock::Rosenbrock, runge_kutta::RungeKutta,
};
use crate::tables::{alpha, rosenbrock as ros, runge_kutta as rk};
use crate::{ErrorConstant, Newton, Stepper};

/// A method and its claims; tests hold the claims to measurements.
#[derive(Debug)]
pub struct Method {
    /// The name in scene files.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// Its second result, where its table has weights for one.
    pub embedded: Option<EmbeddedMethod>,
    /// How it treats stiff modes.
    pub stability: Stability,
    /// Where its numbers come from.
    pub provenance: Provenance,
    /// Citation.
    pub cite: &'static str,
    /// Keys it takes in `method = { name = …, … }`.
    pub parameters: &'static [&'static str],
    /// The family that runs it.
    pub family: Family,
}

/// What a table's second weights claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedMethod {
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// How it would treat stiff modes if it were marched with.
    pub stability: Stability,
}

/// What a method does to y′ = λy with Re λ ≤ 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// Stable for small steps only.
    Conditional,
    /// |R(z)| ≤ 1 in the left half plane.
    A,
    /// A-stable with R(∞) = 0.
    L,
}

impl Stability {
    /// The word used in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Stability::Conditional => "conditional",
            Stability::A => "A-stable",
            Stability::L => "L-stable",
        }
    }
}

/// Where a table comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Found in a source.
    Quoted,
    /// The original table was not to be had; solved anew from its stated properties, which leave free parameters.
    Derived,
}

impl Provenance {
    /// The word used in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Provenance::Quoted => "quoted",
            Provenance::Derived => "derived",
        }
    }
}

/// Which control flow runs a method, with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Explicit or diagonally implicit Runge–Kutta.
    RungeKutta(&'static rk::RungeKuttaTable),
    /// Rosenbrock.
    Rosenbrock(&'static ros::RosenbrockTable),
    /// Two-step backward differentiation.
    Bdf2,
    /// Newmark with keys `beta`, `gamma`.
    Newmark,
    /// Generalized-α with key `rho-inf`.
    GeneralizedAlpha,
    /// HHT-α with key `rho-inf`.
    HhtAlpha,
    /// Symplectic Euler.
    SymplecticEuler,
    /// Central differences.
    CentralDifference,
    /// A user's own Runge–Kutta table.
    UserRungeKutta,
    /// A user's own Rosenbrock table.
    UserRosenbrock,
}

/// Whether a method iterates to convergence or once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// As it is.
    Full,
    /// `s-`: one Newton iteration a stage.
    Semi,
}

/// Why a method cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// No method has this name.
    #[error("unknown method \"{name}\"")]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Explicit methods have no iteration to shorten.
    #[error(
        "\"{name}\" is explicit: it has no Newton iteration for the prefix \"s-\" to cut short; leave the prefix out"
    )]
    PrefixOnExplicit {
        /// The name without prefix.
        name: &'static str,
    },
    /// A key the method does not take.
    #[error("method \"{name}\" takes no key \"{key}\"{}", listed(.takes))]
    UnknownKey {
        /// The method.
        name: &'static str,
        /// The key.
        key: &'static str,
        /// The keys it takes.
        takes: &'static [&'static str],
    },
    /// A key is missing.
    #[error("method \"{name}\" needs the key \"{key}\"")]
    Missing {
        /// The method.
        name: &'static str,
        /// The key.
        key: &'static str,
    },
    /// A parameter outside its range.
    #[error("{key} = {value} is outside {range} for method \"{name}\"")]
    Range {
        /// The method.
        name: &'static str,
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
        /// The values allowed.
        range: &'static str,
    },
    /// A user's table that is no method.
    #[error("the table of method \"{name}\" is not usable: {why}")]
    Table {
        /// The method.
        name: &'static str,
        /// The reason, with numbers.
        why: String,
    },
}

fn listed(takes: &[&str]) -> String {
    if takes.is_empty() {
        "; it takes none".into()
    } else {
        format!("; it takes {}", takes.join(", "))
    }
}

/// Spectral radius at infinity of α-methods, unless told otherwise.
const DEFAULT_RHO_INF: f64 = 0.8;

/// Error constant of methods of higher order that one Newton iteration makes second-order accurate: that of Taylor's
/// third term, as theirs depends on the force.
const SEMI_IMPLICIT_ERROR_CONSTANT: f64 = 1.0 / 6.0;

/// A method chosen by name, prefix included.
#[derive(Clone, Copy, Debug)]
pub struct MethodChoice {
    /// The method.
    pub method: &'static Method,
    /// Its prefix.
    pub prefix: Prefix,
}

/// Finds a method by its name in scene files; `s-` and the alias `semi-implicit` included.
pub fn find(name: &str) -> Result<MethodChoice, MethodError> {
    let unknown = || MethodError::Unknown { name: name.into() };
    let by_name = |n: &str| METHODS.iter().find(|m| m.name == n);
    if name == "semi-implicit" {
        return find("s-backward-euler");
    }
    if let Some(method) = by_name(name) {
        return Ok(MethodChoice {
            method,
            prefix: Prefix::Full,
        });
    }
    let method = name
        .strip_prefix("s-")
        .and_then(by_name)
        .ok_or_else(unknown)?;
    if !method.is_implicit() {
        return Err(MethodError::PrefixOnExplicit { name: method.name });
    }
    Ok(MethodChoice {
        method,
        prefix: Prefix::Semi,
    })
}

/// Every name [`find`] knows, aliases last.
pub fn names() -> Vec<String> {
    let plain = METHODS.iter().map(|m| m.name.to_string());
    let semi = METHODS
        .iter()
        .filter(|m| m.is_implicit())
        .map(|m| format!("s-{}", m.name));
    plain
        .chain(semi)
        .chain(["semi-implicit".to_string()])
        .collect()
}

impl MethodChoice {
    /// The full name.
    pub fn name(&self) -> String {
        match self.prefix {
            Prefix::Full => self.method.name.into(),
            Prefix::Semi => format!("s-{}", self.method.name),
        }
    }

    /// The order claimed: one iteration from a state O(h) away is second-order accurate, no more.
    pub fn order(&self) -> u32 {
        self.effective_order(self.method.order)
    }

    /// What is claimed of the second result, where the method's table has weights for one.
    pub fn embedded(&self) -> Option<EmbeddedMethod> {
        self.method.embedded.map(|e| EmbeddedMethod {
            order: self.effective_order(e.order),
            ..e
        })
    }

    /// The leading error constant C of a method whose table has no second result: the error of a step is C h^(p+1) times
    /// the derivative of that order, p being [`MethodChoice::order`]. `None` for tables of the scene file, whose order is not
    /// known.
    pub fn error_constant(&self, p: &Parameters) -> Option<ErrorConstant> {
        let order = self.order();
        Some(ErrorConstant::Fixed(match self.method.family {
            Family::RungeKutta(_) if order < self.method.order => SEMI_IMPLICIT_ERROR_CONSTANT,
            Family::RungeKutta(table) => error_constant::of_runge_kutta(table, order),
            Family::Bdf2 => return Some(ErrorConstant::Bdf2),
            Family::Newmark => error_constant::of_alpha(&newmark(p).ok()?),
            Family::GeneralizedAlpha => {
                let rho = p.rho_inf.unwrap_or(DEFAULT_RHO_INF);
                error_constant::of_alpha(&alpha::generalized(rho))
            }
            Family::HhtAlpha => {
                let rho = p.rho_inf.unwrap_or(DEFAULT_RHO_INF);
                error_constant::of_alpha(&alpha::hht(rho))
            }
            // x + h v + h² a against the exact ½ h² a.
            Family::SymplecticEuler => 0.5,
            Family::CentralDifference => error_constant::of_alpha(&alpha::newmark(0.0, 0.5)),
            Family::Rosenbrock(_) | Family::UserRungeKutta | Family::UserRosenbrock => return None,
        }))
    }

    fn effective_order(&self, order: u32) -> u32 {
        match (self.prefix, self.method.family) {
            (Prefix::Full, _) | (_, Family::Rosenbrock(_)) => order,
            (Prefix::Semi, _) => order.min(2),
        }
    }

    /// A stepper at its beginning. `newton` is the iteration of full methods.
    pub fn stepper(&self, p: &Parameters, newton: Newton) -> Result<Box<dyn Stepper>, MethodError> {
        self.method.check_keys(p)?;
        let newton = if self.prefix == Prefix::Semi {
            Newton::SingleIteration
        } else {
            newton
        };
        Ok(match self.method.family {
            Family::RungeKutta(table) => Box::new(RungeKutta::new(table, newton)),
            Family::Rosenbrock(table) => Box::new(Rosenbrock::new(table)),
            Family::Bdf2 => Box::new(Bdf2::new(newton)),
            Family::Newmark => Box::new(AlphaMethod::new(newmark(p)?, newton)),
            Family::GeneralizedAlpha => {
                let rho = ranged(
                    "generalized-alpha",
                    p.rho_inf.unwrap_or(DEFAULT_RHO_INF),
                    0.0,
                    "[0, 1]",
                )?;
                Box::new(AlphaMethod::new(alpha::generalized(rho), newton))
            }
            Family::HhtAlpha => {
                let rho = ranged(
                    "hht-alpha",
                    p.rho_inf.unwrap_or(DEFAULT_RHO_INF),
                    0.5,
                    "[0.5, 1]",
                )?;
                Box::new(AlphaMethod::new(alpha::hht(rho), newton))
            }
            Family::SymplecticEuler => Box::new(explicit::SymplecticEuler::default()),
            Family::CentralDifference => Box::new(explicit::CentralDifference::default()),
            Family::UserRungeKutta => Box::new(user_tables::runge_kutta(p, newton)?),
            Family::UserRosenbrock => Box::new(user_tables::rosenbrock(p)?),
        })
    }
}

fn newmark(p: &Parameters) -> Result<alpha::AlphaParameters, MethodError> {
    let (beta, gamma) = (p.beta.unwrap_or(0.25), p.gamma.unwrap_or(0.5));
    for (key, value) in [("beta", beta), ("gamma", gamma)] {
        if !(value > 0.0 && value <= 1.0) {
            return Err(MethodError::Range {
                name: "newmark",
                key,
                value,
                range: "(0, 1]",
            });
        }
    }
    Ok(alpha::newmark(beta, gamma))
}

fn ranged(
    name: &'static str,
    rho: f64,
    least: f64,
    range: &'static str,
) -> Result<f64, MethodError> {
    if (least..=1.0).contains(&rho) {
        Ok(rho)
    } else {
        Err(MethodError::Range {
            name,
            key: "rho-inf",
            value: rho,
            range,
        })
    }
}

impl Method {
    /// Whether stages are solved by Newton's method (so that `s-` means something).
    pub fn is_implicit(&self) -> bool {
        match self.family {
            Family::RungeKutta(table) => table
                .a
                .iter()
                .any(|row| row.last().is_some_and(|x| *x != 0.0)),
            Family::SymplecticEuler | Family::CentralDifference => false,
            _ => true,
        }
    }

    fn check_keys(&self, p: &Parameters) -> Result<(), MethodError> {
        match p.given().find(|key| !self.parameters.contains(key)) {
            Some(key) => Err(MethodError::UnknownKey {
                name: self.name,
                key,
                takes: self.parameters,
            }),
            None => Ok(()),
        }
    }
}

mod error_constant;
mod parameters;
mod registry;
mod user_tables;
pub use parameters::{PARAMETERS, Parameter, ParameterForm, Parameters};
pub use registry::METHODS;
