//! Registry of the shapes that scene files can name, with their keys.

/// Name, description and keys of a shape of scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeInfo {
    /// Name in scene files.
    pub name: &'static str,
    /// One-line description of the shape and its position.
    pub description: &'static str,
    /// Keys of the shape.
    pub keys: &'static [ShapeKey],
}

/// Key of a shape in scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeKey {
    /// Name of the key.
    pub name: &'static str,
    /// Unit; empty for counts, names and ratios.
    pub unit: &'static str,
    /// Default value as written in a scene file; `None` if the key is required.
    pub default: Option<&'static str>,
    /// One-line description of the value.
    pub description: &'static str,
}

const fn key(
    name: &'static str,
    unit: &'static str,
    default: Option<&'static str>,
    description: &'static str,
) -> ShapeKey {
    ShapeKey {
        name,
        unit,
        default,
        description,
    }
}

const ALL_ELEMENTS: &str = "hex8, tet4, hex20 or tet10";
const AXES: &str = "x, y or z: the axis of revolution";

/// All shapes of scene files.
pub const SHAPES: &[ShapeInfo] = &[
    ShapeInfo {
        name: "box",
        description: "a box with a corner at the origin, extending along +x, +y, +z",
        keys: &[
            key("size", "m", None, "lengths along x, y, z"),
            key("cells", "", None, "cells along x, y, z"),
            key("element", "", Some("\"hex8\""), ALL_ELEMENTS),
            key(
                "split",
                "",
                Some("\"six\""),
                "tetrahedra per grid cell: \"six\" around one diagonal, or \"five\" mirrored from cell to cell",
            ),
        ],
    },
    ShapeInfo {
        name: "sheet",
        description: "a plate in the x-y plane with a corner at the origin, one cell thick along +z",
        keys: &[
            key("size", "m", None, "lengths along x and y"),
            key("cells", "", None, "cells along x and y"),
            key(
                "thickness",
                "m",
                Some("flat"),
                "thickness along z; a sheet without it has quadrilaterals or triangles",
            ),
            key("element", "", Some("\"hex8\""), ALL_ELEMENTS),
        ],
    },
    ShapeInfo {
        name: "ball",
        description: "a ball centred at the origin",
        keys: &[
            key("radius", "m", None, "radius"),
            key("cells", "", None, "cells across a diameter"),
            key("element", "", Some("\"tet4\""), ALL_ELEMENTS),
        ],
    },
    ShapeInfo {
        name: "cylinder",
        description: "a cylinder along y, centred at the origin",
        keys: &[
            key("radius", "m", None, "radius"),
            key("height", "m", None, "length along the axis"),
            key("cells", "", None, "cells across a diameter"),
            key("layers", "", Some("fitting"), "cells along the axis"),
            key("element", "", Some("\"hex8\""), ALL_ELEMENTS),
            key("axis", "", Some("\"y\""), AXES),
        ],
    },
    ShapeInfo {
        name: "torus",
        description: "a torus around the y axis, centred at the origin",
        keys: &[
            key(
                "radius",
                "m",
                None,
                "distance from the centre to the middle of the tube",
            ),
            key("tube", "m", None, "radius of the tube"),
            key("cells", "", None, "cells across the tube"),
            key(
                "around",
                "",
                Some("fitting"),
                "cells around the torus, even for tetrahedra",
            ),
            key("element", "", Some("\"hex8\""), ALL_ELEMENTS),
            key("axis", "", Some("\"y\""), AXES),
        ],
    },
    ShapeInfo {
        name: "mould",
        description: "a jelly from a fluted, tapered mould with a rounded top, standing on y = 0",
        keys: &[
            key("radius", "m", Some("0.5"), "mean radius at the base"),
            key("height", "m", Some("0.6"), "height at the axis"),
            key("cells", "", Some("20"), "cells across the base"),
            key("layers", "", Some("fitting"), "cells from base to top"),
            key("flutes", "", Some("8"), "number of flutes around the axis"),
            key(
                "flute",
                "",
                Some("0.07"),
                "depth of the flutes relative to the radius",
            ),
            key(
                "taper",
                "",
                Some("0.3"),
                "relative decrease of the radius from base to top",
            ),
            key(
                "dome",
                "",
                Some("0.12"),
                "height difference between the middle and the rim of the top, relative to the height",
            ),
            key("element", "", Some("\"tet4\""), ALL_ELEMENTS),
        ],
    },
    ShapeInfo {
        name: "blob",
        description: "a figure with head, ears, arms, legs and tail that faces +z, a cactus, or a tree, standing on y = 0",
        keys: &[
            key(
                "figure",
                "",
                Some("\"armadillo\""),
                "armadillo, cactus or tree (24 cells or more)",
            ),
            key("height", "m", Some("1.0"), "approximate height"),
            key("cells", "", Some("24"), "lattice cells along the height"),
            key("element", "", Some("\"tet4\""), "tet4 or tet10"),
        ],
    },
];
