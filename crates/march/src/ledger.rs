//! Where every joule went.
//!
//! Along any motion the total energy changes at the rate dE/dt = −(damping) + (work of the outside) + r·v, where
//! r = M a − f is what the nonlinear solver left over. A method's own quadrature of these powers, Σ w_i P(stage i), is
//! what the step meant to do; what the energy did beyond it is the integrator's own doing: numerical dissipation
//! (or, where positive, numerical gain).

use serde::{Deserialize, Serialize};

use crate::{At, State, Stepper, System};

/// Rates of change of the total energy, W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Powers {
    /// Of material damping and dampers; not positive for honest ones.
    pub damping: f64,
    /// Of the outside: moving boundaries, pushes, wind, moving anchors.
    pub work: f64,
    /// Of the residual force the solver left over.
    pub residual: f64,
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// ½ vᵀM v, held nodes included.
    pub kinetic: f64,
    /// Strain energy of elements, springs and tethers; zero at rest.
    #[serde(rename = "elastic")]
    pub strain: f64,
    /// −Σ m g·x; its zero is a convention.
    #[serde(rename = "gravity")]
    pub gravitational: f64,
    /// Of contacts; zero without any.
    pub contact: f64,
}

impl Energy {
    /// The sum of all.
    pub fn total(&self) -> f64 {
        self.kinetic + self.strain + self.gravitational + self.contact
    }

    /// Kinetic plus strain and contact energy: what does not depend on where heights are measured from.
    pub fn kinetic_plus_strain(&self) -> f64 {
        self.kinetic + (self.strain + self.contact).abs()
    }
}

/// What a sample stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleRole {
    /// A stage of the method: all powers count.
    Stage,
    /// A point of a quadrature over the step: damping and work count.
    Quadrature,
    /// A stage equation of a method whose powers are summed elsewhere: the residual counts.
    Residual,
}

/// A point of a step at which powers are taken.
#[derive(Clone, Copy, Debug)]
pub struct PowerSample<'a> {
    /// Its share of the step, s.
    pub weight: f64,
    /// State.
    pub at: At<'a>,
    /// Acceleration.
    pub a: &'a [f64],
    /// Which powers count.
    pub role: SampleRole,
}

/// A column of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// The name in `ledger.csv`, `report.json` and `compare.csv`.
    pub name: &'static str,
    /// What pages call it.
    pub title: &'static str,
    /// Its place among the channels on pages, and its colour in the palette; `None` if pages do not show it.
    pub shown: Option<ChannelDisplay>,
    /// Its amount in an entry, J.
    pub of: fn(&LedgerEntry) -> f64,
}

/// How pages show a channel.
#[derive(Clone, Copy, Debug)]
pub struct ChannelDisplay {
    /// Place among the others, from 0.
    pub place: usize,
    /// Number of its colour in the palette of charts.
    pub colour: usize,
}

/// Declares the fields of [`LedgerEntry`] and, in the same order, [`CHANNELS`].
macro_rules! channels {
    ($($(#[$doc:meta])* $name:ident, $title:literal, $shown:expr;)*) => {
        /// One step's change of energy, split, J.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct LedgerEntry {
            $($(#[$doc])* pub $name: f64,)*
        }

        /// Every channel in the order of the columns of `ledger.csv`. Tables, reports, pages and comparisons read this
        /// list; later channels are appended, so that columns keep their places.
        pub static CHANNELS: [Channel; [$(stringify!($name)),*].len()] = [$(Channel {
            name: stringify!($name),
            title: $title,
            shown: $shown,
            of: |entry| entry.$name,
        }),*];

        impl LedgerEntry {
            /// All numbers, in the order of [`CHANNELS`].
            pub fn as_array(&self) -> [f64; CHANNELS.len()] {
                [$(self.$name),*]
            }

            /// The inverse of [`LedgerEntry::as_array`].
            pub fn from_array([$($name),*]: [f64; CHANNELS.len()]) -> LedgerEntry {
                LedgerEntry { $($name),* }
            }
        }
    };
}

const fn shown(place: usize, colour: usize) -> Option<ChannelDisplay> {
    Some(ChannelDisplay { place, colour })
}

channels! {
    /// Change of the total energy: the sum of the others.
    change, "change of the total energy", None;
    /// Material damping.
    damping, "damping", shown(1, 0);
    /// Friction.
    friction, "friction", shown(4, 4);
    /// Contact.
    contact, "contact", shown(5, 3);
    /// The integrator's own.
    numerical, "the integrator itself", shown(0, 1);
    /// The nonlinear solver's residual.
    residual, "solver's residual", shown(3, 7);
    /// Boundary and user work.
    work, "work of the outside", shown(2, 2);
}

/// The channels that pages show, in their order.
pub fn shown_channels() -> Vec<(&'static Channel, ChannelDisplay)> {
    let mut all: Vec<_> = CHANNELS
        .iter()
        .filter_map(|c| Some((c, c.shown?)))
        .collect();
    all.sort_by_key(|(_, shown)| shown.place);
    all
}

/// The names of all channels, separated by commas.
pub fn channel_names() -> String {
    CHANNELS.map(|c| c.name).join(",")
}

impl LedgerEntry {
    /// Completes the entry of a step that changed the total energy by `change`: what no other channel explains is the
    /// integrator's own.
    pub fn close(&mut self, change: f64) {
        (self.change, self.numerical) = (0.0, 0.0);
        let explained = self.as_array();
        self.change = change;
        self.numerical = explained.iter().fold(change, |left, part| left - part);
    }

    /// Adds another entry.
    pub fn add(&mut self, other: &LedgerEntry) {
        let (mine, theirs) = (self.as_array(), other.as_array());
        *self = LedgerEntry::from_array(std::array::from_fn(|i| mine[i] + theirs[i]));
    }
}

/// Sums the powers of the attempt of `stepper` from one state to another; [`LedgerEntry::close`] completes the entry.
pub fn sum_powers(
    stepper: &mut dyn Stepper,
    sys: &mut dyn System,
    from: &State,
    to: &State,
) -> LedgerEntry {
    let mut entry = LedgerEntry::default();
    stepper.samples(from, to, &mut |sample| {
        let powers = sys.powers(sample.at, sample.a);
        if sample.role != SampleRole::Residual {
            entry.damping += sample.weight * powers.damping;
            entry.work += sample.weight * powers.work;
        }
        if sample.role != SampleRole::Quadrature {
            entry.residual += sample.weight * powers.residual;
        }
    });
    entry
}

/// Damping and work together of the attempt of `stepper` from one state to another.
pub fn sum_exchange(
    stepper: &mut dyn Stepper,
    sys: &mut dyn System,
    from: &State,
    to: &State,
) -> f64 {
    let mut sum = 0.0;
    stepper.samples(from, to, &mut |sample| {
        if sample.role != SampleRole::Residual {
            sum += sample.weight * sys.exchange_power(sample.at, sample.a);
        }
    });
    sum
}

/// Samples of a step whose method has no stages of its own to offer: two Gauss points on the cubic through both states.
#[derive(Default)]
pub struct HermiteQuadrature {
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl HermiteQuadrature {
    /// Visits both points of the step from (`t`, `u`, `v`) to `now`.
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
