//! Energy ledger: splits the energy change of every step into damping, friction, work, solver residual and numerical dissipation.
//!
//! Along any motion the total energy changes at the rate dE/dt = −(damping) − (friction) + (external work) + r·v, where r = M a − f
//! is the residual of the nonlinear solver. The method's own quadrature of these powers, Σ w_i P(stage i), is the exact
//! part of a step. The rest of the energy change is due to the integrator: numerical dissipation, or numerical gain if
//! positive.

use serde::{Deserialize, Serialize};

use crate::{At, State, Stepper, System};

/// Rates of change of the total energy, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Power of material damping and dampers; not positive for a passive material.
    pub damping: f64,
    /// Power of friction at the sliding velocities; never positive.
    pub friction: f64,
    /// Power of external work: moving boundaries and obstacles, pushes, wind, moving anchors.
    pub work: f64,
    /// Power of the residual force of the nonlinear solver.
    pub residual: f64,
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Kinetic energy ½ vᵀM v, prescribed nodes included.
    pub kinetic: f64,
    /// Strain energy of elements, springs and tethers; zero at rest.
    #[serde(rename = "elastic")]
    pub strain: f64,
    /// Gravitational energy −Σ m g·x; its zero is a convention.
    #[serde(rename = "gravity")]
    pub gravitational: f64,
    /// Contact energy; zero without contact.
    pub contact: f64,
}

impl Energy {
    /// Returns the sum of all energies.
    pub fn total(&self) -> f64 {
        self.kinetic + self.strain + self.gravitational + self.contact
    }

    /// Returns kinetic plus strain and contact energy, which do not depend on the zero of gravitational energy.
    pub fn kinetic_plus_strain(&self) -> f64 {
        self.kinetic + (self.strain + self.contact).abs()
    }
}

/// Which powers of a sample count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleRole {
    /// Stage of the method: all powers count.
    Stage,
    /// Quadrature point of the step: damping, friction and work count.
    Quadrature,
    /// Stage equation of a method whose other powers are summed at quadrature points: the residual counts.
    Residual,
}

/// State within a step at which powers are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct PowerSample<'a> {
    /// Quadrature weight, s.
    pub weight: f64,
    /// State of the sample.
    pub at: At<'a>,
    /// Acceleration at the sample.
    pub a: &'a [f64],
    /// Which powers count.
    pub role: SampleRole,
}

/// Column of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// Name in `ledger.csv`, `report.json` and `compare.csv`.
    pub name: &'static str,
    /// Title on pages.
    pub title: &'static str,
    /// Position and colour on pages; `None` if pages do not show the channel.
    pub shown: Option<ChannelDisplay>,
    /// Returns the amount of the channel in an entry, J.
    pub of: fn(&LedgerEntry) -> f64,
}

/// Position and colour of a channel on pages.
#[derive(Clone, Copy, Debug)]
pub struct ChannelDisplay {
    /// Position among the channels, from 0.
    pub position: usize,
    /// Index of the colour in the palette of charts.
    pub colour: usize,
}

/// Declares the fields of [`LedgerEntry`] and, in the same order, [`CHANNELS`].
macro_rules! channels {
    ($($(#[$doc:meta])* $name:ident, $title:literal, $shown:expr;)*) => {
        /// Energy change of a step, split into channels, J.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct LedgerEntry {
            $($(#[$doc])* pub $name: f64,)*
        }

        /// All channels in the order of the columns of `ledger.csv`. Tables, reports, pages and comparisons read this
        /// list. New channels are appended, which keeps the order of the columns.
        pub static CHANNELS: [Channel; [$(stringify!($name)),*].len()] = [$(Channel {
            name: stringify!($name),
            title: $title,
            shown: $shown,
            of: |entry| entry.$name,
        }),*];

        impl LedgerEntry {
            /// Returns all amounts in the order of [`CHANNELS`].
            pub fn as_array(&self) -> [f64; CHANNELS.len()] {
                [$(self.$name),*]
            }

            /// Creates an entry from the amounts in the order of [`CHANNELS`].
            pub fn from_array([$($name),*]: [f64; CHANNELS.len()]) -> LedgerEntry {
                LedgerEntry { $($name),* }
            }
        }
    };
}

const fn shown(position: usize, colour: usize) -> Option<ChannelDisplay> {
    Some(ChannelDisplay { position, colour })
}

channels! {
    /// Change of the total energy: the sum of all other channels.
    change, "change of the total energy", None;
    /// Change by material damping and dampers.
    damping, "damping", shown(1, 0);
    /// Change by friction.
    friction, "friction", shown(4, 4);
    /// Change by contact.
    contact, "contact", shown(5, 3);
    /// Numerical dissipation (negative) or gain (positive) of the integrator.
    numerical, "numerical dissipation or gain", shown(0, 1);
    /// Change by the residual of the nonlinear solver.
    residual, "solver residual", shown(3, 7);
    /// External work: moving boundaries, loads and user interaction.
    work, "external work", shown(2, 2);
    /// Change by bonds that break.
    fracture, "fracture", shown(6, 5);
}

/// Returns the channels that pages show, in their order.
pub fn shown_channels() -> Vec<(&'static Channel, ChannelDisplay)> {
    let mut all: Vec<_> = CHANNELS
        .iter()
        .filter_map(|c| Some((c, c.shown?)))
        .collect();
    all.sort_by_key(|(_, shown)| shown.position);
    all
}

/// Returns the names of all channels, separated by commas.
pub fn channel_names() -> String {
    CHANNELS.map(|c| c.name).join(",")
}

impl LedgerEntry {
    /// Completes the entry of a step that changed the total energy by `change`: the part that no other channel explains
    /// is numerical.
    pub fn close(&mut self, change: f64) {
        (self.change, self.numerical) = (0.0, 0.0);
        let explained = self.as_array();
        self.change = change;
        self.numerical = explained.iter().fold(change, |rest, part| rest - part);
    }

    /// Adds another entry to this one.
    pub fn add(&mut self, other: &LedgerEntry) {
        let (mine, theirs) = (self.as_array(), other.as_array());
        *self = LedgerEntry::from_array(std::array::from_fn(|i| mine[i] + theirs[i]));
    }
}

/// Sums the powers of the last attempt of `stepper` over its samples, or takes the work between two static equilibria; [`LedgerEntry::close`] completes the entry.
pub fn sum_powers(
    stepper: &mut dyn Stepper,
    sys: &mut dyn System,
    from: &State,
    to: &State,
) -> LedgerEntry {
    let mut entry = LedgerEntry::default();
    if stepper.is_quasi_static() {
        entry.work = sys.quasi_static_work(from.at(), to.at());
        return entry;
    }
    stepper.samples(from, to, &mut |sample| {
        let mut powers = sys.powers(sample.at, sample.a);
        let finite = powers.damping + powers.friction + powers.work;
        if sample.role == SampleRole::Quadrature && !finite.is_finite() {
            // An interpolated state may lie beyond a barrier, where forces are infinite. The end of the step does not.
            powers = sys.powers(to.at(), sample.a);
        }
        if sample.role != SampleRole::Residual {
            entry.damping += sample.weight * powers.damping;
            entry.friction += sample.weight * powers.friction;
            entry.work += sample.weight * powers.work;
        }
        if sample.role != SampleRole::Quadrature {
            entry.residual += sample.weight * powers.residual;
        }
    });
    entry
}

/// Quadrature of powers for methods without suitable stages: two Gauss points on the cubic Hermite interpolant of a
/// step.
#[derive(Default)]
pub struct HermiteQuadrature {
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl HermiteQuadrature {
    /// Visits both Gauss points of the step from (`t`, `u`, `v`) to `now`.
    pub fn samples(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        now: &State,
        visit: &mut dyn FnMut(PowerSample),
    ) {
        let h = now.t - t;
        let n = u.len();
        for x in [&mut self.u, &mut self.v, &mut self.a] {
            x.resize(n, 0.0);
        }
        let offset = 0.5 / 3f64.sqrt();
        for x in [0.5 - offset, 0.5 + offset] {
            for i in 0..n {
                let rise = (now.u[i] - u[i]) / h;
                let (v0, v1) = (v[i], now.v[i]);
                // u = u₀ + h (v₀ x + (3 rise − 2 v₀ − v₁) x² + (v₀ + v₁ − 2 rise) x³).
                let (p, q) = (3.0 * rise - 2.0 * v0 - v1, v0 + v1 - 2.0 * rise);
                self.u[i] = u[i] + h * x * (v0 + x * (p + x * q));
                self.v[i] = v0 + x * (2.0 * p + 3.0 * x * q);
                self.a[i] = (2.0 * p + 6.0 * x * q) / h;
            }
            let at = At {
                t: t + x * h,
                u: &self.u,
                v: &self.v,
            };
            visit(PowerSample {
                weight: 0.5 * h,
                at,
                a: &self.a,
                role: SampleRole::Quadrature,
            });
        }
    }
}
