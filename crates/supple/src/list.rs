//! `supple list`: prints the names that scene files may use.

use mesh::element::elements;
use meshing::shapes::SHAPES;
use meshio::import::FORMATS;
use meshio::record::OUTPUT_FORMATS;
use scene::spec::CONTACT_MODELS;
use serde_json::{Value, json};
use solid::material::LAWS;
use supple::METHODS;

use crate::Outcome;
use crate::cli::{ListArgs, Registry, print_line};

/// Prints a registry as text or JSON.
pub fn list(args: &ListArgs) -> anyhow::Result<Outcome> {
    let entries = entries(args.what);
    if args.json {
        print_line(serde_json::to_string_pretty(&entries)?)?;
        return Ok(Outcome::Success);
    }
    if entries.is_empty() {
        print_line("none in this version")?;
    }
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_string();
    let width = entries
        .iter()
        .map(|e| text(e, "name").chars().count())
        .max()
        .unwrap_or(0);
    for entry in &entries {
        let facts = match args.what {
            Registry::Methods => {
                if entry["implicit"].is_null() {
                    print_line(format_args!(
                        "{:width$}  {}",
                        text(entry, "name"),
                        text(entry, "description")
                    ))?;
                    continue;
                }
                let derived = if text(entry, "provenance") == "derived" {
                    ", derived tableau"
                } else {
                    ""
                };
                format!(
                    "  [order {}, {}{derived}]",
                    entry["order"],
                    text(entry, "stability")
                )
            }
            _ => String::new(),
        };
        print_line(format_args!(
            "{:width$}  {}{facts}",
            text(entry, "name"),
            text(entry, "description")
        ))?;
    }
    if args.what == Registry::Methods {
        print_line(
            "\nEvery implicit method is also available as s-NAME with one Newton iteration per stage; s-backward-euler is the semi-implicit Euler method of cloth simulation.",
        )?;
    }
    Ok(Outcome::Success)
}

fn entries(what: Registry) -> Vec<Value> {
    let plain = |list: &[(&str, &str)]| {
        list.iter()
            .map(|(name, description)| json!({ "name": name, "description": description }))
            .collect()
    };
    match what {
        Registry::Methods => METHODS.iter().map(method).chain([statics()]).collect(),
        Registry::Materials => LAWS
            .iter()
            .map(|l| json!({ "name": l.name, "description": l.summary, "cite": l.citation, "keys": l.keys, "survives_inversion": l.survives_inversion }))
            .collect(),
        Registry::Elements => elements()
            .map(|(kind, e)| json!({ "name": kind.name(), "description": e.description, "nodes": kind.node_count() }))
            .collect(),
        Registry::Shapes => SHAPES.iter().map(|s| json!({ "name": s.name, "description": s.description })).collect(),
        Registry::Formats => {
            let meshes = FORMATS.iter().map(|f| json!({ "name": f.name, "description": f.description, "use": "mesh" }));
            let frames = OUTPUT_FORMATS.iter().map(|r| json!({ "name": r.name, "description": r.description, "use": "frames" }));
            meshes.chain(frames).collect()
        }
        Registry::Dampings => plain(&[
            ("mass", "Rayleigh mass damping, 1/s: damps all motion at the same rate"),
            ("stiffness", "Rayleigh stiffness damping, s: damps high frequencies most; rate = \"implicit\" (K of the stage, keeps the order) or \"frozen\" (K of the start of the step, first order)"),
            ("viscosity", "material.viscosity = { shear, bulk }, Pa s: Kelvin–Voigt viscosity; zero for rigid motion"),
            ("drag", "drag, 1/s: all velocities decay exponentially, applied after each step"),
            ("rigid-free", "momentum-preserving damping, 1/s: velocities other than rigid motion decay exponentially, applied after each step"),
        ]),
        Registry::Controls => plain(&[
            ("auto", "bounds the error in metres per second of motion: the larger of the force error and the embedded or doubling estimate; the default if a tolerance is given"),
            ("retreat", "fixed step, halved if a step fails and restored later; takes min; the default"),
            ("fixed", "fixed step; a failed step ends the run"),
            ("force-error", "bounds the error of the linearised force, in metres per step; implicit methods only; exponent 1/4 by default, 1/3 in [Linearized Force Error, eq. 12]"),
            ("embedded", "bounds the embedded error estimate in metres per step: of the embedded pair, or from past velocities"),
            ("doubling", "bounds the step-doubling error in metres per second of motion: one step against two half steps"),
            ("speed", "speed limit: h = tolerance / max |v|"),
            ("stretch", "stretch limit: no edge changes its length by more than the tolerance in a step"),
        ]),
        Registry::Contacts => CONTACT_MODELS
            .iter()
            .map(|c| json!({ "name": c.name, "description": c.description }))
            .collect(),
    }
}

/// The entry of statics, which has neither order nor stability because it is no integrator.
fn statics() -> Value {
    let m = &march::methods::STATIC;
    json!({ "name": m.name, "description": m.description, "cite": m.cite, "parameters": m.parameters })
}

fn method(m: &supple::Method) -> Value {
    json!({
        "name": m.name,
        "description": m.description,
        "order": m.order,
        "stability": m.stability.name(),
        "implicit": m.is_implicit(),
        "provenance": m.provenance.name(),
        "cite": m.cite,
        "parameters": m.parameters,
    })
}
