//! What is in front of the camera.

use crate::colour::{ColourMap, Rgb};
use crate::fault::PictureError;
use crate::space::V3;

/// Everything in one picture.
#[derive(Clone, Debug, Default)]
pub struct Shot<'a> {
    /// Triangle meshes.
    pub surfaces: Vec<Surface<'a>>,
    /// Particles.
    pub balls: Vec<Ball>,
    /// Springs and other thick lines.
    pub rods: Vec<Rod>,
    /// Height y of the ground, m; none for no ground.
    pub ground: Option<f64>,
    /// Words in the upper left corner.
    pub title: String,
    /// Scale of the colours at the right edge.
    pub bar: Option<Bar>,
}

/// A triangle mesh and its looks. Triangles with a NaN or infinite corner, or without area, are left out.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Vertices, m.
    pub positions: &'a [[f64; 3]],
    /// Triangles between them; seen from both sides.
    pub triangles: &'a [[u32; 3]],
    /// Its colour.
    pub paint: Paint<'a>,
    /// Lines along the triangles' edges.
    pub wire: Option<Wire>,
    /// Edges whose triangles meet at a larger angle than this look sharp, degrees.
    pub crease_deg: f64,
}

/// How a surface is coloured.
#[derive(Clone, Copy, Debug)]
pub enum Paint<'a> {
    /// One colour.
    Plain(Rgb),
    /// A colour for each vertex.
    Vertices(&'a [Rgb]),
    /// A colour for each triangle.
    Triangles(&'a [Rgb]),
    /// A number for each vertex.
    VertexField(&'a [f64], Scale),
    /// A number for each triangle.
    TriangleField(&'a [f64], Scale),
}

/// From numbers to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The colours.
    pub map: ColourMap,
    /// Number of the map's first colour.
    pub from: f64,
    /// Number of its last.
    pub to: f64,
}

/// Lines along edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wire {
    /// Their colour.
    pub colour: Rgb,
    /// Their width, pixels.
    pub width: f64,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its middle, m.
    pub centre: [f64; 3],
    /// Its radius, m.
    pub radius: f64,
    /// Its colour.
    pub colour: Rgb,
}

/// A thick line with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// One end, m.
    pub a: [f64; 3],
    /// The other end, m.
    pub b: [f64; 3],
    /// Its radius, m.
    pub radius: f64,
    /// Its colour.
    pub colour: Rgb,
}

/// A scale of colours with ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it explains.
    pub scale: Scale,
    /// Name and unit of the field.
    pub label: String,
}

impl<'a> Surface<'a> {
    /// A surface of one colour with creases at 40°.
    pub fn new(
        positions: &'a [[f64; 3]],
        triangles: &'a [[u32; 3]],
        paint: Paint<'a>,
    ) -> Surface<'a> {
        Surface {
            positions,
            triangles,
            paint,
            wire: None,
            crease_deg: 40.0,
        }
    }

    pub(crate) fn refuse_misfits(&self) -> Result<(), PictureError> {
        let vertices = self.positions.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(PictureError::Triangle {
                    triangle,
                    vertex,
                    vertices,
                });
            }
        }
        let (what, of, wanted, found) = match self.paint {
            Paint::Plain(_) => return Ok(()),
            Paint::Vertices(c) => ("colours", "vertices", vertices, c.len()),
            Paint::VertexField(c, _) => ("values", "vertices", vertices, c.len()),
            Paint::Triangles(c) => ("colours", "triangles", self.triangles.len(), c.len()),
            Paint::TriangleField(c, _) => ("values", "triangles", self.triangles.len(), c.len()),
        };
        if wanted == found {
            Ok(())
        } else {
            Err(PictureError::Paint {
                what,
                of,
                wanted,
                found,
            })
        }
    }
}

impl Paint<'_> {
    /// The colour at barycentric `w` of triangle `t`.
    pub(crate) fn at(&self, t: usize, corners: [u32; 3], w: V3) -> Rgb {
        match self {
            Paint::Plain(c) => *c,
            Paint::Triangles(c) => c[t],
            Paint::TriangleField(x, scale) => scale.colour(x[t]),
            Paint::Vertices(c) => {
                let c = corners.map(|v| c[v as usize]);
                std::array::from_fn(|k| (0..3).map(|i| w[i] as f32 * c[i][k]).sum())
            }
            Paint::VertexField(x, scale) => {
                scale.colour((0..3).map(|i| w[i] * x[corners[i] as usize]).sum())
            }
        }
    }
}

impl Scale {
    /// A scale over all finite `values`; one of width 1 where they are all the same.
    pub fn over<'b>(map: ColourMap, values: impl IntoIterator<Item = &'b f64>) -> Scale {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for &x in values.into_iter().filter(|x| x.is_finite()) {
            (from, to) = (from.min(x), to.max(x));
        }
        match from.partial_cmp(&to) {
            Some(std::cmp::Ordering::Less) => Scale { map, from, to },
            Some(std::cmp::Ordering::Equal) => Scale {
                map,
                from,
                to: from + 1.0,
            },
            _ => Scale {
                map,
                from: 0.0,
                to: 1.0,
            },
        }
    }

    /// The colour of a number.
    pub fn colour(&self, x: f64) -> Rgb {
        self.map.at((x - self.from) / (self.to - self.from))
    }
}
