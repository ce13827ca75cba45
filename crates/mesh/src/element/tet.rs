//! Shape functions and quadrature of tetrahedra on 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1, in VTK's node order.

use super::ShapeValues;

/// Gradients of the barycentric coordinates (1 − ξ − η − ζ, ξ, η, ζ).
const GRADIENT: [[f64; 3]; 4] = [
    [-1.0, -1.0, -1.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

/// End corners of the edges with the mid-edge nodes 4 to 9.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

fn barycentric([x, y, z]: [f64; 3]) -> [f64; 4] {
    [1.0 - x - y - z, x, y, z]
}

/// Linear shape functions of the four-node tetrahedron.
pub fn linear(xi: [f64; 3]) -> ShapeValues {
    (barycentric(xi).to_vec(), GRADIENT.to_vec())
}

/// Quadratic shape functions of the ten-node tetrahedron.
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

/// Quadrature points and weights of degree 1 (one point), 2 (four points) or 6 (24 points; Keast 1986, rule 7).
pub fn quadrature_points(count: usize) -> Vec<([f64; 3], f64)> {
    match count {
        1 => vec![([0.25; 3], 1.0 / 6.0)],
        4 => orbit(&[[1.0 - 3.0 * A4, A4, A4, A4]], 1.0 / 24.0),
        _ => KEAST.iter().flat_map(|&(l, w)| orbit(&[l], w)).collect(),
    }
}

/// Barycentric coordinate (5 − √5)/20 of the four-point rule.
const A4: f64 = 0.138_196_601_125_010_5;

/// Barycentric coordinates and weights of Keast's rule of degree 6, one point per symmetry orbit.
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

/// All distinct points that permutations of the barycentric coordinates of `representatives` give.
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

/// Point where the Jacobian of the linear tetrahedron is checked: one suffices because it is constant.
pub fn linear_jacobian_points() -> Vec<([f64; 3], f64)> {
    vec![([0.25; 3], 1.0 / 6.0)]
}

/// Points where the Jacobian of the quadratic tetrahedron is checked: five points of degree 3, which its volume needs,
/// then the corners with weight 0.
pub fn quadratic_jacobian_points() -> Vec<([f64; 3], f64)> {
    let (a, b) = (1.0 / 6.0, 0.5);
    let w = 0.45 / 6.0;
    let mut p = vec![([0.25; 3], -0.8 / 6.0)];
    p.extend([[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|x| (x, w)));
    p.extend(CORNERS.map(|x| (x, 0.0)));
    p
}

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Reference positions of the first `count` nodes.
pub fn nodes(count: usize) -> Vec<[f64; 3]> {
    let corners = CORNERS;
    let mid_nodes = EDGES
        .iter()
        .map(|&[a, b]| [0, 1, 2].map(|k| 0.5 * (corners[a][k] + corners[b][k])));
    corners.into_iter().chain(mid_nodes).take(count).collect()
}
