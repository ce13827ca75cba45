//! `supple mesh info` and `supple mesh convert`: inspects and converts mesh files.

use std::path::Path;

use anyhow::Context;
use base::text::counted;
use mesh::{Mesh, Quality, quality};
use meshio::{export, import};
use serde_json::{Value, json};

use crate::Outcome;
use crate::cli::{MeshCommand, print_line, print_note};

/// Prints information about a mesh file, or converts it.
pub fn run(command: &MeshCommand) -> anyhow::Result<Outcome> {
    match command {
        MeshCommand::Info { file, json } => info(file, *json),
        MeshCommand::Convert { from, to } => convert(from, to),
    }
}

fn info(file: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let loaded = import::read_with(file, import::QuadHandling::Keep)?;
    let q = quality(&loaded.mesh);
    let found = defects(&loaded.mesh, &q);
    if as_json {
        let notices = loaded.notices.iter().map(ToString::to_string);
        let notices: Vec<String> = notices.chain(found).collect();
        print_line(format_args!(
            "{}",
            serde_json::to_string_pretty(&info_json(file, &loaded, &q, &notices))?
        ))?;
        return Ok(Outcome::Success);
    }
    print_line(format_args!(
        "{}: {}",
        file.display(),
        loaded.format.info().description
    ))?;
    let kinds: Vec<String> = q
        .kinds
        .iter()
        .map(|(kind, n)| format!("{n} {}", kind.name()))
        .collect();
    print_line(format_args!("  points       {}", q.points))?;
    print_line(format_args!(
        "  cells        {}",
        if kinds.is_empty() {
            "none".into()
        } else {
            kinds.join(", ")
        }
    ))?;
    if let Some([min, max]) = q.bounds {
        print_line(format_args!(
            "  extent       x {} to {}, y {} to {}, z {} to {}",
            min[0], max[0], min[1], max[1], min[2], max[2]
        ))?;
    }
    if q.volume != 0.0 {
        print_line(format_args!("  volume       {:.6e} m³", q.volume))?;
    }
    if let Some(a) = &q.angles {
        print_line(format_args!(
            "  dihedral     {:.2} to {:.2} degrees, 1st percentile {:.2}",
            a.min, a.max, a.percentile_1
        ))?;
    }
    if let Some(worst) = q.worst_cell {
        print_line(format_args!(
            "  worst cell   {worst}, nodes {:?}",
            loaded.mesh.cell(worst as usize)
        ))?;
    }
    print_line(format_args!("  pieces       {}", q.components))?;
    let s = &q.surface;
    let closed = if s.is_closed() {
        "closed".into()
    } else {
        counted(s.open_edges, "open edge", "open edges")
    };
    let manifold = if s.is_manifold() {
        "manifold".into()
    } else {
        format!(
            "{} and {} not manifold",
            counted(s.non_manifold_edges, "edge", "edges"),
            counted(s.non_manifold_vertices, "vertex", "vertices")
        )
    };
    print_line(format_args!("  surface      {closed}, {manifold}"))?;
    for group in &loaded.mesh.groups {
        print_line(format_args!(
            "  group        \"{}\": {}, {}",
            group.name,
            counted(group.cells.len(), "cell", "cells"),
            counted(group.points.len(), "point", "points")
        ))?;
    }
    for notice in &loaded.notices {
        let label = match notice.severity {
            import::Severity::Note => "note",
            import::Severity::Warning => "warning",
        };
        print_line(format_args!("  {label:<13}{}", notice.text))?;
    }
    for line in &found {
        print_line(format_args!("  note         {line}"))?;
    }
    Ok(Outcome::Success)
}

/// Lists the defects of a mesh as sentences: inverted, degenerate and duplicate cells, unused points, flat angles.
fn defects(mesh: &Mesh, q: &Quality) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |n: usize, one: &str, many: &str, first: &[u32]| {
        if n > 0 {
            let first = if first.is_empty() {
                String::new()
            } else {
                format!(" (first: {first:?})")
            };
            out.push(format!("{}{first}", counted(n, one, many)));
        }
    };
    let inverted = ["cell is inverted", "cells are inverted"];
    add(q.inverted, inverted[0], inverted[1], &q.first_inverted);
    add(
        q.degenerate,
        "cell is flat or repeats a node",
        "cells are flat or repeat a node",
        &q.first_degenerate,
    );
    add(
        q.duplicate_cells,
        "cell is a duplicate",
        "cells are duplicates",
        &q.first_duplicates,
    );
    add(
        q.unreferenced_points,
        "point belongs to no cell",
        "points belong to no cell",
        &[],
    );
    add(
        q.duplicate_points,
        "point coincides with another point",
        "points coincide with another point",
        &[],
    );
    add(
        q.non_manifold_faces,
        "face is shared by three cells or more",
        "faces are shared by three cells or more",
        &[],
    );
    let solid = mesh.kinds.iter().any(|k| k.dimension() == 3);
    if let Some(a) = q.angles.as_ref().filter(|a| solid && a.min < 3.0) {
        out.push(format!(
            "the smallest dihedral angle is {:.3} degrees: simulations on this mesh are badly conditioned",
            a.min
        ));
    }
    out
}

fn info_json(file: &Path, loaded: &import::ImportedMesh, q: &Quality, notices: &[String]) -> Value {
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
        "notices": notices,
    })
}

fn convert(from: &Path, to: &Path) -> anyhow::Result<Outcome> {
    let loaded = import::read_with(from, import::QuadHandling::Keep)?;
    loaded.notices.iter().for_each(print_note);
    let notices = export::write(to, &loaded.mesh)
        .with_context(|| format!("{} was not written", to.display()))?;
    notices.iter().for_each(print_note);
    print_line(format_args!(
        "{}: {}, {}",
        to.display(),
        counted(loaded.mesh.points.len(), "point", "points"),
        counted(loaded.mesh.len(), "cell", "cells")
    ))?;
    Ok(Outcome::Success)
}
