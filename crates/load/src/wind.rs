//! Wind load on surface triangles.

use super::{ForceSum, Load, LoadState};
use sparse::blocks::{Block, BlockPattern, Slot, add_block};

/// A wind with gusts: the air moves at w(t) = velocity (1 + gust_amplitude sin(2π gust_frequency t)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity, m/s.
    pub velocity: [f64; 3],
    /// Density of the air times the drag coefficient, kg/m³.
    pub drag: f64,
    /// Amplitude of gusts relative to the mean velocity.
    pub gust_amplitude: f64,
    /// Frequency of gusts, Hz.
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

/// Aerodynamic pressure of winds on surface triangles.
///
/// A triangle of area A and normal n gets the force ½ drag A |w·n| (w·n) n, a third at each corner, where w is the
/// velocity of the air relative to the mean velocity of the corners. The force depends on the orientation of the triangle
/// and has no potential. Its derivative with respect to velocities is part of the tangent, that with respect to positions
/// is not.
#[derive(Default)]
pub struct WindLoad {
    winds: Vec<Wind>,
    triangles: Vec<[u32; 3]>,
    slots: Vec<[Slot; 6]>,
}

/// Flux of the relative air velocity through one triangle.
struct PanelFlow {
    /// Area vector, m².
    area: [f64; 3],
    /// |area|², m⁴.
    square: f64,
    /// w · area, m³/s.
    flux: f64,
}

impl PanelFlow {
    /// Computes the flux through a triangle; `air` is the velocity of the air.
    fn new(triangle: &[u32; 3], at: &LoadState, air: [f64; 3]) -> PanelFlow {
        let LoadState { x, v, .. } = at;
        let [a, b, c] = triangle.map(|i| i as usize);
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
        PanelFlow {
            area,
            square: area.iter().map(|a| a * a).sum(),
            flux,
        }
    }
}

impl WindLoad {
    /// The load of all `winds` on all `triangles`.
    pub fn new(winds: Vec<Wind>, triangles: Vec<[u32; 3]>) -> WindLoad {
        WindLoad {
            winds,
            triangles,
            slots: Vec::new(),
        }
    }

    /// Calls `visit` for every wind and every triangle that is not degenerate.
    fn each(&self, at: &LoadState, mut visit: impl FnMut(&[u32; 3], &Wind, &PanelFlow, usize)) {
        for wind in &self.winds {
            let air = wind.velocity(at.t);
            for (number, triangle) in self.triangles.iter().enumerate() {
                let flow = PanelFlow::new(triangle, at, air);
                if flow.square > 0.0 {
                    visit(triangle, wind, &flow, number);
                }
            }
        }
    }
}

impl Load for WindLoad {
    fn is_active(&self) -> bool {
        !self.winds.is_empty() && !self.triangles.is_empty()
    }

    fn depends_on_state(&self) -> bool {
        true
    }

    fn add_force(&self, at: &LoadState, sum: &mut ForceSum) {
        self.each(at, |triangle, wind, flow, _| {
            let strength = wind.drag * flow.flux.abs() * flow.flux / (6.0 * flow.square);
            let force = flow.area.map(|a| strength * a);
            triangle.iter().for_each(|&node| sum.add(node, force));
        });
    }

    fn add_force_rate(&self, at: &LoadState, rate: &mut [[f64; 3]]) {
        self.each(at, |triangle, wind, flow, _| {
            let air = wind.acceleration(at.t);
            let surge: f64 = (0..3).map(|k| air[k] * flow.area[k]).sum();
            let strength = wind.drag * flow.flux.abs() * surge / (3.0 * flow.square);
            for &i in triangle {
                for k in 0..3 {
                    rate[i as usize][k] += strength * flow.area[k];
                }
            }
        });
    }

    fn append_pairs(&self, pairs: &mut Vec<(u32, u32)>) {
        let edges = |&[a, b, c]: &[u32; 3]| [(a, b), (b, c), (c, a)];
        pairs.extend(self.triangles.iter().flat_map(edges));
    }

    fn bind(&mut self, pattern: &BlockPattern) {
        let pairs = |&[a, b, c]: &[u32; 3]| [(a, a), (b, b), (c, c), (b, a), (c, a), (c, b)];
        let slots = |t: &[u32; 3]| pairs(t).map(|(i, j)| pattern.slot(i, j));
        self.slots = self.triangles.iter().map(slots).collect();
    }

    fn has_damping(&self) -> bool {
        true
    }

    /// Adds −∂f/∂v: drag A |w·n| n nᵀ / 9 between all corners.
    fn add_damping(&self, at: &LoadState, d: &mut [Block]) {
        self.each(at, |_, wind, flow, number| {
            let strength = wind.drag * flow.flux.abs() / (9.0 * flow.square);
            let mut block = [0.0; 9];
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                block[3 * i + j] = strength * flow.area[i] * flow.area[j];
            }
            for slot in self.slots[number] {
                add_block(&mut d[slot.index()], slot, &block);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_normal_to_the_wind_gets_the_dynamic_pressure() {
        let wind = Wind {
            velocity: [0.0, 0.0, 5.0],
            drag: 1.2,
            gust_amplitude: 0.0,
            gust_frequency: 0.0,
        };
        let load = WindLoad::new(vec![wind], vec![[0, 1, 2]]);
        let x = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        let v = [[0.0, 0.0, 1.0]; 3];
        let at = LoadState {
            t: 0.0,
            x: &x,
            v: &v,
        };
        let mut f = vec![[0.0; 3]; 3];
        load.add_force(&at, &mut ForceSum::onto(&mut f));
        // ½ · 1.2 · 3 m² · (4 m/s)².
        let total: f64 = f.iter().map(|f| f[2]).sum();
        assert!((total - 28.8).abs() < 1e-12);
        let mut turned = vec![[0.0; 3]; 3];
        let reversed = WindLoad::new(vec![wind], vec![[0, 2, 1]]);
        reversed.add_force(&at, &mut ForceSum::onto(&mut turned));
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
        let mut load = WindLoad::new(vec![wind], vec![[0, 1, 2], [1, 3, 2]]);
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
        load.append_pairs(&mut pairs);
        let pattern = BlockPattern::new(4, pairs.into_iter());
        load.bind(&pattern);
        let mut d = vec![[0.0; 9]; pattern.len()];
        let at = |t: f64| LoadState { t, x: &x, v: &v };
        load.add_damping(&at(0.3), &mut d);
        let force = |t: f64, v: &[[f64; 3]]| {
            let mut f = vec![[0.0; 3]; 4];
            let at = LoadState { t, x: &x, v };
            load.add_force(&at, &mut ForceSum::onto(&mut f));
            f
        };
        let eps = 1e-6;
        for (node, axis) in (0..4).flat_map(|n| (0..3).map(move |k| (n, k))) {
            let mut unit = vec![[0.0; 3]; 4];
            unit[node][axis] = 1.0;
            let mut column = vec![[0.0; 3]; 4];
            sparse::blocks::add_product(&pattern, &d, 1.0, &unit, &mut column);
            let (mut plus, mut minus) = (v, v);
            plus[node][axis] += eps;
            minus[node][axis] -= eps;
            let (p, m) = (force(0.3, &plus), force(0.3, &minus));
            for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
                assert!((column[i][k] + (p[i][k] - m[i][k]) / (2.0 * eps)).abs() < 1e-6);
            }
        }
        let mut rate = vec![[0.0; 3]; 4];
        load.add_force_rate(&at(0.3), &mut rate);
        let (p, m) = (force(0.3 + eps, &v), force(0.3 - eps, &v));
        for (i, k) in (0..4).flat_map(|i| (0..3).map(move |k| (i, k))) {
            assert!((rate[i][k] - (p[i][k] - m[i][k]) / (2.0 * eps)).abs() < 1e-6);
        }
    }
}
