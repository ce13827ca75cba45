//! The jelly mould: a fluted, tapered cake with a rounded top, standing on y = 0 about the y axis.
//!
//! The unit cylinder (ρ, θ, s) goes to
//! r = radius · ρ (1 − taper s)(1 − s⁴/16)(1 + flute (1 − s²/2) ρ² cos(flutes θ)), y = height · s (1 − dome s ρ²).

use mesh::Mesh;

use super::disc::disc;
use super::error::{check_counts, check_lengths, check_range};
use super::rings::{check_sweep, unit_cylinder};
use super::{Axis, Element, ShapeError, map_points};

/// A jelly, fresh from its mould.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mould {
    /// Mean radius at the foot, m.
    pub radius: f64,
    /// Height in the middle, m.
    pub height: f64,
    /// Cells across the foot.
    pub cells: usize,
    /// Cells from foot to top; as many as make cells about as tall as wide when absent.
    pub layers: Option<usize>,
    /// Number of flutes around.
    pub flutes: usize,
    /// Depth of a flute against the radius, 0 to 0.1.
    pub flute: f64,
    /// How much narrower the top is, 0 to 0.4.
    pub taper: f64,
    /// How much lower the top's rim is than its middle, 0 to 0.2.
    pub dome: f64,
    /// Kind of cell.
    pub element: Element,
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
            element: Element::Tet4,
        }
    }
}

impl Mould {
    /// Makes the mesh.
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
        // Fewer rings than a cylinder: more cells around, to draw the flutes with.
        let rings = if n < 3 { 0 } else { (n / 5).max(1) };
        let middle = n - 2 * rings;
        check_sweep("mould", middle, rings, layers, self.element)?;
        // A flute wants three cells around at least, or the mesh cannot show it and cells fold.
        check_range(
            "mould",
            "flutes",
            self.flutes as f64,
            [0.0, (4 * middle / 3) as f64],
        )?;
        let mut mesh = unit_cylinder(&disc(middle, rings), layers, self.element);
        map_points(&mut mesh, |p| self.shape(p));
        Ok(mesh)
    }

    fn shape(&self, [u, v, s]: [f64; 3]) -> [f64; 3] {
        let rho2 = u * u + v * v;
        let theta = v.atan2(u);
        let depth = self.flute * (1.0 - 0.5 * s * s) * rho2;
        let wave = 1.0 + depth * (self.flutes as f64 * theta).cos();
        let r = self.radius * (1.0 - self.taper * s) * (1.0 - s.powi(4) / 16.0) * wave;
        let y = self.height * s * (1.0 - self.dome * s * rho2);
        Axis::Y.place([r * u, r * v, y])
    }
}
