//! The contents of a picture: surfaces, spheres, capsules, ground, title and colour bar.

use crate::colour::{ColourMap, Rgb};
use crate::error::PictureError;
use crate::vec3::Vec3;

/// The contents of one picture: surfaces, spheres, capsules, ground, title and colour bar.
#[derive(Clone, Debug, Default)]
pub struct View<'a> {
    /// The triangle meshes.
    pub surfaces: Vec<Surface<'a>>,
    /// The spheres, used for particles.
    pub spheres: Vec<Sphere>,
    /// The capsules, used for springs and other thick lines.
    pub capsules: Vec<Capsule>,
    /// The height y of the ground plane in metres; `None` draws no ground.
    pub ground: Option<f64>,
    /// The title in the upper left corner.
    pub title: String,
    /// The colour bar at the right edge.
    pub colour_bar: Option<ColourBar>,
}

/// A triangle mesh with its colours. Triangles without area or with a corner that is not finite are not drawn.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// The positions of the vertices in metres.
    pub positions: &'a [[f64; 3]],
    /// The vertex indices of the triangles, visible from both sides.
    pub triangles: &'a [[u32; 3]],
    /// The colours of the surface.
    pub colouring: Colouring<'a>,
    /// The lines along the edges of the triangles; `None` draws none.
    pub wireframe: Option<Wireframe>,
    /// The crease angle in degrees: edges whose triangles meet at a larger angle are shaded sharp.
    pub crease_deg: f64,
}

/// The colours of a surface: uniform, per vertex, per triangle, or from a field.
#[derive(Clone, Copy, Debug)]
pub enum Colouring<'a> {
    /// One colour.
    Uniform(Rgb),
    /// A colour for each vertex.
    PerVertex(&'a [Rgb]),
    /// A colour for each triangle.
    PerTriangle(&'a [Rgb]),
    /// A field value for each vertex, coloured by a scale.
    VertexField(&'a [f64], ColourScale),
    /// A field value for each triangle, coloured by a scale.
    TriangleField(&'a [f64], ColourScale),
}

/// A linear scale from field values to the colours of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourScale {
    /// The colour map.
    pub map: ColourMap,
    /// The value of the first colour of the map.
    pub from: f64,
    /// The value of the last colour of the map.
    pub to: f64,
}

/// The colour and width of lines along triangle edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wireframe {
    /// The colour of the lines.
    pub colour: Rgb,
    /// The width of the lines in pixels.
    pub width: f64,
}

/// A sphere of one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The centre in metres.
    pub centre: [f64; 3],
    /// The radius in metres.
    pub radius: f64,
    /// The colour.
    pub colour: Rgb,
}

/// A cylinder with hemispherical ends, of one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the axis in metres.
    pub a: [f64; 3],
    /// The other end of the axis in metres.
    pub b: [f64; 3],
    /// The radius in metres.
    pub radius: f64,
    /// The colour.
    pub colour: Rgb,
}

/// A bar that shows a colour scale with ticks and a label.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourBar {
    /// The colour scale shown.
    pub scale: ColourScale,
    /// The name and unit of the field.
    pub label: String,
}

impl<'a> Surface<'a> {
    /// Creates a surface without wireframe and with a crease angle of 40°.
    pub fn new(
        positions: &'a [[f64; 3]],
        triangles: &'a [[u32; 3]],
        colouring: Colouring<'a>,
    ) -> Surface<'a> {
        Surface {
            positions,
            triangles,
            colouring,
            wireframe: None,
            crease_deg: 40.0,
        }
    }

    /// Returns an error if a triangle refers to a missing vertex or the number of colours or values is wrong.
    pub(crate) fn validate(&self) -> Result<(), PictureError> {
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
        let (what, of, wanted, found) = match self.colouring {
            Colouring::Uniform(_) => return Ok(()),
            Colouring::PerVertex(c) => ("colours", "vertices", vertices, c.len()),
            Colouring::VertexField(c, _) => ("values", "vertices", vertices, c.len()),
            Colouring::PerTriangle(c) => ("colours", "triangles", self.triangles.len(), c.len()),
            Colouring::TriangleField(c, _) => {
                ("values", "triangles", self.triangles.len(), c.len())
            }
        };
        if wanted == found {
            Ok(())
        } else {
            Err(PictureError::ColourCount {
                what,
                of,
                wanted,
                found,
            })
        }
    }
}

impl Colouring<'_> {
    /// Returns the colour at the barycentric coordinates `w` of triangle `t`.
    pub(crate) fn at(&self, t: usize, corners: [u32; 3], w: Vec3) -> Rgb {
        match self {
            Colouring::Uniform(c) => *c,
            Colouring::PerTriangle(c) => c[t],
            Colouring::TriangleField(x, scale) => scale.colour(x[t]),
            Colouring::PerVertex(c) => {
                let c = corners.map(|v| c[v as usize]);
                std::array::from_fn(|k| (0..3).map(|i| w[i] as f32 * c[i][k]).sum())
            }
            Colouring::VertexField(x, scale) => {
                scale.colour((0..3).map(|i| w[i] * x[corners[i] as usize]).sum())
            }
        }
    }
}

impl ColourScale {
    /// Creates a scale that spans all finite `values`; of width 1 if they are equal, 0 to 1 if there are none.
    pub fn spanning<'b>(map: ColourMap, values: impl IntoIterator<Item = &'b f64>) -> ColourScale {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for &x in values.into_iter().filter(|x| x.is_finite()) {
            (from, to) = (from.min(x), to.max(x));
        }
        match from.partial_cmp(&to) {
            Some(std::cmp::Ordering::Less) => ColourScale { map, from, to },
            Some(std::cmp::Ordering::Equal) => ColourScale {
                map,
                from,
                to: from + 1.0,
            },
            _ => ColourScale {
                map,
                from: 0.0,
                to: 1.0,
            },
        }
    }

    /// Returns the colour of a value.
    pub fn colour(&self, x: f64) -> Rgb {
        self.map.at((x - self.from) / (self.to - self.from))
    }
}
