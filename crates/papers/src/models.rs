//! The models of 004 Tables 1 and 2, in meshes of ours of near sizes, and clocks for them.

use std::time::{Duration, Instant};

use march::ledger::{Energy, Powers};
use march::{
    AdmissiblePaths, At, Change, ConstantMatrix, Counts, Curvature, PositionDamping, State,
    StateMeasures, System, Weights,
};
use scene::session::Session;
use solid::model::Model;
use sparse::Matrix;

use crate::results::nose::pull;
use crate::ways::{BAR, CUBE, NOSE, SPRING_CLOTH, SWING, Way};
use crate::{PaperError, Size};

/// A model of the tables.
pub struct Entry {
    /// Its name in the paper.
    pub name: &'static str,
    /// Vertices and elements in the paper.
    pub paper: [u32; 2],
    /// Milliseconds a frame in the paper with Newton's method: backward Euler, theirs, search for α.
    pub newton: [f64; 3],
    /// The same with local/global iterations.
    pub local_global: [f64; 3],
    /// Milliseconds a frame in the paper of implicit midpoint with 1, 5, 10, 20 and 100 substeps.
    pub substeps: [f64; 5],
    scene: &'static str,
    /// Key of the size and its value, at full size and quickly; nothing where it is left out when quick.
    size: (&'static str, &'static str, Option<&'static str>),
    also: &'static [(&'static str, &'static str)],
    pulled: bool,
}

const BLOB: &str = "body.figure.mesh.blob.cells";

/// The models.
pub const MODELS: [Entry; 8] = [
    Entry {
        name: "bar",
        paper: [290, 716],
        newton: [148.0, 231.0, 3.27],
        local_global: [3.62, 5.73, 1.85],
        substeps: [3.79, 18.22, 36.42, 72.73, 361.0],
        scene: BAR,
        size: ("body.bar.mesh.box.cells", "[3, 17, 3]", Some("[1, 9, 1]")),
        also: &[],
        pulled: false,
    },
    Entry {
        name: "cube",
        paper: [386, 996],
        newton: [277.0, 505.0, 1.86],
        local_global: [5.84, 8.41, 1.66],
        substeps: [6.03, 29.86, 54.95, 111.0, 541.0],
        scene: CUBE,
        size: ("body.cube.mesh.box.cells", "[6, 6, 6]", Some("[4, 4, 4]")),
        also: &[("body.cube.disturb.scatter", "0.06")],
        pulled: false,
    },
    Entry {
        name: "hippo",
        paper: [2387, 8406],
        newton: [3985.0, 6296.0, 5.0],
        local_global: [66.4, 73.3, 4.93],
        substeps: [68.4, 312.0, 666.0, 1230.0, 6615.0],
        scene: SWING,
        size: (BLOB, "20", None),
        also: &[("time.step", "0.01")],
        pulled: false,
    },
    Entry {
        name: "bunny, small",
        paper: [4497, 15408],
        newton: [6288.0, 10720.0, 13.8],
        local_global: [194.0, 212.0, 9.62],
        substeps: [184.0, 830.0, 2014.0, 3568.0, 18907.0],
        scene: SWING,
        size: (BLOB, "25", None),
        also: &[],
        pulled: false,
    },
    Entry {
        name: "cactus",
        paper: [5261, 17187],
        newton: [5050.0, 7577.0, 41.6],
        local_global: [115.0, 174.0, 39.9],
        substeps: [120.0, 590.0, 1242.0, 2442.0, 13849.0],
        scene: SWING,
        size: (BLOB, "26", None),
        also: &[
            ("body.figure.disturb.scatter", "0.02"),
            ("body.figure.disturb.seed", "1"),
            ("time.calm-start", "false"),
        ],
        pulled: false,
    },
    Entry {
        name: "cloth",
        paper: [10201, 50200],
        newton: [24958.0, 42758.0, 6.11],
        local_global: [110.0, 127.0, 7.58],
        substeps: [109.0, 478.0, 997.0, 1976.0, 8388.0],
        scene: SPRING_CLOTH,
        size: (
            "body.cloth.mesh.sheet.cells",
            "[100, 100]",
            Some("[20, 20]"),
        ),
        also: &[],
        pulled: false,
    },
    Entry {
        name: "dog",
        paper: [28390, 117423],
        newton: [39101.0, 99138.0, 212.0],
        local_global: [916.0, 1205.0, 193.0],
        substeps: [904.0, 4413.0, 9079.0, 16660.0, 79369.0],
        scene: NOSE,
        size: (BLOB, "48", None),
        also: &[],
        pulled: true,
    },
    Entry {
        name: "bunny, large",
        paper: [34844, 121058],
        newton: [31624.0, 64037.0, 227.0],
        local_global: [1181.0, 1510.0, 215.0],
        substeps: [1101.0, 5616.0, 11293.0, 22577.0, 120631.0],
        scene: SWING,
        size: (BLOB, "51", Some("12")),
        also: &[],
        pulled: false,
    },
];

/// What the models of ours are, for people.
pub const CHOICE: &str = "The paper's meshes are not to be had: ours have near as many vertices, and what moves is the bar of Fig. 8, the cube of Fig. 5 (scattered), the cloth of Fig. 10, the nose of Fig. 11 (dog) and the figure swinging by its ears (the rest; the cactus with nodes out of place by 2 % of its height). There is no contact in ours, so the cube of Fig. 15 is left out and hippo and the small bunny swing.";

impl Entry {
    /// Whether it takes part.
    pub fn takes_part(&self, size: Size) -> bool {
        size == Size::Full || self.size.2.is_some()
    }

    /// Integrated in this way, with other values for some keys.
    pub fn open(
        &self,
        size: Size,
        way: Way,
        set: &[(&str, String)],
    ) -> Result<Session, PaperError> {
        let (key, full, quick) = self.size;
        let mut keys = vec![(key, size.pick(quick.unwrap_or(full), full).to_string())];
        keys.extend(self.also.iter().map(|(k, v)| (*k, v.to_string())));
        keys.extend_from_slice(set);
        let mut sim = way.open(self.scene, &keys)?;
        if self.pulled {
            pull(&mut sim);
        }
        Ok(sim)
    }
}

/// A frame on the clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// All of it, s.
    pub seconds: f64,
    /// Looks at the energy: the search for α, s.
    pub search: f64,
    /// Work, counted.
    pub work: Counts,
}

/// Takes a step of the scene's length, watched by the clock.
pub fn frame(sim: &mut Session) -> Result<Frame, PaperError> {
    let (time, model) = sim.time_loop_and_model();
    time.drop_ledger();
    let mut watched = Watched {
        model,
        search: Duration::ZERO,
    };
    let started = Instant::now();
    let step = time
        .step(&mut watched, f64::INFINITY)
        .map_err(PaperError::failure("a frame on the clock"))?;
    Ok(Frame {
        seconds: started.elapsed().as_secs_f64(),
        search: watched.search.as_secs_f64(),
        work: step.map_or(Counts::default(), |step| step.report.counts),
    })
}

/// A model whose looks at the energy are timed; all else is passed on.
struct Watched<'a> {
    model: &'a mut Model,
    search: Duration,
}

impl System for Watched<'_> {
    fn dofs(&self) -> usize {
        self.model.dofs()
    }

    fn mass(&self) -> &Matrix {
        self.model.mass()
    }

    fn force(&mut self, at: At, f: &mut [f64]) {
        self.model.force(at, f);
    }

    fn tangent(&mut self, at: At, w: Weights, c: Curvature, out: &mut Matrix) {
        self.model.tangent(at, w, c, out);
    }

    fn zero_matrix(&self) -> Matrix {
        self.model.zero_matrix()
    }

    fn tangent_times(&mut self, du: &[f64], dv: &[f64], y: &mut [f64]) {
        self.model.tangent_times(du, dv, y);
    }

    fn pattern_stamp(&self) -> Option<u64> {
        self.model.pattern_stamp()
    }

    fn force_rate(&mut self, at: At, ft: &mut [f64]) {
        self.model.force_rate(at, ft);
    }

    fn potential(&mut self, t: f64, u: &[f64]) -> Option<f64> {
        self.model.potential(t, u)
    }

    fn dissipation(&mut self, t: f64, v: &[f64]) -> Option<f64> {
        self.model.dissipation(t, v)
    }

    fn has_lagged_potential(&self) -> bool {
        self.model.has_lagged_potential()
    }

    fn force_scale(&self) -> f64 {
        self.model.force_scale()
    }

    fn prepare(&mut self, at: At) -> Change {
        self.model.prepare(at)
    }

    fn apply_velocity_damping(&mut self, h: f64, s: &mut State) -> Option<f64> {
        self.model.apply_velocity_damping(h, s)
    }

    fn commit(&mut self, at: At) {
        self.model.commit(at);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.model.save(out);
    }

    fn load(&mut self, saved: &[u8]) -> bool {
        self.model.load(saved)
    }

    fn state_measures(&mut self) -> Option<&mut dyn StateMeasures> {
        Some(self)
    }

    fn constant_matrix(&mut self) -> Option<&mut dyn ConstantMatrix> {
        self.model.constant_matrix()
    }

    fn admissible_paths(&mut self) -> Option<&mut dyn AdmissiblePaths> {
        self.model.admissible_paths()
    }

    fn position_damping(&mut self) -> Option<&mut dyn PositionDamping> {
        self.model.position_damping()
    }
}

impl StateMeasures for Watched<'_> {
    fn energy_at(&mut self, at: At) -> Energy {
        let started = Instant::now();
        let energy = self.model.energy_at(at);
        self.search += started.elapsed();
        energy
    }

    fn powers(&mut self, at: At, a: &[f64]) -> Powers {
        self.model.powers(at, a)
    }

    fn exchange_power(&mut self, at: At, a: &[f64]) -> f64 {
        self.model.exchange_power(at, a)
    }

    fn rigid_velocity(&mut self, at: At, out: &mut [f64]) {
        self.model.rigid_velocity(at, out);
    }

    fn angular_momenta(&mut self, at: At, out: &mut Vec<f64>) {
        self.model.angular_momenta(at, out);
    }

    fn set_angular_momenta(&mut self, u: &[f64], wanted: &[f64], v: &mut [f64]) {
        self.model.set_angular_momenta(u, wanted, v);
    }
}
