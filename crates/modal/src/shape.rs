//! What the vibration modes of a body look like: rigid motion, bending, torsion, axial, stretching, shear, or local.
//!
//! A mode u is projected, with the masses of the nodes as weights w, on simple motions in the principal axes of the body. The
//! share of a motion is the part of Σ w |u|² that its projection has.
//!
//! A slender body is cut into sections across its longest axis a. The mean displacement of a section across a, together
//! with its rotation out of its plane, counts as bending; its rotation in its plane as torsion; its displacement along a, with
//! the contraction that Poisson's ratio causes, as axial. A flat body bends if it moves across its plane. A compact body
//! stretches or shears if its displacement is nearly an affine function of position, and twists if its layers rotate in
//! proportion to their distance from the centre.

use material::lanes::Lanes;
use material::small3::symmetric_eigen;
use serde::Serialize;

/// Number of sections across the longest axis of a slender body.
const SECTIONS: usize = 24;
/// Ratio of the two longest radii of gyration from which a body is slender.
const MIN_SLENDERNESS: f64 = 2.0;
/// Ratio of the two shortest radii of gyration from which a body is flat.
const MIN_FLATNESS: f64 = 4.0;
/// Number of nodes below which a body has no shape.
const MIN_NODES: usize = 4;
/// Share from which a motion gives a mode its name.
const MIN_SHARE: f64 = 0.7;
/// Part of a motion's share along one axis from which the axis is named.
const MIN_AXIS_SHARE: f64 = 0.9;
/// Share of rigid motion from which a mode of frequency zero is rigid.
const MIN_RIGID_SHARE: f64 = 0.999;
/// Modes whose squared frequencies differ less than this, relatively, are turned until they move along the principal axes.
const SAME_FREQUENCY: f64 = 1e-4;

/// What a mode looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModeKind {
    /// Rigid motion of a free body.
    Rigid,
    /// Sections move across the long axis, or a flat body out of its plane.
    Bending,
    /// Sections rotate about an axis.
    Torsion,
    /// Sections move along the long axis.
    Axial,
    /// A compact body becomes longer and shorter.
    Stretching,
    /// Layers of a compact body move against each other.
    Shear,
    /// None of these: other motions within the sections or the body.
    Local,
    /// Several of these, none of which dominates.
    Mixed,
}

/// A mode: its frequency and what it looks like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Frequency, Hz.
    pub hz: f64,
    /// Name of the body that moves most; `None` if no body does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What it looks like.
    pub kind: ModeKind,
    /// Axis along which it moves, or about which it turns; `None` if there is no single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<String>,
    /// Share of that motion in the mode.
    pub share: f64,
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let axis = self.axis.as_deref();
        let (name, word) = match self.kind {
            ModeKind::Rigid => ("rigid motion", ""),
            ModeKind::Bending => ("bending", "along"),
            ModeKind::Torsion => ("torsion", "about"),
            ModeKind::Axial => ("axial", "along"),
            ModeKind::Stretching => ("stretching", "along"),
            ModeKind::Shear => ("shear", "along"),
            ModeKind::Local => ("local", ""),
            ModeKind::Mixed => ("mixed", ""),
        };
        f.write_str(name)?;
        if let Some(axis) = axis {
            write!(f, " {word} {axis}")?;
        }
        match self.kind {
            ModeKind::Rigid | ModeKind::Mixed => Ok(()),
            _ => write!(f, " ({:.0} %)", 100.0 * self.share),
        }
    }
}

/// Nodes of a body with its principal axes.
pub struct BodyFrame {
    name: String,
    nodes: Vec<u32>,
    /// Weights of the nodes.
    weights: Vec<f64>,
    /// Positions of the nodes relative to the centre, in the principal axes, the longest first.
    arms: Vec<[f64; 3]>,
    /// Principal axes in the coordinates of the scene.
    axes: [[f64; 3]; 3],
    /// Σ w r_k² along the principal axes.
    moments: [f64; 3],
    /// Section of each node across the longest axis.
    sections: Vec<usize>,
}

/// A motion with the axis it belongs to, and its share.
struct Share {
    kind: ModeKind,
    axis: Option<usize>,
    share: f64,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl BodyFrame {
    /// Measures a body from its nodes, the positions of all nodes and their masses.
    pub fn new(name: String, nodes: Vec<u32>, positions: &[[f64; 3]], mass: &[f64]) -> BodyFrame {
        // Row sums of the consistent masses of quadratic elements can be negative.
        let weights: Vec<f64> = nodes.iter().map(|&i| mass[i as usize].abs()).collect();
        let total: f64 = weights.iter().sum();
        let points = || nodes.iter().map(|&i| positions[i as usize]).zip(&weights);
        let centre = [0, 1, 2].map(|k| points().map(|(x, w)| w * x[k]).sum::<f64>() / total);
        let mut c = [[0.0; 3]; 3];
        for (x, w) in points() {
            for i in 0..3 {
                for j in 0..3 {
                    c[i][j] += w * (x[i] - centre[i]) * (x[j] - centre[j]);
                }
            }
        }
        let (values, vectors) = symmetric_eigen(&c.map(|row| row.map(Lanes::splat)));
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| values[j].0[0].total_cmp(&values[i].0[0]));
        let axes = order.map(|k| [0, 1, 2].map(|i| vectors[i][k].0[0]));
        let arm = |x: [f64; 3]| {
            let r = [0, 1, 2].map(|k| x[k] - centre[k]);
            axes.map(|axis| dot(axis, r))
        };
        let arms: Vec<[f64; 3]> = points().map(|(x, _)| arm(x)).collect();
        let ends = arms
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |e, r| {
                [e[0].min(r[0]), e[1].max(r[0])]
            });
        let width = (ends[1] - ends[0]).max(f64::MIN_POSITIVE) / SECTIONS as f64;
        let section = |r: &[f64; 3]| (((r[0] - ends[0]) / width) as usize).min(SECTIONS - 1);
        BodyFrame {
            name,
            sections: arms.iter().map(section).collect(),
            moments: order.map(|k| values[k].0[0].max(0.0)),
            nodes,
            weights,
            arms,
            axes,
        }
    }

    /// Displacements of the nodes of the body in its principal axes.
    fn local(&self, u: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let one = |&i: &u32| self.axes.map(|axis| dot(axis, u[i as usize]));
        self.nodes.iter().map(one).collect()
    }

    fn energy(&self, u: &[[f64; 3]]) -> f64 {
        let squares = self.weights.iter().zip(u).map(|(w, u)| w * dot(*u, *u));
        squares.sum()
    }

    /// Σ w |u|² of the nearest rigid motion.
    fn rigid_energy(&self, u: &[[f64; 3]]) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let (mut p, mut l) = ([0.0; 3], [0.0; 3]);
        for ((r, u), w) in self.arms.iter().zip(u).zip(&self.weights) {
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                p[k] += w * u[k];
                l[k] += w * (r[i] * u[j] - r[j] * u[i]);
            }
        }
        let turn = |k: usize| {
            let inertia = self.moments[(k + 1) % 3] + self.moments[(k + 2) % 3];
            if inertia > 0.0 {
                l[k] * l[k] / inertia
            } else {
                0.0
            }
        };
        dot(p, p) / total.max(f64::MIN_POSITIVE) + (0..3).map(turn).sum::<f64>()
    }

    fn is_slender(&self) -> bool {
        self.moments[0].sqrt() >= MIN_SLENDERNESS * self.moments[1].sqrt()
    }

    fn is_flat(&self) -> bool {
        self.moments[1].sqrt() >= MIN_FLATNESS * self.moments[2].sqrt()
    }

    /// Shares of the simple motions in a mode, of which the body has the displacements `u` in its principal axes.
    fn shares(&self, u: &[[f64; 3]]) -> Vec<Share> {
        let total = self.energy(u).max(f64::MIN_POSITIVE);
        let mut list = match (self.is_slender(), self.is_flat()) {
            _ if self.nodes.len() < MIN_NODES => Vec::new(),
            (true, _) => self.shares_of_sections(u),
            (false, true) => {
                let normal = self.weights.iter().zip(u).map(|(w, u)| w * u[2] * u[2]);
                vec![(ModeKind::Bending, Some(2), normal.sum())]
            }
            (false, false) => self.shares_of_compact_body(u),
        };
        let share = |(kind, axis, energy): (ModeKind, Option<usize>, f64)| Share {
            kind,
            axis,
            share: (energy / total).clamp(0.0, 1.0),
        };
        let rest = total - list.iter().map(|(_, _, e)| e).sum::<f64>();
        list.push((ModeKind::Local, None, rest.max(0.0)));
        list.into_iter().map(share).collect()
    }

    fn shares_of_sections(&self, u: &[[f64; 3]]) -> Vec<(ModeKind, Option<usize>, f64)> {
        let (mut bending, mut torsion, mut axial) = ([0.0; 2], 0.0, 0.0);
        for section in 0..SECTIONS {
            let own = || (0..u.len()).filter(|&i| self.sections[i] == section);
            let weight: f64 = own().map(|i| self.weights[i]).sum();
            if weight <= 0.0 {
                continue;
            }
            let mean = |of: &[[f64; 3]]| {
                [0, 1, 2].map(|k| own().map(|i| self.weights[i] * of[i][k]).sum::<f64>() / weight)
            };
            let (centre, shift) = (mean(&self.arms), mean(u));
            // Sums of w r_j u_i and w r_j² about the centre of the section.
            let sum = |i: usize, j: usize| {
                own()
                    .map(|n| self.weights[n] * (self.arms[n][j] - centre[j]) * (u[n][i] - shift[i]))
                    .sum::<f64>()
            };
            let square = |j: usize| {
                own()
                    .map(|n| self.weights[n] * (self.arms[n][j] - centre[j]).powi(2))
                    .sum::<f64>()
            };
            let fitted = |product: f64, squares: f64| match squares > 0.0 {
                true => product * product / squares,
                false => 0.0,
            };
            let squares = [square(1), square(2)];
            axial += weight * shift[0] * shift[0];
            for k in 0..2 {
                bending[k] += weight * shift[k + 1].powi(2) + fitted(sum(0, k + 1), squares[k]);
                axial += fitted(sum(k + 1, k + 1), squares[k]);
            }
            torsion += fitted(sum(2, 1) - sum(1, 2), squares[0] + squares[1]);
        }
        vec![
            (ModeKind::Bending, Some(1), bending[0]),
            (ModeKind::Bending, Some(2), bending[1]),
            (ModeKind::Torsion, Some(0), torsion),
            (ModeKind::Axial, Some(0), axial),
        ]
    }

    fn shares_of_compact_body(&self, u: &[[f64; 3]]) -> Vec<(ModeKind, Option<usize>, f64)> {
        let all = || self.arms.iter().zip(u).zip(&self.weights);
        let total: f64 = self.weights.iter().sum();
        let mut out = Vec::new();
        for i in 0..3 {
            let moved: f64 = all().map(|((_, u), w)| w * u[i]).sum();
            let mut shear = moved * moved / total.max(f64::MIN_POSITIVE);
            for j in 0..3 {
                let product: f64 = all().map(|((r, u), w)| w * u[i] * r[j]).sum();
                let energy = product * product / self.moments[j].max(f64::MIN_POSITIVE);
                match i == j {
                    true => out.push((ModeKind::Stretching, Some(i), energy)),
                    false => shear += energy,
                }
            }
            out.push((ModeKind::Shear, Some(i), shear));
            // Layers across axis i rotate in proportion to their distance from the centre.
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let product: f64 = all()
                .map(|((r, u), w)| w * r[i] * (r[j] * u[k] - r[k] * u[j]))
                .sum();
            let squares: f64 = all()
                .map(|((r, _), w)| w * r[i] * r[i] * (r[j] * r[j] + r[k] * r[k]))
                .sum();
            let energy = product * product / squares.max(f64::MIN_POSITIVE);
            out.push((ModeKind::Torsion, Some(i), energy));
        }
        out
    }

    /// Name of a principal axis: a letter, or its components.
    fn axis_name(&self, k: usize) -> String {
        let axis = self.axes[k];
        match axis.iter().position(|x| x.abs() > 0.99) {
            Some(i) => ["x", "y", "z"][i].into(),
            None => {
                let sign = if axis.iter().sum::<f64>() < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                // Adding zero makes −0 and 0 the same number.
                let [x, y, z] = axis.map(|x| (100.0 * sign * x).round() / 100.0 + 0.0);
                format!("({x}, {y}, {z})")
            }
        }
    }

    /// Name of the mode: the kind with the largest share, if that is large enough.
    fn name(&self, u: &[[f64; 3]]) -> (ModeKind, Option<String>, f64) {
        let shares = self.shares(u);
        let of_kind = |kind: ModeKind| -> f64 {
            let same = shares.iter().filter(|s| s.kind == kind);
            same.map(|s| s.share).sum()
        };
        let kinds = shares.iter().map(|s| (s.kind, of_kind(s.kind)));
        let best = kinds.fold((ModeKind::Mixed, 0.0), |best, one| {
            if one.1 > best.1 { one } else { best }
        });
        if best.1 < MIN_SHARE {
            return (ModeKind::Mixed, None, best.1);
        }
        let along = |s: &&Share| s.kind == best.0 && s.share >= MIN_AXIS_SHARE * best.1;
        let axis = shares.iter().find(along).and_then(|s| s.axis);
        (best.0, axis.map(|k| self.axis_name(k)), best.1.min(1.0))
    }
}

/// Describes modes, given as squared circular frequencies and displacements of all nodes, the lowest first. Frequencies
/// below `rigid_below`, rad²/s², with the shape of a rigid motion are those of free bodies.
pub fn describe(
    bodies: &[BodyFrame],
    modes: &mut [(f64, Vec<[f64; 3]>)],
    rigid_below: f64,
) -> Vec<Mode> {
    align_pairs(bodies, modes, rigid_below);
    let one = |(square, u): &(f64, Vec<[f64; 3]>)| {
        let local: Vec<Vec<[f64; 3]>> = bodies.iter().map(|b| b.local(u)).collect();
        let energies: Vec<f64> = bodies
            .iter()
            .zip(&local)
            .map(|(b, u)| b.energy(u))
            .collect();
        let total = energies.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let rigid = bodies.iter().zip(&local).map(|(b, u)| b.rigid_energy(u));
        let rigid = rigid.sum::<f64>() / total;
        let most = (0..bodies.len()).max_by(|&i, &j| energies[i].total_cmp(&energies[j]));
        let (kind, axis, share) = match most {
            None => (ModeKind::Local, None, 1.0),
            Some(_) if *square <= rigid_below && rigid >= MIN_RIGID_SHARE => {
                (ModeKind::Rigid, None, rigid.min(1.0))
            }
            Some(b) => bodies[b].name(&local[b]),
        };
        Mode {
            hz: square.max(0.0).sqrt() / std::f64::consts::TAU,
            body: most.map(|b| bodies[b].name.clone()),
            kind,
            axis,
            share,
        }
    };
    modes.iter().map(one).collect()
}

/// Turns pairs of modes with the same frequency, such as the two bending modes of a square section, so that the first has
/// as little as possible along the second principal axis across the body that moves most.
fn align_pairs(bodies: &[BodyFrame], modes: &mut [(f64, Vec<[f64; 3]>)], rigid_below: f64) {
    let mut first = 0;
    while first + 1 < modes.len() {
        let (a, b) = (modes[first].0, modes[first + 1].0);
        if a <= rigid_below || (b - a).abs() > SAME_FREQUENCY * b {
            first += 1;
            continue;
        }
        let energy = |body: &BodyFrame| body.energy(&body.local(&modes[first].1));
        let most = bodies.iter().max_by(|x, y| energy(x).total_cmp(&energy(y)));
        let Some(body) = most else { return };
        let [u, v] = [first, first + 1].map(|i| body.local(&modes[i].1));
        let sum = |x: &[[f64; 3]], y: &[[f64; 3]]| -> f64 {
            let products = x.iter().zip(y).zip(&body.weights);
            products.map(|((x, y), w)| w * x[1] * y[1]).sum()
        };
        // The angle that makes the largest eigenvalue of the 2×2 matrix of these sums that of the first mode.
        let angle = 0.5 * (2.0 * sum(&u, &v)).atan2(sum(&u, &u) - sum(&v, &v));
        let (s, c) = angle.sin_cos();
        let (left, right) = modes.split_at_mut(first + 1);
        for (x, y) in left[first].1.iter_mut().zip(&mut right[0].1) {
            for k in 0..3 {
                (x[k], y[k]) = (c * x[k] + s * y[k], c * y[k] - s * x[k]);
            }
        }
        first += 2;
    }
}
