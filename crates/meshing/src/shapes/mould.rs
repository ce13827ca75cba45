//! Jelly from a fluted, tapered mould with a rounded top, standing on y = 0 around the y axis.
//!
//! The unit cylinder (ρ, θ, s) maps to
//! r = radius · ρ (1 − taper s)(1 − s⁴/16)(1 + flute (1 − s²/2) ρ² cos(flutes θ)), y = height · s (1 − dome s ρ²).

use mesh::Mesh;

use super::disc::disc;
use super::error::{check_counts, check_lengths, check_range};
use super::rings::{check_swept_cells, unit_cylinder};
use super::{Axis, ElementKind, ShapeError, map_points};

/// Jelly from a fluted mould, standing on y = 0 around the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mould {
    /// Mean radius at the base, m.
    pub radius: f64,
    /// Height at the axis, m.
    pub height: f64,
    /// Number of cells across the base.
    pub cells: usize,
    /// Number of cells from base to top; `None` makes cells about as tall as wide.
    pub layers: Option<usize>,
    /// Number of flutes around the axis.
    pub flutes: usize,
    /// Depth of the flutes relative to the radius, 0 to 0.1.
    pub flute: f64,
    /// Relative decrease of the radius from base to top, 0 to 0.4.
    pub taper: f64,
    /// Height difference between the middle and the rim of the top, as a fraction of the height, 0 to 0.2.
    pub dome: f64,
    /// Kind of cell.
    pub element: ElementKind,
}

impl Default for Mould {
    fn default() -> Mould {
        Mould {
            radius: 0.5,
            height: 0.6,
            cells: 20,
            layers: None,
            flutes: 8,
            flute: 0.07,
            taper: 0.3,
            dome: 0.12,
            element: ElementKind::Tet4,
        }
    }
}

impl Mould {
    /// Generates the mesh.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        check_lengths("mould", &[("radius", self.radius), ("height", self.height)])?;
        check_range("mould", "flute", self.flute, [0.0, 0.1])?;
        check_range("mould", "taper", self.taper, [0.0, 0.4])?;
        check_range("mould", "dome", self.dome, [0.0, 0.2])?;
        let n = self.cells;
        let width = 2.0 * self.radius / n.max(1) as f64;
        let fit = ((self.height / width).round() as usize).max(1);
        let layers = self.layers.unwrap_or(fit);
        check_counts("mould", &[("cells", n), ("layers", layers)])?;
        // Fewer rings than a cylinder leave more cells around, which resolve the flutes.
        let rings = if n < 3 { 0 } else { (n / 5).max(1) };
        let core = n - 2 * rings;
        check_swept_cells("mould", core, rings, layers, self.element)?;
        // With fewer than three cells per flute the mesh cannot resolve it and cells would be inverted.
        check_range(
            "mould",
            "flutes",
            self.flutes as f64,
            [0.0, (4 * core / 3) as f64],
        )?;
        let mut mesh = unit_cylinder(&disc(core, rings), layers, self.element);
        map_points(&mut mesh, |p| self.map_from_cylinder(p));
        Ok(mesh)
    }

    /// Maps a point of the unit cylinder to the jelly.
    fn map_from_cylinder(&self, [u, v, s]: [f64; 3]) -> [f64; 3] {
        let rho2 = u * u + v * v;
        let theta = v.atan2(u);
        let depth = self.flute * (1.0 - 0.5 * s * s) * rho2;
        let wave = 1.0 + depth * (self.flutes as f64 * theta).cos();
        let r = self.radius * (1.0 - self.taper * s) * (1.0 - s.powi(4) / 16.0) * wave;
        let y = self.height * s * (1.0 - self.dome * s * rho2);
        Axis::Y.to_world([r * u, r * v, y])
    }
}
