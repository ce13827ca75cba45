//! `supple mesh info` and `supple mesh convert`.

use std::path::Path;

use anyhow::Context;
use mesh::{Mesh, Quality, quality};
use meshio::{export, import};
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::{MeshCommand, say, tell};

/// Looks at or converts a mesh.
pub fn run(command: &MeshCommand) -> anyhow::Result<Outcome> {
    match command {
        MeshCommand::Info { file, json } => info(file, *json),
        MeshCommand::Convert { from, to } => convert(from, to),
    }
}

fn info(file: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let loaded = import::read_with(file, import::QuadHandling::Keep)?;
    let q = quality(&loaded.mesh);
    let notices: Vec<String> = loaded.notices.iter().map(ToString::to_string).collect();
    if as_json {
        say(format_args!(
            "{}",
            serde_json::to_string_pretty(&as_value(file, &loaded, &q, &notices))?
        ))?;
        return Ok(Outcome::Fine);
    }
    say(format_args!(
        "{}: {}",
        file.display(),
        loaded.format.info().description
    ))?;
    let kinds: Vec<String> = q
        .kinds
        .iter()
        .map(|(kind, n)| format!("{n} {}", kind.name()))
        .collect();
    say(format_args!("  points       {}", q.points))?;
    say(format_args!(
        "  cells        {}",
        if kinds.is_empty() {
            "none".into()
        } else {
            kinds.join(", ")
        }
    ))?;
    if let Some([min, max]) = q.bounds {
        say(format_args!(
            "  extent       x {} to {}, y {} to {}, z {} to {}",
            min[0], max[0], min[1], max[1], min[2], max[2]
        ))?;
    }
    if q.volume != 0.0 {
        say(format_args!("  volume       {:.6e} m³", q.volume))?;
    }
    if let Some(a) = &q.angles {
        say(format_args!(
            "  dihedral     {:.2} to {:.2} degrees, 1 % below {:.2}",
            a.min, a.max, a.percentile_1
        ))?;
    }
    if let Some(worst) = q.worst_cell {
        say(format_args!(
            "  worst cell   {worst}, nodes {:?}",
            loaded.mesh.cell(worst as usize)
        ))?;
    }
    say(format_args!("  pieces       {}", q.components))?;
    let s = &q.surface;
    let closed = if s.is_closed() {
        "closed".into()
    } else {
        format!("{} open edges", s.open_edges)
    };
    let manifold = if s.is_manifold() {
        "manifold".into()
    } else {
        format!(
            "{} edges and {} vertices not manifold",
            s.non_manifold_edges, s.non_manifold_vertices
        )
    };
    say(format_args!("  surface      {closed}, {manifold}"))?;
    for group in &loaded.mesh.groups {
        say(format_args!(
            "  group        \"{}\": {} cells, {} points",
            group.name,
            group.cells.len(),
            group.points.len()
        ))?;
    }
    for line in notices.iter().chain(&faults(&loaded.mesh, &q)) {
        say(format_args!("  note         {line}"))?;
    }
    Ok(Outcome::Fine)
}

/// What is wrong with a mesh, in plain words.
fn faults(mesh: &Mesh, q: &Quality) -> Vec<String> {
    let mut out = Vec::new();
    let mut tell = |n: usize, what: &str, first: &[u32]| {
        if n > 0 {
            let first = if first.is_empty() {
                String::new()
            } else {
                format!(" (first: {first:?})")
            };
            out.push(format!("{n} {what}{first}"));
        }
    };
    tell(q.inverted, "cells are inverted", &q.first_inverted);
    tell(
        q.degenerate,
        "cells are flat or repeat a node",
        &q.first_degenerate,
    );
    tell(
        q.duplicate_cells,
        "cells are there twice",
        &q.first_duplicates,
    );
    tell(q.unreferenced_points, "points belong to no cell", &[]);
    tell(q.duplicate_points, "points lie exactly on another", &[]);
    tell(
        q.non_manifold_faces,
        "faces are shared by three cells or more",
        &[],
    );
    let solid = mesh.kinds.iter().any(|k| k.dimension() == 3);
    if let Some(a) = q.angles.as_ref().filter(|a| solid && a.min < 3.0) {
        out.push(format!(
            "the flattest dihedral angle is {:.3} degrees: simulation will be badly conditioned",
            a.min
        ));
    }
    out
}

fn as_value(file: &Path, loaded: &import::ImportedMesh, q: &Quality, notices: &[String]) -> Value {
    let counts: serde_json::Map<String, Value> = q
        .kinds
        .iter()
        .map(|(kind, n)| (kind.name().to_string(), json!(n)))
        .collect();
    let groups: Vec<Value> = loaded
        .mesh
        .groups
        .iter()
        .map(|g| json!({ "name": g.name, "cells": g.cells.len(), "points": g.points.len() }))
        .collect();
    let s = &q.surface;
    json!({
        "file": file.display().to_string(),
        "format": loaded.format.info().name,
        "points": q.points,
        "cells": counts,
        "bounds": q.bounds,
        "volume": q.volume,
        "dihedral_deg": q.angles.as_ref().map(|a| json!({ "min": a.min, "percent1": a.percentile_1, "max": a.max })),
        "worst_cell": q.worst_cell,
        "inverted": q.inverted,
        "degenerate": q.degenerate,
        "duplicate_cells": q.duplicate_cells,
        "duplicate_points": q.duplicate_points,
        "unreferenced_points": q.unreferenced_points,
        "components": q.components,
        "surface": {
            "closed": s.is_closed(),
            "manifold": s.is_manifold(),
            "open_edges": s.open_edges,
            "non_manifold_edges": s.non_manifold_edges,
            "non_manifold_vertices": s.non_manifold_vertices,
        },
        "groups": groups,
        "notices": notices.iter().cloned().chain(faults(&loaded.mesh, q)).collect::<Vec<_>>(),
    })
}

fn convert(from: &Path, to: &Path) -> anyhow::Result<Outcome> {
    let loaded = import::read_with(from, import::QuadHandling::Keep)?;
    loaded
        .notices
        .iter()
        .for_each(|n| tell(format_args!("note: {n}")));
    let notices = export::write(to, &loaded.mesh)
        .with_context(|| format!("{} was not written", to.display()))?;
    notices.iter().for_each(|n| tell(format_args!("note: {n}")));
    say(format_args!(
        "{}: {} points, {} cells",
        to.display(),
        loaded.mesh.points.len(),
        loaded.mesh.len()
    ))?;
    Ok(Outcome::Fine)
}
