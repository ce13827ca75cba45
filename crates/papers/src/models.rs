//! The benchmark models of [Dinev et al. 2018, Tables 1 and 2] with our meshes of similar size, and timing of their
//! frames.

use std::time::{Duration, Instant};

use march::ledger::{Energy, Powers};
use march::{
    AdmissiblePaths, At, Change, ConstantMatrix, ContactImpulses, Counts, Curvature,
    PositionDamping, State, StateMeasures, System, Weights,
};
use scene::session::Session;
use solid::model::Model;
use sparse::Matrix;

use crate::integrators::{BAR, CUBE, IntegratorSetup, NOSE, SPRING_CLOTH, SWING};
use crate::results::cube_on_spheres::CUBE_ON_SPHERES;
use crate::results::figure_on_spheres::FIGURE_ON_SPHERES;
use crate::results::nose::pull_nose;
use crate::results::sliding_figure::SLIDING_FIGURE;
use crate::{PaperError, Size};

/// A model of the tables with the published times and our scene for it.
pub struct BenchmarkModel {
    /// The name in the paper.
    pub name: &'static str,
    /// The numbers of vertices and elements in the paper.
    pub paper_size: [u32; 2],
    /// The published milliseconds per frame with Newton's method: backward Euler, energy tracking, search for α.
    pub paper_newton_ms: [f64; 3],
    /// The published milliseconds per frame with local/global iterations, in the same order.
    pub paper_local_global_ms: [f64; 3],
    /// The published milliseconds per frame of implicit midpoint with 1, 5, 10, 20 and 100 substeps.
    pub paper_substeps_ms: [f64; 5],
    scene: &'static str,
    /// The key of the mesh size and its values at full and at quick size; `None` omits the model at quick size.
    size: (&'static str, &'static str, Option<&'static str>),
    extra_keys: &'static [(&'static str, &'static str)],
    nose_pulled: bool,
}

/// The key of the mesh size of figures.
const BLOB_CELLS: &str = "body.figure.mesh.blob.cells";

/// All models of the tables.
pub const MODELS: [BenchmarkModel; 9] = [
    BenchmarkModel {
        name: "bar",
        paper_size: [290, 716],
        paper_newton_ms: [148.0, 231.0, 3.27],
        paper_local_global_ms: [3.62, 5.73, 1.85],
        paper_substeps_ms: [3.79, 18.22, 36.42, 72.73, 361.0],
        scene: BAR,
        size: ("body.bar.mesh.box.cells", "[3, 17, 3]", Some("[1, 9, 1]")),
        extra_keys: &[],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "cube",
        paper_size: [386, 996],
        paper_newton_ms: [277.0, 505.0, 1.86],
        paper_local_global_ms: [5.84, 8.41, 1.66],
        paper_substeps_ms: [6.03, 29.86, 54.95, 111.0, 541.0],
        scene: CUBE,
        size: ("body.cube.mesh.box.cells", "[6, 6, 6]", Some("[4, 4, 4]")),
        extra_keys: &[("body.cube.disturb.scatter", "0.06")],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "cube, falling",
        paper_size: [386, 996],
        paper_newton_ms: [365.0, 597.0, 0.76],
        paper_local_global_ms: [6.93, 9.5, 0.93],
        paper_substeps_ms: [7.16, 56.85, 122.0, 245.0, 1232.0],
        scene: CUBE_ON_SPHERES,
        size: ("body.cube.mesh.box.cells", "[6, 6, 6]", Some("[4, 4, 4]")),
        extra_keys: &[
            ("body.cube.place.translate", "[-0.5, 0.405, -0.5]"),
            ("body.cube.velocity.linear", "[0.0, -4.0, 0.0]"),
        ],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "hippo",
        paper_size: [2387, 8406],
        paper_newton_ms: [3985.0, 6296.0, 5.0],
        paper_local_global_ms: [66.4, 73.3, 4.93],
        paper_substeps_ms: [68.4, 312.0, 666.0, 1230.0, 6615.0],
        scene: FIGURE_ON_SPHERES,
        size: (BLOB_CELLS, "20", None),
        extra_keys: &[
            ("body.figure.place.translate", "[0.5, 0.55, 0.0]"),
            ("body.figure.velocity.linear", "[0.0, -3.0, 0.0]"),
        ],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "bunny, small",
        paper_size: [4497, 15408],
        paper_newton_ms: [6288.0, 10720.0, 13.8],
        paper_local_global_ms: [194.0, 212.0, 9.62],
        paper_substeps_ms: [184.0, 830.0, 2014.0, 3568.0, 18907.0],
        scene: SLIDING_FIGURE,
        size: (BLOB_CELLS, "25", None),
        extra_keys: &[("contact.friction", "0.8")],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "cactus",
        paper_size: [5261, 17187],
        paper_newton_ms: [5050.0, 7577.0, 41.6],
        paper_local_global_ms: [115.0, 174.0, 39.9],
        paper_substeps_ms: [120.0, 590.0, 1242.0, 2442.0, 13849.0],
        scene: SWING,
        size: (BLOB_CELLS, "26", None),
        extra_keys: &[
            ("body.figure.disturb.scatter", "0.02"),
            ("body.figure.disturb.seed", "1"),
            ("time.calm-start", "false"),
        ],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "cloth",
        paper_size: [10201, 50200],
        paper_newton_ms: [24958.0, 42758.0, 6.11],
        paper_local_global_ms: [110.0, 127.0, 7.58],
        paper_substeps_ms: [109.0, 478.0, 997.0, 1976.0, 8388.0],
        scene: SPRING_CLOTH,
        size: (
            "body.cloth.mesh.sheet.cells",
            "[100, 100]",
            Some("[20, 20]"),
        ),
        extra_keys: &[],
        nose_pulled: false,
    },
    BenchmarkModel {
        name: "dog",
        paper_size: [28390, 117423],
        paper_newton_ms: [39101.0, 99138.0, 212.0],
        paper_local_global_ms: [916.0, 1205.0, 193.0],
        paper_substeps_ms: [904.0, 4413.0, 9079.0, 16660.0, 79369.0],
        scene: NOSE,
        size: (BLOB_CELLS, "48", None),
        extra_keys: &[],
        nose_pulled: true,
    },
    BenchmarkModel {
        name: "bunny, large",
        paper_size: [34844, 121058],
        paper_newton_ms: [31624.0, 64037.0, 227.0],
        paper_local_global_ms: [1181.0, 1510.0, 215.0],
        paper_substeps_ms: [1101.0, 5616.0, 11293.0, 22577.0, 120631.0],
        scene: SWING,
        size: (BLOB_CELLS, "51", Some("12")),
        extra_keys: &[],
        nose_pulled: false,
    },
];

/// The sentence that describes our models in results.
pub const MODEL_CHOICES: &str = "The meshes of the paper are not available. Ours have a similar number of vertices. The motions are the bar of Fig. 8, the cube of Fig. 5 (scattered), the cloth of Fig. 10, the nose of Fig. 11 (dog) and the figure swinging by its ears (the others; the cactus with nodes displaced by 2 % of its height). The falling cube of Fig. 15 begins just above its spheres at 4 m/s, and hippo (Fig. 13) and the small bunny (Fig. 14) touch theirs with penalty contact.";

impl BenchmarkModel {
    /// Returns whether the model is computed at this size.
    pub fn is_included(&self, size: Size) -> bool {
        size == Size::Full || self.size.2.is_some()
    }

    /// Opens the model with an integrator and other values for some keys.
    pub fn open(
        &self,
        size: Size,
        way: IntegratorSetup,
        set: &[(&str, String)],
    ) -> Result<Session, PaperError> {
        let (key, full, quick) = self.size;
        let mut keys = vec![(key, size.pick(quick.unwrap_or(full), full).to_string())];
        keys.extend(self.extra_keys.iter().map(|(k, v)| (*k, v.to_string())));
        keys.extend_from_slice(set);
        let mut sim = way.open(self.scene, &keys)?;
        if self.nose_pulled {
            pull_nose(&mut sim);
        }
        Ok(sim)
    }
}

/// The time and work of one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCost {
    /// The time of the whole frame in seconds.
    pub seconds: f64,
    /// The time of energy evaluations, which is the search for α, in seconds.
    pub energy_seconds: f64,
    /// The counted work.
    pub work: Counts,
}

/// Takes a step of the scene's length and measures its time and work.
pub fn timed_frame(sim: &mut Session) -> Result<FrameCost, PaperError> {
    let (time, model) = sim.time_loop_and_model();
    time.drop_ledger();
    let mut trial_with_progress = Watched {
        model,
        energy_seconds: Duration::ZERO,
    };
    let started = Instant::now();
    let step = time
        .step(&mut trial_with_progress, f64::INFINITY)
        .map_err(PaperError::from_failure("a timed frame"))?;
    Ok(FrameCost {
        seconds: started.elapsed().as_secs_f64(),
        energy_seconds: trial_with_progress.energy_seconds.as_secs_f64(),
        work: step.map_or(Counts::default(), |step| step.report.counts),
    })
}

/// A model that measures the time of its energy evaluations and forwards all calls.
struct Watched<'a> {
    model: &'a mut Model,
    energy_seconds: Duration,
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

    fn contact_impulses(&mut self) -> Option<&mut dyn ContactImpulses> {
        self.model.contact_impulses()
    }

    fn contact_change_at_commit(&self) -> f64 {
        self.model.contact_change_at_commit()
    }
}

impl StateMeasures for Watched<'_> {
    fn energy_at(&mut self, at: At) -> Energy {
        let started = Instant::now();
        let energy = self.model.energy_at(at);
        self.energy_seconds += started.elapsed();
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
