//! `mesh`: the generated shapes and mesh files a body can have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Axis, Vec3};

/// The shape of a body: one of the generated ones, or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "MeshKeys", into = "MeshKeys")]
pub enum Mesh {
    /// A box with a corner at the origin.
    Box(BoxShape),
    /// A ball centred at the origin.
    Ball(BallShape),
    /// A sheet in the plane z = 0 with a corner at the origin.
    Sheet(SheetShape),
    /// A cylinder along y, centred at the origin.
    Cylinder(CylinderShape),
    /// A torus around y, centred at the origin.
    Torus(TorusShape),
    /// A figure with head, arms, legs and tail, standing on y = 0.
    Blob(BlobShape),
    /// A jelly from a fluted mould, standing on y = 0.
    Mould(MouldShape),
    /// A mesh file.
    File(FileMesh),
}

/// A mesh read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileMesh {
    /// Path, relative to the scene file.
    pub path: String,
    /// Scale factor of all coordinates.
    pub scale: f64,
    /// Filling of a closed surface with tetrahedra.
    pub fill: Option<Fill>,
}

/// The shape of a body: exactly one of the generated shapes, or `file`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = {"scale": ["file"], "fill": ["file"]},
    "x-groups" = [["box"], ["ball"], ["sheet"], ["cylinder"], ["torus"], ["blob"], ["mould"], ["file", "scale", "fill"]]))]
struct MeshKeys {
    /// A box with a corner at the origin, extending along +x, +y, +z.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    cuboid: Option<BoxShape>,
    /// A ball centred at the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ball: Option<BallShape>,
    /// A sheet with a corner at the origin, extending along +x, +y and, with a thickness, +z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sheet: Option<SheetShape>,
    /// A cylinder along y, centred at the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cylinder: Option<CylinderShape>,
    /// A torus around y, centred at the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    torus: Option<TorusShape>,
    /// A figure with head, ears, arms, legs and tail that faces +z, a cactus, or a tree, standing on y = 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blob: Option<BlobShape>,
    /// A jelly from a fluted mould, standing on y = 0, with axis y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mould: Option<MouldShape>,
    /// A mesh file, relative to the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    file: Option<String>,
    /// Scale factor of all coordinates in `file` (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    scale: Option<f64>,
    /// Filling of a closed surface in `file` with tetrahedra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fill: Option<Fill>,
}

impl TryFrom<MeshKeys> for Mesh {
    type Error = &'static str;

    fn try_from(keys: MeshKeys) -> Result<Self, Self::Error> {
        if keys.file.is_none() && (keys.scale.is_some() || keys.fill.is_some()) {
            return Err("`scale` and `fill` go with `file`");
        }
        let mut found = Vec::new();
        found.extend(keys.cuboid.map(Mesh::Box));
        found.extend(keys.ball.map(Mesh::Ball));
        found.extend(keys.sheet.map(Mesh::Sheet));
        found.extend(keys.cylinder.map(Mesh::Cylinder));
        found.extend(keys.torus.map(Mesh::Torus));
        found.extend(keys.blob.map(Mesh::Blob));
        found.extend(keys.mould.map(Mesh::Mould));
        let (scale, fill) = (keys.scale.unwrap_or(1.0), keys.fill);
        found.extend(
            keys.file
                .map(|path| Mesh::File(FileMesh { path, scale, fill })),
        );
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (None, _) => Err("needs a shape or a file"),
            _ => Err("has more than one shape"),
        }
    }
}

impl From<Mesh> for MeshKeys {
    fn from(mesh: Mesh) -> Self {
        let keys = MeshKeys::default();
        match mesh {
            Mesh::Box(s) => MeshKeys {
                cuboid: Some(s),
                ..keys
            },
            Mesh::Ball(s) => MeshKeys {
                ball: Some(s),
                ..keys
            },
            Mesh::Sheet(s) => MeshKeys {
                sheet: Some(s),
                ..keys
            },
            Mesh::Cylinder(s) => MeshKeys {
                cylinder: Some(s),
                ..keys
            },
            Mesh::Torus(s) => MeshKeys {
                torus: Some(s),
                ..keys
            },
            Mesh::Blob(s) => MeshKeys {
                blob: Some(s),
                ..keys
            },
            Mesh::Mould(s) => MeshKeys {
                mould: Some(s),
                ..keys
            },
            Mesh::File(f) => MeshKeys {
                file: Some(f.path),
                scale: Some(f.scale),
                fill: f.fill,
                ..keys
            },
        }
    }
}

/// Finite elements of generated shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Element {
    /// Hexahedra with 8 nodes (trilinear).
    Hex8,
    /// Tetrahedra with 4 nodes (linear).
    Tet4,
    /// Hexahedra with 20 nodes (serendipity).
    Hex20,
    /// Tetrahedra with 10 nodes (quadratic).
    Tet10,
}

fn hex8() -> Element {
    Element::Hex8
}

fn tet4() -> Element {
    Element::Tet4
}

/// Subdivision of a cell of a box into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Six tetrahedra around a diagonal, with the same pattern in every cell.
    #[default]
    Six,
    /// Five tetrahedra, mirrored from cell to cell.
    Five,
}

/// A box with a corner at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BoxShape {
    /// Lengths of the edges along x, y, z (m).
    #[schemars(extend("items" = {"type": "number", "format": "double", "exclusiveMinimum": 0}))]
    pub size: Vec3,
    /// Number of cells along x, y, z.
    #[schemars(inner(range(min = 1, max = 100_000)))]
    pub cells: [u32; 3],
    /// Kind of element.
    #[serde(default = "hex8")]
    pub element: Element,
    /// Subdivision of a cell into tetrahedra.
    #[serde(default)]
    pub split: Split,
}

/// A ball centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BallShape {
    /// Radius (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Number of cells across the diameter.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Kind of element.
    #[serde(default = "tet4")]
    pub element: Element,
}

/// A sheet with a corner at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SheetShape {
    /// Lengths of the edges along x and y (m).
    #[schemars(extend("items" = {"type": "number", "format": "double", "exclusiveMinimum": 0}))]
    pub size: [f64; 2],
    /// Number of cells along x and y.
    #[schemars(inner(range(min = 1, max = 100_000)))]
    pub cells: [u32; 2],
    /// Thickness along z (m), one cell thick; without it the sheet is a surface, for `springs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
    /// Kind of element of a sheet with a thickness.
    #[serde(default = "hex8")]
    pub element: Element,
}

/// A cylinder along y, centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CylinderShape {
    /// Radius (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height along y (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Number of cells across the diameter.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Number of cells along the axis; cells about as long as wide if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub layers: Option<u32>,
    /// Kind of element.
    #[serde(default = "hex8")]
    pub element: Element,
    /// Direction of the axis.
    #[serde(default = "y_axis")]
    pub axis: Axis,
}

fn y_axis() -> Axis {
    Axis::Y
}

/// A torus around y, centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TorusShape {
    /// Radius of the circle in the middle of the tube (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Radius of the tube (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tube: f64,
    /// Number of cells across the tube.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Number of cells around the ring, even for tetrahedra; cells about as long as wide if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 3, max = 100_000))]
    pub around: Option<u32>,
    /// Kind of element.
    #[serde(default = "hex8")]
    pub element: Element,
    /// Axis through the hole.
    #[serde(default = "y_axis")]
    pub axis: Axis,
}

/// A figure with head, ears, arms, legs and tail, facing +z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BlobShape {
    /// Figure to generate.
    pub figure: Figure,
    /// Height from foot to top (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Number of lattice cells along the height.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Kind of element: `tet4` or `tet10`.
    pub element: Element,
}

impl Default for BlobShape {
    fn default() -> Self {
        BlobShape {
            figure: Figure::Armadillo,
            height: 1.0,
            cells: 24,
            element: Element::Tet4,
        }
    }
}

/// Figures that a blob can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// A figure with head, ears, arms, legs and tail.
    Armadillo,
    /// A trunk with two arms.
    Cactus,
    /// A trunk whose branches fork twice, without leaves.
    Tree,
}

/// A jelly from a fluted mould.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MouldShape {
    /// Mean radius at the foot (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Height in the middle (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub height: f64,
    /// Number of cells across the foot.
    #[schemars(range(min = 1, max = 100_000))]
    pub cells: u32,
    /// Number of cells from foot to top; cells about as tall as wide if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub layers: Option<u32>,
    /// Number of flutes around the axis.
    #[schemars(range(max = 100_000))]
    pub flutes: u32,
    /// Depth of a flute as a fraction of the radius.
    #[schemars(range(min = 0, max = 0.15))]
    pub flute: f64,
    /// Reduction of the radius from foot to top, as a fraction.
    #[schemars(range(min = 0, max = 0.6))]
    pub taper: f64,
    /// Height difference between the middle and the rim of the top, as a fraction.
    #[schemars(range(min = 0, max = 0.4))]
    pub dome: f64,
    /// Kind of element.
    pub element: Element,
}

impl Default for MouldShape {
    fn default() -> Self {
        MouldShape {
            radius: 0.5,
            height: 0.6,
            cells: 20,
            layers: None,
            flutes: 8,
            flute: 0.07,
            taper: 0.3,
            dome: 0.2,
            element: Element::Tet4,
        }
    }
}

/// Filling of a closed surface with tetrahedra.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Fill {
    /// Size of a cell (m).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cell: f64,
}
