//! Tetrahedra on 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1, with VTK's node order.

use super::ShapeValues;

/// Gradients of the barycentric coordinates (1 − ξ − η − ζ, ξ, η, ζ).
const GRADIENT: [[f64; 3]; 4] = [
    [-1.0, -1.0, -1.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

/// Corners of the edges that carry nodes 4 to 9.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

fn barycentric([x, y, z]: [f64; 3]) -> [f64; 4] {
    [1.0 - x - y - z, x, y, z]
}

/// Four nodes.
pub fn linear(xi: [f64; 3]) -> ShapeValues {
    (barycentric(xi).to_vec(), GRADIENT.to_vec())
}

/// Ten nodes.
pub fn quadratic(xi: [f64; 3]) -> ShapeValues {
    let l = barycentric(xi);
    let corners = (0..4).map(|a| {
        (
            l[a] * (2.0 * l[a] - 1.0),
            GRADIENT[a].map(|g| g * (4.0 * l[a] - 1.0)),
        )
    });
    let edges = EDGES.iter().map(|&[a, b]| {
        (
            4.0 * l[a] * l[b],
            [0, 1, 2].map(|k| 4.0 * (l[a] * GRADIENT[b][k] + l[b] * GRADIENT[a][k])),
        )
    });
    corners.chain(edges).unzip()
}

/// Quadrature of degree 1 (one point), 2 (four) or 6 (24 points; Keast 1986, rule 7).
pub fn points(count: usize) -> Vec<([f64; 3], f64)> {
    match count {
        1 => vec![([0.25; 3], 1.0 / 6.0)],
        4 => orbit(&[[1.0 - 3.0 * A4, A4, A4, A4]], 1.0 / 24.0),
        _ => KEAST.iter().flat_map(|&(l, w)| orbit(&[l], w)).collect(),
    }
}

/// (5 − √5)/20.
const A4: f64 = 0.138_196_601_125_010_5;

/// Barycentric coordinates and weights of Keast's rule of degree 6, one representative an orbit.
const KEAST: [([f64; 4], f64); 4] = [
    (
        [
            0.356_191_386_222_544_9,
            0.214_602_871_259_151_68,
            0.214_602_871_259_151_68,
            0.214_602_871_259_151_68,
        ],
        0.006_653_791_709_694_646,
    ),
    (
        [
            0.877_978_124_396_166,
            0.040_673_958_534_611_35,
            0.040_673_958_534_611_35,
            0.040_673_958_534_611_35,
        ],
        0.001_679_535_175_886_776_8,
    ),
    (
        [
            0.032_986_329_573_173_06,
            0.322_337_890_142_275_65,
            0.322_337_890_142_275_65,
            0.322_337_890_142_275_65,
        ],
        0.009_226_196_923_942_392,
    ),
    (
        [
            0.063_661_001_875_017_53,
            0.063_661_001_875_017_53,
            0.269_672_331_458_315_9,
            0.603_005_664_791_649,
        ],
        0.008_035_714_285_714_285,
    ),
];

/// All points that a permutation of barycentric coordinates makes of these.
fn orbit(representatives: &[[f64; 4]], weight: f64) -> Vec<([f64; 3], f64)> {
    let mut out: Vec<[f64; 3]> = Vec::new();
    for l in representatives {
        for i in 0..4 {
            for j in (0..4).filter(|&j| j != i) {
                for k in (0..4).filter(|&k| k != i && k != j) {
                    let p = [l[i], l[j], l[k]];
                    if !out.contains(&p) {
                        out.push(p);
                    }
                }
            }
        }
    }
    out.into_iter().map(|p| (p, weight)).collect()
}

/// The one point at which to look at a Jacobian that is the same everywhere.
pub fn linear_samples() -> Vec<([f64; 3], f64)> {
    vec![([0.25; 3], 1.0 / 6.0)]
}

/// Five points of degree 3, which the volume of a quadratic tetrahedron needs, and the corners with weight 0.
pub fn quadratic_samples() -> Vec<([f64; 3], f64)> {
    let (a, b) = (1.0 / 6.0, 0.5);
    let w = 0.45 / 6.0;
    let mut p = vec![([0.25; 3], -0.8 / 6.0)];
    p.extend([[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|x| (x, w)));
    p.extend(CORNERS.map(|x| (x, 0.0)));
    p
}

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Reference positions of the nodes.
pub fn nodes(count: usize) -> Vec<[f64; 3]> {
    let corners = CORNERS;
    let middles = EDGES
        .iter()
        .map(|&[a, b]| [0, 1, 2].map(|k| 0.5 * (corners[a][k] + corners[b][k])));
    corners.into_iter().chain(middles).take(count).collect()
}
