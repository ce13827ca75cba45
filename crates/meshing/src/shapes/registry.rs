//! The shapes by name.

/// A shape a scene file can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name in scene files.
    pub name: &'static str,
    /// What it is and where it lies.
    pub description: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// Its unit; empty for counts, names and ratios.
    pub unit: &'static str,
    /// What it is when absent, as written in a scene file; `None` where it must be given.
    pub default: Option<&'static str>,
    /// What it means.
    pub description: &'static str,
}

const fn key(
    name: &'static str,
    unit: &'static str,
    default: Option<&'static str>,
    description: &'static str,
) -> Key {
    Key {
        name,
        unit,
        default,
        description,
    }
}

const ANY: &str = "hex8, tet4, hex20 or tet10";
const TURN: &str = "x, y or z: the axis it turns about";

/// Every shape there is.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "box",
        description: "a box with a corner at the origin, growing along +x, +y, +z",
        keys: &[
            key("size", "m", None, "lengths along x, y, z"),
            key("cells", "", None, "cells along x, y, z"),
            key("element", "", Some("\"hex8\""), ANY),
            key(
                "split",
                "",
                Some("\"six\""),
                "tetrahedra in a cell: six around one diagonal, or five in mirrored pairs",
            ),
        ],
    },
    Shape {
        name: "sheet",
        description: "a plate in the x-y plane with a corner at the origin, one cell thick along +z",
        keys: &[
            key("size", "m", None, "lengths along x and y"),
            key("cells", "", None, "cells along x and y"),
            key(
                "thickness",
                "m",
                Some("flat"),
                "thickness along z; without it quadrilaterals or triangles",
            ),
            key("element", "", Some("\"hex8\""), ANY),
        ],
    },
    Shape {
        name: "ball",
        description: "a ball centred at the origin",
        keys: &[
            key("radius", "m", None, "radius"),
            key("cells", "", None, "cells across a diameter"),
            key("element", "", Some("\"tet4\""), ANY),
        ],
    },
    Shape {
        name: "cylinder",
        description: "a cylinder centred at the origin, upright",
        keys: &[
            key("radius", "m", None, "radius"),
            key("height", "m", None, "length along the axis"),
            key("cells", "", None, "cells across a diameter"),
            key("layers", "", Some("fitting"), "cells along the axis"),
            key("element", "", Some("\"hex8\""), ANY),
            key("axis", "", Some("\"y\""), TURN),
        ],
    },
    Shape {
        name: "torus",
        description: "a ring centred at the origin, lying flat",
        keys: &[
            key(
                "radius",
                "m",
                None,
                "from the centre to the middle of the tube",
            ),
            key("tube", "m", None, "radius of the tube"),
            key("cells", "", None, "cells across the tube"),
            key(
                "around",
                "",
                Some("fitting"),
                "cells around the ring, even for tetrahedra",
            ),
            key("element", "", Some("\"hex8\""), ANY),
            key("axis", "", Some("\"y\""), TURN),
        ],
    },
    Shape {
        name: "mould",
        description: "a fluted, tapered jelly with a rounded top, standing on y = 0",
        keys: &[
            key("radius", "m", Some("0.5"), "mean radius at the foot"),
            key("height", "m", Some("0.6"), "height in the middle"),
            key("cells", "", Some("20"), "cells across the foot"),
            key("layers", "", Some("fitting"), "cells from foot to top"),
            key("flutes", "", Some("8"), "number of flutes around"),
            key(
                "flute",
                "",
                Some("0.07"),
                "depth of a flute against the radius",
            ),
            key("taper", "", Some("0.3"), "how much narrower the top is"),
            key(
                "dome",
                "",
                Some("0.12"),
                "how much lower the top's rim is than its middle",
            ),
            key("element", "", Some("\"tet4\""), ANY),
        ],
    },
    Shape {
        name: "blob",
        description: "a figure with head, ears, arms, legs and tail that faces +z, or a cactus, standing on y = 0",
        keys: &[
            key("figure", "", Some("\"armadillo\""), "armadillo or cactus"),
            key("height", "m", Some("1.0"), "from foot to top"),
            key("cells", "", Some("24"), "lattice cells along the height"),
            key("element", "", Some("\"tet4\""), "tet4 or tet10"),
        ],
    },
];
