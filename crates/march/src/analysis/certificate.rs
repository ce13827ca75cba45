//! All that is known of a method by stepping it.

use std::fmt;

use super::{
    EnergyDrift, MeasuredStability, ModeResponse, StepCost, cost, modes, order, stability,
};
use crate::families::{rosenbrock::Rosenbrock, runge_kutta::RungeKutta};
use crate::methods::{Family, MethodChoice};
use crate::{MethodError, Newton, Parameters, Prefix, StepError, Stepper};

/// Orders of convergence; nothing where a method blows up or a table has no second weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    /// As claimed.
    pub declared: u32,
    /// On q̈ + q = 0.
    pub linear: Option<f64>,
    /// On a forced, damped, nonlinear chain.
    pub nonlinear: Option<f64>,
    /// On the stiff Prothero–Robinson chain, hω > 1000.
    pub stiff: Option<f64>,
    /// On a finite element body with a moving boundary; measured by whoever has one.
    pub fem: Option<f64>,
    /// On the same body with stiffness damping of the stage's positions and viscosity.
    pub viscous: Option<f64>,
    /// Of the second result, on the nonlinear chain.
    pub embedded: Option<f64>,
    /// Of the second result, as claimed.
    pub embedded_declared: Option<u32>,
}

/// A method's certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The full name.
    pub name: String,
    /// One line for people.
    pub description: &'static str,
    /// Orders.
    pub order: Orders,
    /// Stability.
    pub stability: MeasuredStability,
    /// Damping and frequency error over hω, as far as the method is not blowing up.
    pub modes: Vec<ModeResponse>,
    /// Energy in the long run.
    pub drift: EnergyDrift,
    /// Work a step.
    pub cost: StepCost,
    /// Where its numbers come from: "quoted" or "derived".
    pub provenance: &'static str,
    /// Citation.
    pub cite: &'static str,
}

/// Why there is no certificate.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CertificateError {
    /// No such method, or not with these parameters.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A step of a measurement failed.
    #[error("measuring it failed: {0}")]
    Step(#[from] StepError),
}

/// The stepper that marches with a table's second weights, where it has some.
pub fn embedded_stepper(choice: &MethodChoice) -> Option<Box<dyn Stepper>> {
    let rows = |rows: &[&[f64]]| -> Vec<Vec<f64>> { rows.iter().map(|row| row.to_vec()).collect() };
    match choice.method.family {
        Family::RungeKutta(table) => {
            let newton = if choice.prefix == Prefix::Semi {
                Newton::SingleIteration
            } else {
                Newton::Minimise
            };
            Some(Box::new(RungeKutta::from_rows(
                rows(table.a),
                table.embedded?.to_vec(),
                newton,
            )))
        }
        Family::Rosenbrock(t) => Some(Box::new(Rosenbrock::from_rows(
            t.gamma,
            rows(t.a),
            rows(t.c),
            t.embedded.to_vec(),
        ))),
        _ => None,
    }
}

impl Certificate {
    /// Measures a method with these parameters.
    pub fn measure(choice: &MethodChoice, p: &Parameters) -> Result<Certificate, CertificateError> {
        let mut stepper = choice.stepper(p, Newton::Minimise)?;
        Ok(Certificate::of_stepper(choice, stepper.as_mut())?)
    }

    /// Measures the stepper of a method.
    pub fn of_stepper(
        choice: &MethodChoice,
        stepper: &mut dyn Stepper,
    ) -> Result<Certificate, StepError> {
        let second = match embedded_stepper(choice) {
            Some(mut second) => order::nonlinear(second.as_mut())?.order,
            None => None,
        };
        let order = Orders {
            declared: choice.order(),
            linear: order::linear(stepper)?.order,
            nonlinear: order::nonlinear(stepper)?.order,
            stiff: order::stiff(stepper)?.order,
            fem: None,
            viscous: None,
            embedded: second,
            embedded_declared: choice.embedded().map(|e| e.order),
        };
        Ok(Certificate {
            name: choice.name(),
            description: choice.method.description,
            order,
            stability: stability::measure_stability(stepper)?,
            modes: damping_curve(stepper, &modes::HW_SAMPLES)?,
            drift: cost::energy_drift(stepper, 0.1, 1000)?,
            cost: cost::step_cost(stepper)?,
            provenance: choice.method.provenance.name(),
            cite: choice.method.cite,
        })
    }
}

/// Damping and frequency error at each hω; samples at which a step overflows are left out.
pub fn damping_curve(
    stepper: &mut dyn Stepper,
    samples: &[f64],
) -> Result<Vec<ModeResponse>, StepError> {
    let mut found = Vec::with_capacity(samples.len());
    for &hw in samples {
        match modes::mode_response(stepper, hw) {
            Ok(mode) if mode.damping.is_finite() => found.push(mode),
            Ok(_) => (),
            Err(why) if why.blew_up() => (),
            Err(other) => return Err(other),
        }
    }
    Ok(found)
}

fn number(x: Option<f64>) -> String {
    x.map_or("-".into(), |x| format!("{x:.2}"))
}

fn word(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (o, s, c) = (&self.order, &self.stability, &self.cost);
        writeln!(f, "{}: {}", self.name, self.description)?;
        writeln!(f, "  source      {} ({})", self.cite, self.provenance)?;
        writeln!(
            f,
            "order         declared  linear  nonlinear  stiff    fem  viscous  embedded"
        )?;
        let [linear, nonlinear, stiff, fem, viscous] =
            [o.linear, o.nonlinear, o.stiff, o.fem, o.viscous].map(number);
        let second = match o.embedded_declared {
            Some(declared) => format!("{} (declared {declared})", number(o.embedded)),
            None => number(o.embedded),
        };
        writeln!(
            f,
            "  measured    {:8}  {linear:>6}  {nonlinear:>9}  {stiff:>5}  {fem:>5}  {viscous:>7}  {second:>8}",
            o.declared
        )?;
        let r_inf = s.r_inf.map_or("blows up".into(), |r| format!("{r:.4}"));
        writeln!(f, "stability     |R(inf)| {r_inf}")?;
        writeln!(
            f,
            "              A-stable {}, L-stable {}, stiffly accurate {}",
            word(s.a_stable),
            word(s.l_stable),
            word(s.stiffly_accurate)
        )?;
        match s.stability_limit {
            Some(0.0) => writeln!(f, "              undamped vibrations grow at any step")?,
            Some(limit) => writeln!(
                f,
                "              undamped vibrations grow above hw = {limit:.3}"
            )?,
            None => (),
        }
        writeln!(f, "vibrations          hw   damping d/w   frequency error")?;
        for m in self
            .modes
            .iter()
            .filter(|m| [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0].contains(&m.hw))
        {
            writeln!(
                f,
                "              {:>8}  {:>12.6}  {:>14.2} %",
                m.hw,
                if m.damping.abs() < 1e-12 {
                    0.0
                } else {
                    m.damping
                },
                100.0 * m.frequency_error
            )?;
        }
        let percent =
            |x: Option<f64>| x.map_or("blew up".into(), |x| format!("{:+.3e} %", 100.0 * x));
        writeln!(
            f,
            "energy        {} after {} steps at hw = {}; worst on the way {}",
            percent(self.drift.end),
            self.drift.steps,
            self.drift.hw,
            percent(self.drift.worst)
        )?;
        writeln!(
            f,
            "cost a step   {:.2} factorizations, {:.2} solves, {:.2} forces (nonlinear); {:.2} and {:.2} at least (linear)",
            c.factorizations, c.solves, c.forces, c.least_factorizations, c.least_solves
        )
    }
}
