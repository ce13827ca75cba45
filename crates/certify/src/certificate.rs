//! Certificates: everything that is measured of a method by stepping it.

use std::fmt;

use crate::{
    EnergyDrift, MeasuredStability, ModeResponse, StepCost, cost, modes, order, stability,
};
use march::methods::MethodChoice;
use march::{MethodError, Newton, Parameters, StepError, Stepper};

/// Orders of convergence of a method, declared and measured. A measured order is `None` if the runs blow up; those of
/// the embedded method also if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    /// Order declared in the registry.
    pub declared: u32,
    /// Order measured on the oscillator q̈ + q = 0.
    pub linear: Option<f64>,
    /// Order measured on a forced, damped, nonlinear chain.
    pub nonlinear: Option<f64>,
    /// Order measured on the stiff Prothero–Robinson chain with hω > 1000 [Prothero & Robinson 1974].
    pub stiff: Option<f64>,
    /// Order measured on a finite element body with a moving boundary; filled in by a crate that has one.
    pub fem: Option<f64>,
    /// Order measured on the same body with stiffness damping and viscosity that depend on the positions of the stage.
    pub viscous: Option<f64>,
    /// Order of the embedded method, measured on the nonlinear chain.
    pub embedded: Option<f64>,
    /// Order of the embedded method declared in the registry.
    pub embedded_declared: Option<u32>,
}

/// Certificate of a method: its measured order, stability, damping, energy drift and cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Name of the method, with its prefix.
    pub name: String,
    /// Description of the method in one line.
    pub description: &'static str,
    /// Orders of convergence.
    pub order: Orders,
    /// Measured stability.
    pub stability: MeasuredStability,
    /// Numerical damping and frequency error over hω; values of hω at which the method blows up are left out.
    pub modes: Vec<ModeResponse>,
    /// Energy change of an undamped oscillator over many steps.
    pub drift: EnergyDrift,
    /// Work per step.
    pub cost: StepCost,
    /// Origin of the coefficients: "quoted" or "derived".
    pub provenance: &'static str,
    /// Citation of the source (see docs/references.md).
    pub cite: &'static str,
}

/// Error of a certificate that could not be measured.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CertificateError {
    /// The method does not exist or does not take these parameters.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A step of a measurement failed.
    #[error("the method could not be measured: {0}")]
    Step(#[from] StepError),
}

impl Certificate {
    /// Measures a method with these parameters.
    pub fn measure(choice: &MethodChoice, p: &Parameters) -> Result<Certificate, CertificateError> {
        let mut stepper = choice.stepper(p, Newton::Minimise)?;
        let mut certificate = Certificate::of_stepper(choice, stepper.as_mut())?;
        if let Some(fixed) = order::with_modes_of_the_start(choice, p) {
            let mut stepper = choice.stepper(&fixed, Newton::Minimise)?;
            certificate.order.nonlinear = order::nonlinear(stepper.as_mut())?.order;
        }
        Ok(certificate)
    }

    /// Measures an existing stepper of a method.
    pub fn of_stepper(
        choice: &MethodChoice,
        stepper: &mut dyn Stepper,
    ) -> Result<Certificate, StepError> {
        let embedded_order = match choice.embedded_stepper() {
            Some(mut embedded) => order::nonlinear(embedded.as_mut())?.order,
            None => None,
        };
        let order = Orders {
            declared: choice.order(),
            linear: order::linear(stepper)?.order,
            nonlinear: order::nonlinear(stepper)?.order,
            stiff: order::stiff(stepper)?.order,
            fem: None,
            viscous: None,
            embedded: embedded_order,
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

/// Measures damping and frequency error at each hω; leaves out values of hω at which a step overflows.
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

fn yes_or_no(yes: bool) -> &'static str {
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
        let embedded = match o.embedded_declared {
            Some(declared) => format!("{} (declared {declared})", number(o.embedded)),
            None => number(o.embedded),
        };
        writeln!(
            f,
            "  measured    {:8}  {linear:>6}  {nonlinear:>9}  {stiff:>5}  {fem:>5}  {viscous:>7}  {embedded:>8}",
            o.declared
        )?;
        let r_inf = s.r_inf.map_or("blows up".into(), |r| format!("{r:.4}"));
        writeln!(f, "stability     |R(inf)| {r_inf}")?;
        writeln!(
            f,
            "              A-stable {}, L-stable {}, stiffly accurate {}",
            yes_or_no(s.a_stable),
            yes_or_no(s.l_stable),
            yes_or_no(s.stiffly_accurate)
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
            "energy        {} after {} steps at hw = {}; largest change {}",
            percent(self.drift.end),
            self.drift.steps,
            self.drift.hw,
            percent(self.drift.worst)
        )?;
        writeln!(
            f,
            "cost per step {:.2} factorizations, {:.2} solves, {:.2} force evaluations (nonlinear); {:.2} factorizations, {:.2} solves (linear)",
            c.factorizations, c.solves, c.forces, c.least_factorizations, c.least_solves
        )
    }
}
