//! The bodies of 004, the ways to integrate it compares, and what is measured along a run.

use scene::session::Session;

use crate::bodies::open;
use crate::{PaperError, Table};

/// The spinning cube.
pub const CUBE: &str = include_str!("../scenes/cube.toml");
/// The bar under gravity.
pub const BAR: &str = include_str!("../scenes/bar.toml");
/// The figure pinned at its ears.
pub const SWING: &str = include_str!("../scenes/swing.toml");
/// The mass-spring cloth.
pub const SPRING_CLOTH: &str = include_str!("../scenes/spring-cloth.toml");
/// The figure with its nose pulled out.
pub const NOSE: &str = include_str!("../scenes/nose.toml");
/// The figure with horns.
pub const HORNS: &str = include_str!("../scenes/horns.toml");

/// The paper's ε.
pub const EPSILON: f64 = 0.01;

/// A way to integrate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// For people.
    pub name: &'static str,
    /// Method in the registry.
    pub method: &'static str,
    /// ε of energy tracking around it, if any.
    pub tolerance: Option<f64>,
}

const fn plain(name: &'static str, method: &'static str) -> Way {
    Way {
        name,
        method,
        tolerance: None,
    }
}

/// Backward Euler.
pub const BE: Way = plain("backward Euler", "backward-euler");
/// BDF2.
pub const BDF2: Way = plain("BDF2", "bdf2");
/// Implicit midpoint.
pub const MIDPOINT: Way = plain("midpoint", "implicit-midpoint");
/// Newmark with γ = 1/2, β = 1/4.
pub const NEWMARK: Way = plain("Newmark", "newmark");
/// The paper's method.
pub const TRACKED: Way = Way {
    name: "tracked midpoint",
    method: "implicit-midpoint",
    tolerance: Some(EPSILON),
};

/// The key that leaves angular momentum to be blended like all else, as the paper does.
pub fn as_printed() -> (&'static str, String) {
    ("time.stabilise.angular-momentum", "blend".into())
}

impl Way {
    /// A scene integrated this way, with other values for some of its keys.
    pub fn open(&self, text: &str, set: &[(&str, String)]) -> Result<Session, PaperError> {
        let mut keys = vec![("time.method", self.method.to_string())];
        if let Some(eps) = self.tolerance {
            keys.push(("time.stabilise.tolerance", format!("{eps:?}")));
            keys.push(as_printed());
        }
        keys.extend_from_slice(set);
        open(text, &keys)
    }
}

/// A curve over time.
pub type Curve = Vec<(f64, f64)>;

/// Curves over the same times as a table, one column each; gaps where one ended early.
pub fn curves_table<'a>(
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

/// Where a curve turns, each turn followed by a change of more than `least`, until the next.
pub fn turns(curve: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
    let Some(&first) = curve.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // The highest and lowest point since the last turn, and which of them is looked for.
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

/// How much of the kinetic energy of some nodes is jitter from step to step.
///
/// Of velocities at three steps, (v₋ − 2v + v₊)/4 passes what alternates from step to step whole, and of a motion of
/// period T only sin²(πh/T).
pub struct Jitter {
    nodes: Vec<usize>,
    past: [Vec<[f64; 3]>; 2],
    /// Sums of ½ m v² of the fast part and of all.
    fast: f64,
    all: f64,
    /// Sum of masses, of every look.
    mass: f64,
}

impl Jitter {
    /// Of the nodes whose place at rest is chosen.
    pub fn of(sim: &Session, chosen: impl Fn(&[f64; 3]) -> bool) -> Jitter {
        let rest = sim.model.rest().iter().enumerate();
        Jitter {
            nodes: rest.filter(|(_, x)| chosen(x)).map(|(i, _)| i).collect(),
            past: [Vec::new(), Vec::new()],
            fast: 0.0,
            all: 0.0,
            mass: 0.0,
        }
    }

    /// Takes note of the state after a step.
    pub fn see(&mut self, sim: &mut Session) {
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

    /// Fast part of the kinetic energy.
    pub fn share(&self) -> f64 {
        self.fast / self.all
    }

    /// Root mean square of the fast velocities, m/s.
    pub fn speed(&self) -> f64 {
        (2.0 * self.fast / self.mass).sqrt()
    }
}

/// Mean of the second values.
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
        let found = turns(&curve, 0.5);
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
            let mut jitter = Jitter::of(&sim, |x| x[0] > 0.5);
            for k in 0..4002 {
                let x = if kind == 0 {
                    (-1.0f64).powi(k as i32)
                } else {
                    wave(k).sin()
                };
                let mut state = sim.state().clone();
                state.v.fill(x);
                sim.start_from(&state);
                jitter.see(&mut sim);
            }
            let share = jitter.share();
            if kind == 0 {
                // One along each axis.
                assert!((jitter.speed() - 3.0f64.sqrt()).abs() < 1e-9);
            }
            assert!(
                (share - wanted).abs() < 1e-3 * wanted,
                "{share} for {wanted}"
            );
        }
    }
}
