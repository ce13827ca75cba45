//! `supple list`.

use mesh::element::elements;
use meshing::shapes::SHAPES;
use meshio::import::FORMATS;
use scene::record::OUTPUT_FORMATS;
use serde_json::{Value, json};
use solid::material::LAWS;
use supple::METHODS;

use crate::Outcome;
use crate::cli::{ListArgs, Registry, print_line};

/// Prints a registry.
pub fn list(args: &ListArgs) -> anyhow::Result<Outcome> {
    let entries = entries(args.what);
    if args.json {
        print_line(serde_json::to_string_pretty(&entries)?)?;
        return Ok(Outcome::Success);
    }
    if entries.is_empty() {
        print_line("none in this version of Supple yet")?;
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
                let derived = if text(entry, "provenance") == "derived" {
                    ", derived table"
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
            "\nEvery implicit method also comes as s-NAME: one Newton iteration a stage; semi-implicit is s-backward-euler.",
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
        Registry::Methods => METHODS.iter().map(method).collect(),
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
            ("mass", "Rayleigh's mass damping, 1/s: slows all motion alike"),
            ("stiffness", "Rayleigh's stiffness damping, s: slows deformation, fast modes most; rate = \"implicit\" (of the stage, keeps the order) or \"frozen\" (of the step's start, first order)"),
            ("viscosity", "material.viscosity = { shear, bulk }, Pa s: Kelvin and Voigt's stress against the rate of strain, blind to rigid motion"),
            ("drag", "ether drag, 1/s: all velocities decay, exactly, in a step of its own"),
            ("rigid-free", "momentum-preserving damping, 1/s: all but rigid motion decays, exactly, in a step of its own"),
        ]),
        Registry::Controls => plain(&[
            ("auto", "steps whose error is within a tolerance in metres for each second of motion: the larger of the force error and the embedded or doubling estimate; the kind if only a tolerance is given"),
            ("retreat", "steps of one length, halved if one fails, growing back; takes min. What scenes get that do not say"),
            ("fixed", "steps of one length; one that fails ends the run"),
            ("force-error", "steps whose linearised force is right to a tolerance in metres, for implicit methods; exponent 1/3 is the printed rule, 1/4 the default"),
            ("embedded", "steps whose difference from a second result is within a tolerance in metres: of the table's embedded pair, or estimated from past velocities"),
            ("doubling", "steps taken in two halves and compared with a whole one, with an error within a tolerance in metres for each second of motion"),
            ("speed", "steps in which the fastest node travels the tolerance: h = tolerance / max |v|"),
            ("stretch", "steps in which no edge changes its length by more than the tolerance"),
        ]),
        Registry::Contacts => Vec::new(),
    }
}

fn method(m: &supple::Method) -> Value {
    json!({
        "name": m.name,
        "description": m.description,
        "order": m.order,
        "stability": m.stability.name(),
        "implicit": m.implicit(),
        "provenance": m.provenance.name(),
        "cite": m.cite,
        "parameters": m.parameters,
    })
}
