//! Loads that are not springs: pushes and wind.

use crate::blocks::{Block, BlockPattern, Slot, add_block};

/// A steady force on nodes for some time, shared equally.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// Force on all of them together, N.
    pub force: [f64; 3],
    /// When it begins, s.
    pub from: f64,
    /// When it ends, s.
    pub to: f64,
}

impl Push {
    /// Force on each node at a time, N.
    pub fn share(&self, t: f64) -> [f64; 3] {
        let on = t >= self.from && t < self.to;
        self.force
            .map(|f| if on { f / self.nodes.len() as f64 } else { 0.0 })
    }
}

/// Air that moves: w(t) = velocity (1 + amplitude sin 2πft).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity, m/s.
    pub velocity: [f64; 3],
    /// Density of the air times the drag coefficient, kg/m³.
    pub drag: f64,
    /// Relative strength of gusts.
    pub gust_amplitude: f64,
    /// Gusts a second, Hz.
    pub gust_frequency: f64,
}

impl Wind {
    /// Velocity of the air, m/s.
    fn velocity(&self, t: f64) -> [f64; 3] {
        let gust =
            1.0 + self.gust_amplitude * (std::f64::consts::TAU * self.gust_frequency * t).sin();
        self.velocity.map(|v| gust * v)
    }

    /// Acceleration of the air, m/s².
    fn acceleration(&self, t: f64) -> [f64; 3] {
        let w = std::f64::consts::TAU * self.gust_frequency;
        let rate = self.gust_amplitude * w * (w * t).cos();
        self.velocity.map(|v| rate * v)
    }
}

/// Surfaces in the wind. A triangle of area A and normal n that meets the air at the normal speed w·n, relative to the
/// mean velocity of its corners, feels ½ drag A |w·n| (w·n) n, a third at each corner.
///
/// The force has no potential: it depends on how the triangle lies. Its derivative with respect to velocities is part
/// of the tangent, that with respect to positions is not.
#[derive(Default)]
pub struct Weather {
    winds: Vec<Wind>,
    triangles: Vec<[u32; 3]>,
    slots: Vec<[Slot; 6]>,
}

/// What a triangle feels.
struct Blow {
    /// Area vector, m².
    area: [f64; 3],
    /// |area|², m⁴.
    square: f64,
    /// (w · area), m³/s.
    flux: f64,
}

impl Weather {
    /// These winds on these triangles.
    pub fn new(winds: Vec<Wind>, triangles: Vec<[u32; 3]>) -> Weather {
        Weather {
            winds,
            triangles,
            slots: Vec::new(),
        }
    }

    /// Whether there is any wind.
    pub fn blows(&self) -> bool {
        !self.winds.is_empty() && !self.triangles.is_empty()
    }

    /// Appends the pairs of nodes that feel each other's velocities.
    pub fn couple(&self, pairs: &mut Vec<(u32, u32)>) {
        if self.blows() {
            pairs.extend(
                self.triangles
                    .iter()
                    .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]),
            );
        }
    }

    /// Learns where its blocks are.
    pub fn bind(&mut self, pattern: &BlockPattern) {
        if self.blows() {
            let pairs = |&[a, b, c]: &[u32; 3]| [(a, a), (b, b), (c, c), (b, a), (c, a), (c, b)];
            self.slots = self
                .triangles
                .iter()
                .map(|t| pairs(t).map(|(i, j)| pattern.slot(i, j)))
                .collect();
        }
    }

    fn blow(&self, tri: &[u32; 3], x: &[[f64; 3]], v: &[[f64; 3]], air: [f64; 3]) -> Blow {
        let [a, b, c] = tri.map(|i| i as usize);
        let (p, q) = (
            [0, 1, 2].map(|k| x[b][k] - x[a][k]),
            [0, 1, 2].map(|k| x[c][k] - x[a][k]),
        );
        let area = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            0.5 * (p[i] * q[j] - p[j] * q[i])
        });
        let flux = (0..3)
            .map(|k| (air[k] - (v[a][k] + v[b][k] + v[c][k]) / 3.0) * area[k])
            .sum();
        Blow {
            area,
            square: area.iter().map(|a| a * a).sum(),
            flux,
        }
    }

    /// Adds the forces at positions x and velocities v.
    pub fn add_force(&self, t: f64, x: &[[f64; 3]], v: &[[f64; 3]], f: &mut [[f64; 3]]) {
        self.each(t, x, v, |tri, wind, blow, _| {
            let strength = wind.drag * blow.flux.abs() * blow.flux / (6.0 * blow.square);
            for &i in tri {
                for k in 0..3 {
                    f[i as usize][k] += strength * blow.area[k];
                }
            }
        });
    }

    /// Adds ∂f/∂t.
    pub fn add_force_rate(&self, t: f64, x: &[[f64; 3]], v: &[[f64; 3]], rate: &mut [[f64; 3]]) {
        self.each(t, x, v, |tri, wind, blow, _| {
            let surge: f64 = (0..3).map(|k| wind.acceleration(t)[k] * blow.area[k]).sum();
            let strength = wind.drag * blow.flux.abs() * surge / (3.0 * blow.square);
            for &i in tri {
                for k in 0..3 {
                    rate[i as usize][k] += strength * blow.area[k];
                }
            }
        });
    }

    /// Adds −∂f/∂v to the blocks: drag A |w·n| n nᵀ / 9 between all corners.
    pub fn add_damping(&self, t: f64, x: &[[f64; 3]], v: &[[f64; 3]], d: &mut [Block]) {
        self.each(t, x, v, |_, wind, blow, number| {
            let strength = wind.drag * blow.flux.abs() / (9.0 * blow.square);
            let mut block = [0.0; 9];
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                block[3 * i + j] = strength * blow.area[i] * blow.area[j];
            }
            for slot in self.slots[number] {
                add_block(&mut d[slot.index()], slot, &block);
            }
        });
    }

    fn each(
        &self,
        t: f64,
        x: &[[f64; 3]],
        v: &[[f64; 3]],
        mut act: impl FnMut(&[u32; 3], &Wind, &Blow, usize),
    ) {
        for wind in &self.winds {
            let air = wind.velocity(t);
            for (number, tri) in self.triangles.iter().enumerate() {
                let blow = self.blow(tri, x, v, air);
                if blow.square > 0.0 {
                    act(tri, wind, &blow, number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_across_the_wind_feels_the_dynamic_pressure() {
        let wind = Wind {
            velocity: [0.0, 0.0, 5.0],
            drag: 1.2,
            gust_amplitude: 0.0,
            gust_frequency: 0.0,
        };
        let weather = Weather::new(vec![wind], vec![[0, 1, 2]]);
        let x = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        let v = [[0.0, 0.0, 1.0]; 3];
        let mut f = vec![[0.0; 3]; 3];
        weather.add_force(0.0, &x, &v, &mut f);
        // ½ · 1.2 · 3 m² · (4 m/s)².
        let total: f64 = f.iter().map(|f| f[2]).sum();
        assert!((total - 28.8).abs() < 1e-12);
        let mut turned = vec![[0.0; 3]; 3];
        Weather::new(vec![wind], vec![[0, 2, 1]]).add_force(0.0, &x, &v, &mut turned);
        assert!((turned.iter().map(|f| f[2]).sum::<f64>() - 28.8).abs() < 1e-12);
    }

    #[test]
    fn derivatives_match_differences() {
        let wind = Wind {
            velocity: [3.0, -1.0, 5.0],
            drag: 1.2,
            gust_amplitude: 0.5,
            gust_frequency: 0.7,
        };
        let mut weather = Weather::new(vec![wind], vec![[0, 1, 2], [1, 3, 2]]);
        let x = [
            [0.1, 0.0, 0.2],
            [2.0, 0.3, 0.0],
            [0.0, 3.0, -0.4],
            [2.0, 2.5, 0.3],
        ];
        let v = [
            [0.3, 0.0, 1.0],
            [0.0, -0.2, 0.0],
            [0.1, 0.2, 0.3],
            [0.0, 0.0, -0.5],
        ];
        let mut pairs = Vec::new();
        weather.couple(&mut pairs);
        let pattern = BlockPattern::new(4, pairs.into_iter());
        weather.bind(&pattern);
        let mut d = vec![[0.0; 9]; pattern.len()];
        weather.add_damping(0.3, &x, &v, &mut d);
        let force = |t: f64, v: &[[f64; 3]]| {
            let mut f = vec![[0.0; 3]; 4];
            weather.add_force(t, &x, v, &mut f);
            f
        };
        let eps = 1e-6;
        for (node, axis) in (0..4).flat_map(|n| (0..3).map(move |k| (n, k))) {
            let mut unit = vec![[0.0; 3]; 4];
            unit[node][axis] = 1.0;
            let mut column = vec![[0.0; 3]; 4];
            crate::blocks::add_product(&pattern, &d, 1.0, &unit, &mut column);
            let (mut plus, mut minus) = (v, v);
            plus[node][axis] += eps;
            minus[node][axis] -= eps;
            let (p, m) = (force(0.3, &plus), force(0.3, &minus));
            for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
                assert!((column[i][k] + (p[i][k] - m[i][k]) / (2.0 * eps)).abs() < 1e-6);
            }
        }
        let mut rate = vec![[0.0; 3]; 4];
        weather.add_force_rate(0.3, &x, &v, &mut rate);
        let (p, m) = (force(0.3 + eps, &v), force(0.3 - eps, &v));
        for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
            assert!((rate[i][k] - (p[i][k] - m[i][k]) / (2.0 * eps)).abs() < 1e-6);
        }
    }
}
