//! `supple method`: measures order, stability, damping, frequency error and cost of a time integrator.

mod fem;
mod plot;

use anyhow::{Context, bail};
use certify::Certificate;
use march::methods::{STATIC, names};
use march::{MethodError, find};
use scene::spec::suggestion;
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::{MethodArgs, print_line};

/// Measures a method and prints its certificate.
pub fn method(args: &MethodArgs) -> anyhow::Result<Outcome> {
    let method = method_toml(&args.name)?;
    let mut body = fem::body(&method)?;
    let choice = body.method;
    let mut stepper = choice.stepper(&body.parameters, body.options.newton)?;
    let mut certificate = Certificate::of_stepper(&choice, stepper.as_mut())
        .context("the method could not be measured")?;
    certificate.order.fem = fem::order(&mut body, stepper.as_mut())
        .context("the method failed on the finite element body")?;
    certificate.order.viscous =
        fem::viscous_order(&mut fem::viscous_body(&method)?, stepper.as_mut())
            .context("the method failed on the viscous body")?;
    if let Some(path) = &args.plot {
        let svg = plot::svg(&certificate, stepper.as_mut())?;
        base::file::write(path, svg.as_bytes())
            .with_context(|| format!("{} could not be written", path.display()))?;
    }
    if args.json {
        print_line(serde_json::to_string_pretty(&certificate_json(
            &certificate,
        ))?)?;
    } else {
        print_line(certificate.to_string().trim_end())?;
        if let Some(path) = &args.plot {
            print_line(format_args!("plot          {}", path.display()))?;
        }
    }
    Ok(Outcome::Success)
}

/// Returns the TOML value of `time.method`: an inline table unchanged, a known name in quotes.
fn method_toml(given: &str) -> anyhow::Result<String> {
    if given.trim_start().starts_with('{') {
        return Ok(given.to_string());
    }
    if given == STATIC.name {
        bail!(
            "\"{given}\" is no integrator: it has no order or stability to measure; run a scene with `supple run SCENE --static`"
        );
    }
    match find(given) {
        Ok(choice) if choice.method.parameters.contains(&"b") => {
            let keys = choice.method.parameters.join(" = ..., ");
            bail!(
                "\"{given}\" needs your own coefficients: supple method '{{ name = \"{given}\", {keys} = ... }}'"
            )
        }
        Ok(_) => Ok(format!("\"{given}\"")),
        Err(MethodError::Unknown { name }) => {
            let all = names();
            bail!(
                "unknown method \"{name}\"; {}",
                suggestion(&name, all.iter().map(String::as_str))
            )
        }
        Err(other) => Err(other.into()),
    }
}

fn certificate_json(c: &Certificate) -> Value {
    let (o, s, cost, drift) = (&c.order, &c.stability, &c.cost, &c.drift);
    let damping: Vec<Value> = c
        .modes
        .iter()
        .map(|m| json!({ "hw": m.hw, "d": m.damping }))
        .collect();
    let dispersion: Vec<Value> = c
        .modes
        .iter()
        .map(|m| json!({ "hw": m.hw, "e": m.frequency_error }))
        .collect();
    json!({
        "name": c.name,
        "description": c.description,
        "order": {
            "declared": o.declared,
            "linear": o.linear,
            "nonlinear": o.nonlinear,
            "stiff": o.stiff,
            "fem": o.fem,
            "viscous": o.viscous,
            "embedded": o.embedded,
            "embedded_declared": o.embedded_declared,
        },
        "stability": {
            "r_inf": s.r_inf,
            "a_stable": s.a_stable,
            "l_stable": s.l_stable,
            "stiffly_accurate": s.stiffly_accurate,
            "limit": s.stability_limit,
        },
        "damping": damping,
        "dispersion": dispersion,
        "energy": { "hw": drift.hw, "steps": drift.steps, "end": drift.end, "worst": drift.worst },
        "cost": {
            "factorizations": cost.factorizations,
            "solves": cost.solves,
            "forces": cost.forces,
            "least_factorizations": cost.least_factorizations,
            "least_solves": cost.least_solves,
        },
        "provenance": c.provenance,
        "cite": c.cite,
    })
}
