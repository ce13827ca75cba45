//! Registry of methods: names, declared properties and sources.

use crate::families::{
    alpha::AlphaMethod,
    bdf2::Bdf2,
    explicit,
    exponential::{AdditiveExponential, ExponentialRosenbrockEuler},
    rosenbrock::Rosenbrock,
    runge_kutta::RungeKutta,
    static_equilibrium::StaticEquilibrium,
};
use crate::tables::{alpha, error_constant, rosenbrock as ros, runge_kutta as rk};
use crate::{ErrorConstant, Newton, Stepper};
pub use exponential::additive::AdditiveScheme;

/// Method of the registry with its declared properties, which tests compare with measurements.
#[derive(Debug)]
pub struct Method {
    /// Name in scene files.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// Properties of the embedded method, if the table has embedded weights.
    pub embedded: Option<EmbeddedMethod>,
    /// Linear stability.
    pub stability: Stability,
    /// Origin of the coefficients.
    pub provenance: Provenance,
    /// Citation of the source (see docs/references.md).
    pub cite: &'static str,
    /// Keys accepted in `method = { name = …, … }`.
    pub parameters: &'static [&'static str],
    /// Family that implements the method, with its coefficients.
    pub family: Family,
}

/// Declared properties of an embedded method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedMethod {
    /// Order of convergence on smooth problems.
    pub order: u32,
    /// Linear stability of the embedded method if used by itself.
    pub stability: Stability,
}

/// Linear stability: behaviour on y′ = λy with Re λ ≤ 0.
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
    /// Returns the name used in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Stability::Conditional => "conditional",
            Stability::A => "A-stable",
            Stability::L => "L-stable",
        }
    }
}

/// Origin of a table of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Published coefficients.
    Quoted,
    /// Derived by us from the published properties, which leave free parameters; the original was not available
    /// (docs/references.md, E18).
    Derived,
}

impl Provenance {
    /// Returns the name used in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Provenance::Quoted => "quoted",
            Provenance::Derived => "derived",
        }
    }
}

/// Family of methods and the coefficients of one member.
#[derive(Clone, Copy, Debug)]
pub enum Family {
    /// Explicit or diagonally implicit Runge–Kutta method.
    RungeKutta(&'static rk::RungeKuttaTable),
    /// Rosenbrock method.
    Rosenbrock(&'static ros::RosenbrockTable),
    /// Two-step backward differentiation formula.
    Bdf2,
    /// Newmark's method with keys `beta`, `gamma`.
    Newmark,
    /// Generalized-α method with key `rho-inf`.
    GeneralizedAlpha,
    /// HHT-α method with key `rho-inf`.
    HhtAlpha,
    /// Symplectic Euler.
    SymplecticEuler,
    /// Central differences.
    CentralDifference,
    /// Exponential Rosenbrock–Euler method.
    ExponentialEuler,
    /// Additive exponential method with keys `modes`, `refresh`; its stages are linearised or iterated.
    Additive(AdditiveScheme, AdditiveStages),
    /// Runge–Kutta tableau of the scene file.
    UserRungeKutta,
    /// Rosenbrock coefficients of the scene file.
    UserRosenbrock,
    /// Load steps of statics; no integrator.
    Static,
}

/// How the stages of an additive exponential method are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdditiveStages {
    /// By one Newton iteration, always.
    Linearised,
    /// To convergence, or by one iteration under the prefix `s-`.
    Iterated,
}

/// Whether the stages of a method are iterated to convergence or solved by one Newton iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// No prefix: stages are iterated to convergence.
    Full,
    /// Prefix `s-`: one Newton iteration per stage [Ascher et al. 2021, eq. 6].
    Semi,
}

/// Error of a method name or its parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// No method has this name.
    #[error("unknown method \"{name}\"")]
    Unknown {
        /// Name that was given.
        name: String,
    },
    /// The prefix `s-` was given to an explicit method.
    #[error(
        "\"{name}\" is explicit: the prefix \"s-\" limits Newton iterations, and it has none; leave the prefix out"
    )]
    PrefixOnExplicit {
        /// Name of the method without the prefix.
        name: &'static str,
    },
    /// The method does not take this key.
    #[error("method \"{name}\" takes no key \"{key}\"{}", listed(.takes))]
    UnknownKey {
        /// Name of the method.
        name: &'static str,
        /// Key.
        key: &'static str,
        /// Keys that the method takes.
        takes: &'static [&'static str],
    },
    /// A required key is missing.
    #[error("method \"{name}\" needs the key \"{key}\"")]
    Missing {
        /// Name of the method.
        name: &'static str,
        /// Key.
        key: &'static str,
    },
    /// A parameter is outside its range.
    #[error("{key} = {value} is outside {range} for method \"{name}\"")]
    Range {
        /// Name of the method.
        name: &'static str,
        /// Key.
        key: &'static str,
        /// Value that was given.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
    /// The table of the scene file is not a usable method.
    #[error("the table of method \"{name}\" is not usable: {why}")]
    Table {
        /// Name of the method.
        name: &'static str,
        /// Reason, with numbers.
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

/// Default spectral radius at infinite frequency of α-methods.
const DEFAULT_RHO_INF: f64 = 0.8;

/// Error constant of higher-order methods that a single Newton iteration reduces to second order: that of the third
/// Taylor term. Their own constant depends on the force.
const SEMI_IMPLICIT_ERROR_CONSTANT: f64 = 1.0 / 6.0;

/// Method with its prefix, as chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct MethodChoice {
    /// Method of the registry.
    pub method: &'static Method,
    /// Prefix of the name.
    pub prefix: Prefix,
}

/// Finds a method by its name in scene files, with or without the prefix `s-`, or by the alias `semi-implicit`.
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

/// Returns every name that [`find`] accepts, aliases last.
pub fn names() -> Vec<String> {
    let plain = METHODS.iter().map(|m| m.name.to_string());
    // The prefix changes nothing where stages of a method with modes are linearised anyway.
    let linearised =
        |m: &Method| matches!(m.family, Family::Additive(_, AdditiveStages::Linearised));
    let semi = METHODS
        .iter()
        .filter(|m| m.is_implicit() && !linearised(m))
        .map(|m| format!("s-{}", m.name));
    plain
        .chain(semi)
        .chain(["semi-implicit".to_string()])
        .collect()
}

impl MethodChoice {
    /// Returns the choice of [`STATIC`], which [`find`] does not know because it is no integrator.
    pub fn statics() -> MethodChoice {
        MethodChoice {
            method: &STATIC,
            prefix: Prefix::Full,
        }
    }

    /// Returns `true` for load steps of statics.
    pub fn is_static(&self) -> bool {
        matches!(self.method.family, Family::Static)
    }

    /// Returns the name with its prefix.
    pub fn name(&self) -> String {
        match self.prefix {
            Prefix::Full => self.method.name.into(),
            Prefix::Semi => format!("s-{}", self.method.name),
        }
    }

    /// Returns the declared order: at most 2 with one Newton iteration from a state O(h) away.
    pub fn order(&self) -> u32 {
        self.effective_order(self.method.order)
    }

    /// Returns the declared properties of the embedded method, or `None` if the table has no embedded weights.
    pub fn embedded(&self) -> Option<EmbeddedMethod> {
        self.method.embedded.map(|e| EmbeddedMethod {
            order: self.effective_order(e.order),
            ..e
        })
    }

    /// Returns the leading error constant C of a method without embedded weights: the error of a step is C h^(p+1)
    /// times the derivative of that order, with p = [`MethodChoice::order`]. Returns `None` for tables of the scene
    /// file, whose order is unknown.
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
            // u + h v + h² a against the exact u + h v + ½ h² a.
            Family::SymplecticEuler => 0.5,
            Family::CentralDifference => error_constant::of_alpha(&alpha::newmark(0.0, 0.5)),
            Family::Rosenbrock(_)
            | Family::ExponentialEuler
            | Family::Additive(..)
            | Family::UserRungeKutta
            | Family::UserRosenbrock
            | Family::Static => return None,
        }))
    }

    fn effective_order(&self, order: u32) -> u32 {
        match (self.prefix, self.method.family) {
            (Prefix::Full, _) | (_, Family::Rosenbrock(_)) => order,
            (Prefix::Semi, _) => order.min(2),
        }
    }

    /// Creates a stepper; `newton` solves the stages of methods without the prefix `s-`.
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
            Family::ExponentialEuler => Box::new(ExponentialRosenbrockEuler::default()),
            Family::Additive(scheme, stages) => {
                let iterates =
                    stages == AdditiveStages::Iterated && newton != Newton::SingleIteration;
                let (modes, refresh) = (p.modes, p.refresh.unwrap_or_default());
                if modes == Some(0) {
                    return Err(MethodError::Range {
                        name: self.method.name,
                        key: "modes",
                        value: 0.0,
                        range: "1 to the number of unknowns",
                    });
                }
                Box::new(AdditiveExponential::new(scheme, modes, refresh, iterates))
            }
            Family::UserRungeKutta => Box::new(user_tables::runge_kutta(p, newton)?),
            Family::UserRosenbrock => Box::new(user_tables::rosenbrock(p)?),
            Family::Static => Box::new(StaticEquilibrium::new(newton)),
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
    /// Returns `true` if stages are solved by Newton's method, so that the prefix `s-` applies.
    pub fn is_implicit(&self) -> bool {
        match self.family {
            Family::RungeKutta(table) => table
                .a
                .iter()
                .any(|row| row.last().is_some_and(|x| *x != 0.0)),
            Family::SymplecticEuler | Family::CentralDifference | Family::ExponentialEuler => false,
            _ => true,
        }
    }

    /// Returns `true` if its stages are linear systems, always or unless they are iterated.
    pub fn has_linear_stages(&self) -> bool {
        matches!(
            self.family,
            Family::Rosenbrock(_)
                | Family::UserRosenbrock
                | Family::Additive(_, AdditiveStages::Linearised)
        )
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

mod embedded;
mod parameters;
mod registry;
mod user_tables;
pub use exponential::Refresh;
pub use parameters::{PARAMETERS, Parameter, ParameterForm, Parameters};
pub use registry::{METHODS, STATIC};
