//! The scenes and integrators of [Dinev et al. 2018], and measurements of their runs.

use scene::session::Session;

use crate::runs::open_scene;
use crate::{PaperError, Table};

/// The spinning cube [Dinev et al. 2018, Figs. 4 and 5].
pub const CUBE: &str = include_str!("../scenes/cube.toml");
/// The bar under gravity [Dinev et al. 2018, Fig. 8].
pub const BAR: &str = include_str!("../scenes/bar.toml");
/// The figure pinned at its ears [Dinev et al. 2018, Fig. 9].
pub const SWING: &str = include_str!("../scenes/swing.toml");
/// The mass-spring cloth [Dinev et al. 2018, Fig. 10].
pub const SPRING_CLOTH: &str = include_str!("../scenes/spring-cloth.toml");
/// The figure with its nose pulled out [Dinev et al. 2018, Fig. 11].
pub const NOSE: &str = include_str!("../scenes/nose.toml");
/// The figure with horns [Dinev et al. 2018, Fig. 16].
pub const HORNS: &str = include_str!("../scenes/horns.toml");

/// The energy tolerance ε of [Dinev et al. 2018, eq. 24].
pub const EPSILON: f64 = 0.01;

/// An integrator to compare: a method, with or without energy tracking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratorSetup {
    /// The name in tables and plots.
    pub name: &'static str,
    /// The name of the method in the registry.
    pub method: &'static str,
    /// The tolerance ε of energy tracking; `None` without tracking.
    pub tolerance: Option<f64>,
}

/// Creates a setup without energy tracking.
const fn plain(name: &'static str, method: &'static str) -> IntegratorSetup {
    IntegratorSetup {
        name,
        method,
        tolerance: None,
    }
}

/// The backward Euler method without energy tracking.
pub const BACKWARD_EULER: IntegratorSetup = plain("backward Euler", "backward-euler");
/// The BDF2 method without energy tracking.
pub const BDF2: IntegratorSetup = plain("BDF2", "bdf2");
/// The implicit midpoint rule without the energy correction of [Dinev et al. 2018].
pub const MIDPOINT: IntegratorSetup = plain("midpoint", "implicit-midpoint");
/// The Newmark method with γ = 1/2, β = 1/4, without energy tracking.
pub const NEWMARK: IntegratorSetup = plain("Newmark", "newmark");
/// The implicit midpoint rule with energy tracking, the method of [Dinev et al. 2018].
pub const TRACKED_MIDPOINT: IntegratorSetup = IntegratorSetup {
    name: "tracked midpoint",
    method: "implicit-midpoint",
    tolerance: Some(EPSILON),
};

/// Returns the key that switches off the correction of angular momentum, so that steps are blended as in [Dinev et al.
/// 2018, Algorithm 1].
pub fn without_momentum_correction() -> (&'static str, String) {
    ("time.stabilise.angular-momentum", "blend".into())
}

impl IntegratorSetup {
    /// Opens a scene with this integrator and other values for some of its keys.
    pub fn open(&self, text: &str, set: &[(&str, String)]) -> Result<Session, PaperError> {
        let mut keys = vec![("time.method", self.method.to_string())];
        if let Some(eps) = self.tolerance {
            keys.push(("time.stabilise.tolerance", format!("{eps:?}")));
            keys.push(without_momentum_correction());
        }
        keys.extend_from_slice(set);
        open_scene(text, &keys)
    }
}

/// A quantity over time as (t, value).
pub type Curve = Vec<(f64, f64)>;

/// Returns a table of curves over the same times, one column each; NaN after the end of shorter ones.
pub fn curve_table<'a>(
    name: &str,
    curves: impl IntoIterator<Item = (&'a str, &'a Curve)> + Clone,
) -> Table {
    let names = curves.clone().into_iter().map(|(name, _)| name);
    let mut table = Table::new(name, std::iter::once("t").chain(names));
    let longest = curves.clone().into_iter().max_by_key(|(_, c)| c.len());
    for (k, (t, _)) in longest.iter().flat_map(|(_, c)| c.iter()).enumerate() {
        let values = curves.clone().into_iter();
        let values = values.map(|(_, c)| c.get(k).map_or(f64::NAN, |p| p.1));
        table.row(std::iter::once(*t).chain(values));
    }
    table
}

/// Returns the turning points of a curve, each followed by a change of more than `least` before the next.
pub fn turning_points(curve: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
    let Some(&first) = curve.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // The highest and lowest point since the last turning point, and the direction of the curve.
    let (mut high, mut low, mut rising) = (first, first, None);
    for &p in curve {
        if p.1 > high.1 {
            high = p;
        }
        if p.1 < low.1 {
            low = p;
        }
        if rising != Some(false) && p.1 < high.1 - least {
            if rising.is_some() {
                found.push(high);
            }
            (rising, low) = (Some(false), p);
        } else if rising != Some(true) && p.1 > low.1 + least {
            if rising.is_some() {
                found.push(low);
            }
            (rising, high) = (Some(true), p);
        }
    }
    found
}

/// A measurement of the kinetic energy that alternates from step to step in selected nodes.
///
/// The filter (v₋ − 2v + v₊)/4 of the velocities at three steps passes a motion that alternates from step to step in
/// full, and of a motion of period T only sin²(πh/T).
pub struct VibrationMeter {
    nodes: Vec<usize>,
    past: [Vec<[f64; 3]>; 2],
    /// Sums of ½ m v² of the alternating part and of the whole velocity.
    fast: f64,
    all: f64,
    /// The sum of masses over all samples.
    mass: f64,
}

impl VibrationMeter {
    /// Creates a meter of the nodes whose rest positions satisfy `chosen`.
    pub fn new(sim: &Session, chosen: impl Fn(&[f64; 3]) -> bool) -> VibrationMeter {
        let rest = sim.model.rest().iter().enumerate();
        VibrationMeter {
            nodes: rest.filter(|(_, x)| chosen(x)).map(|(i, _)| i).collect(),
            past: [Vec::new(), Vec::new()],
            fast: 0.0,
            all: 0.0,
            mass: 0.0,
        }
    }

    /// Records the velocities after a step.
    pub fn record(&mut self, sim: &mut Session) {
        let mass = sim.model.node_mass().to_vec();
        let (_, v) = sim.expanded();
        let now: Vec<[f64; 3]> = self.nodes.iter().map(|&i| v[i]).collect();
        let [before, last] = &mut self.past;
        for (k, &i) in self.nodes.iter().enumerate() {
            let (Some(a), Some(b)) = (before.get(k), last.get(k)) else {
                continue;
            };
            self.mass += mass[i];
            for ((a, b), c) in a.iter().zip(b).zip(&now[k]) {
                self.fast += 0.5 * mass[i] * ((a - 2.0 * b + c) / 4.0).powi(2);
                self.all += 0.5 * mass[i] * b * b;
            }
        }
        std::mem::swap(before, last);
        *last = now;
    }

    /// Returns the alternating part of the kinetic energy as a fraction.
    pub fn energy_share(&self) -> f64 {
        self.fast / self.all
    }

    /// Returns the root mean square of the alternating velocities in m/s.
    pub fn rms_speed(&self) -> f64 {
        (2.0 * self.fast / self.mass).sqrt()
    }
}

/// Returns the mean of the values of a curve.
pub fn mean(curve: &[(f64, f64)]) -> f64 {
    curve.iter().map(|p| p.1).sum::<f64>() / curve.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_turns_at_its_crests_and_ripples_do_not_count() {
        let wave = |t: f64| t.cos() + 0.05 * (40.0 * t).cos();
        let curve: Curve = (0..2000)
            .map(|k| f64::from(k) * 0.01)
            .map(|t| (t, wave(t)))
            .collect();
        let found = turning_points(&curve, 0.5);
        // Extremes at multiples of π; the start itself is no turn.
        assert_eq!(found.len(), 6);
        for (k, (t, y)) in found.iter().enumerate() {
            let exact = std::f64::consts::PI * (k as f64 + 1.0);
            assert!((t - exact).abs() < 0.2, "{t} against {exact}");
            assert!((y.abs() - 1.0).abs() < 0.06);
        }
    }

    #[test]
    fn alternating_motion_is_all_jitter_and_slow_motion_is_none() {
        let mut sim = MIDPOINT.open(CUBE, &[]).unwrap();
        let wave = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / 40.0;
        for (kind, wanted) in [(0, 1.0), (1, (std::f64::consts::PI / 40.0).sin().powi(4))] {
            let mut jitter = VibrationMeter::new(&sim, |x| x[0] > 0.5);
            for k in 0..4002 {
                let x = if kind == 0 {
                    (-1.0f64).powi(k as i32)
                } else {
                    wave(k).sin()
                };
                let mut state = sim.state().clone();
                state.v.fill(x);
                sim.start_from(&state);
                jitter.record(&mut sim);
            }
            let share = jitter.energy_share();
            if kind == 0 {
                // One along each axis.
                assert!((jitter.rms_speed() - 3.0f64.sqrt()).abs() < 1e-9);
            }
            assert!(
                (share - wanted).abs() < 1e-3 * wanted,
                "{share} for {wanted}"
            );
        }
    }
}
