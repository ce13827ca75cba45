//! A notched plate of glass under sudden tension, after [Ha & Bobaru 2010, sec. 4]: the run, the crack's path and its branches.

use scene::build::build;
use scene::session::{Flow, Session};
use scene::spec::parse;

/// Length of the plate along the crack, m.
pub const LENGTH: f64 = 0.1;
/// Height of the plate, m.
pub const HEIGHT: f64 = 0.04;
/// Length of the notch, m.
pub const NOTCH: f64 = 0.05;
/// Young's modulus, Pa.
const YOUNG: f64 = 65e9;
/// Density, kg/m³.
const DENSITY: f64 = 2235.0;
/// Fracture energy, J/m².
const FRACTURE_ENERGY: f64 = 204.0;
/// Share of the height around the middle in which cracks are looked for: high loads tear the loaded edges off.
const MIDDLE: f64 = 0.6;
/// Damage from which a particle is on the crack.
const CRACKED: f64 = 0.35;

/// A plate with a spacing and a load.
#[derive(Clone, Copy, Debug)]
pub struct Plate {
    /// Number of cells over the height.
    pub cells: u32,
    /// Tension on both long edges, Pa.
    pub tension: f64,
    /// End of the run, s.
    pub until: f64,
}

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of particles.
    pub particles: usize,
    /// Number of steps.
    pub steps: u64,
    /// Time at which the first bond broke, s.
    pub onset: Option<f64>,
    /// Place of the first broken bonds, m.
    pub origin: [f64; 2],
    /// Time and furthest cracked particle along the plate (m), after each step with a longer crack.
    pub tips: Vec<(f64, f64)>,
    /// Cracked particles that are not on the notch, m.
    pub cracked: Vec<[f64; 2]>,
    /// Spacing of the particles, m.
    pub spacing: f64,
}

/// Speed of surface waves, m/s: c_R ≈ c_S (0.862 + 1.14 ν)/(1 + ν) with Poisson's ratio ν = ¼ [Viktorov 1967].
pub fn rayleigh_speed() -> f64 {
    let shear = (0.4 * YOUNG / DENSITY).sqrt();
    shear * (0.862 + 1.14 * 0.25) / 1.25
}

/// Returns whether a point is far from the loaded edges.
fn in_the_middle(p: [f64; 3]) -> bool {
    (p[1] / HEIGHT - 0.5).abs() < 0.5 * MIDDLE
}

impl Plate {
    /// Spacing of the particles, m.
    pub fn spacing(&self) -> f64 {
        HEIGHT / f64::from(self.cells)
    }

    /// The scene.
    pub fn scene(&self) -> String {
        let spacing = self.spacing();
        format!(
            r#"
gravity = [0, 0, 0]
[time]
method = "newmark"
step = {step:?}
until = {until:?}
fps = {fps:?}
[[body]]
name = "plate"
mesh = {{ box = {{ size = [{LENGTH:?}, {HEIGHT:?}, {spacing:?}], cells = [{along}, {cells}, 1] }} }}
bonds = {{ horizon = {horizon:?}, young = {YOUNG:?}, density = {DENSITY:?}, fracture-energy = {FRACTURE_ENERGY:?} }}
[[body.crack]]
plane = {{ point = [0, {middle:?}, 0], normal = [0, 1, 0], max = [{NOTCH:?}, 1, 1] }}
[[body.traction]]
where = {{ min = [{inset:?}, {top:?}, -1], max = [{end:?}, 1, 1] }}
force-per-area = [0, {tension:?}, 0]
[[body.traction]]
where = {{ min = [{inset:?}, -1, -1], max = [{end:?}, {bottom:?}, 1] }}
force-per-area = [0, -{tension:?}, 0]
"#,
            // The time in which a wave of tension passes 0.7 spacings.
            step = 0.7 * spacing / (1.2 * YOUNG / DENSITY).sqrt(),
            until = self.until,
            fps = 20.0 / self.until,
            along = (LENGTH / spacing).round(),
            cells = self.cells,
            horizon = 3.015 * spacing,
            // Between two rows of particles.
            middle = 0.5 * HEIGHT
                + if self.cells.is_multiple_of(2) {
                    0.5 * spacing
                } else {
                    0.0
                },
            tension = self.tension,
            // The particles of the corners have few bonds and would be torn off.
            inset = 4.5 * spacing,
            end = LENGTH - 4.5 * spacing,
            top = HEIGHT - 0.1 * spacing,
            bottom = 0.1 * spacing,
        )
    }

    /// Runs the plate.
    pub fn run(&self) -> Result<Outcome, String> {
        let (scene, source) = parse("plate", &self.scene()).map_err(|e| e.to_string())?;
        let mut session = build(scene, &source).map_err(|e| e.to_string())?;
        let spacing = self.spacing();
        let mut out = Outcome {
            particles: session.model.nodes(),
            steps: 0,
            onset: None,
            origin: [0.0; 2],
            tips: Vec::new(),
            cracked: Vec::new(),
            spacing,
        };
        let mut before = Vec::new();
        session.model.damage(&mut before);
        let start = before.clone();
        let mut damage = Vec::new();
        session
            .run_until(self.until, &mut |session: &mut Session, _| {
                session.model.damage(&mut damage);
                out.note(session, &start, &damage);
                Flow::On
            })
            .map_err(|e| e.to_string())?;
        let rest = session.model.rest();
        let on_crack =
            |i: &usize| damage[*i] > CRACKED && rest[*i][0] > NOTCH && in_the_middle(rest[*i]);
        let place = |i: usize| [rest[i][0], rest[i][1]];
        out.cracked = (0..rest.len()).filter(on_crack).map(place).collect();
        Ok(out)
    }
}

impl Outcome {
    fn note(&mut self, session: &Session, start: &[f64], damage: &[f64]) {
        self.steps += 1;
        let rest = session.model.rest();
        let changed: Vec<usize> = (0..rest.len())
            .filter(|&i| damage[i] > start[i] && in_the_middle(rest[i]))
            .collect();
        if self.onset.is_none() && !changed.is_empty() {
            self.onset = Some(session.t());
            let mean = |k: usize| {
                let sum: f64 = changed.iter().map(|&i| rest[i][k]).sum();
                sum / changed.len() as f64
            };
            self.origin = [mean(0), mean(1)];
        }
        let cracked = (0..rest.len()).filter(|&i| damage[i] > CRACKED && in_the_middle(rest[i]));
        let tip = cracked.map(|i| rest[i][0]).fold(0.0, f64::max);
        if tip > self.tips.last().map_or(NOTCH, |l| l.1) {
            self.tips.push((session.t(), tip));
        }
    }

    /// Mean speed of the crack between 20 % and 80 % of its path, m/s; `None` if it is too short.
    pub fn speed(&self) -> Option<f64> {
        let last = self.tips.last()?.1;
        let part = |share: f64| NOTCH + share * (last - NOTCH);
        let inside = |t: &&(f64, f64)| t.1 >= part(0.2) && t.1 <= part(0.8);
        let path: Vec<(f64, f64)> = self.tips.iter().filter(inside).copied().collect();
        let (first, end) = (path.first()?, path.last()?);
        (end.0 > first.0).then(|| (end.1 - first.1) / (end.0 - first.0))
    }

    /// Heights of the separate cracks at a place along the plate: cracked particles more than two spacings apart.
    pub fn cracks_at(&self, x: f64) -> Vec<f64> {
        let near = |p: &&[f64; 2]| (p[0] - x).abs() < 1.01 * self.spacing;
        let mut heights: Vec<f64> = self.cracked.iter().filter(near).map(|p| p[1]).collect();
        heights.sort_by(f64::total_cmp);
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for y in heights {
            match groups.last_mut() {
                Some(group) if y - last < 2.5 * self.spacing => {
                    *group = (group.0 + y, group.1 + 1.0);
                }
                _ => groups.push((y, 1.0)),
            }
            last = y;
        }
        groups.iter().map(|(sum, n)| sum / n).collect()
    }

    /// Where the crack first has two branches that stay apart for three spacings, and the angle between them in degrees; `None` if
    /// it has none, or two that approach each other, as the wreck of loaded edges does.
    pub fn branching(&self) -> Option<(f64, f64)> {
        let end = self.tips.last()?.1;
        let count = ((end - NOTCH) / self.spacing) as usize;
        let place = |k: usize| NOTCH + k as f64 * self.spacing;
        let apart = |k: usize| self.cracks_at(place(k)).len() >= 2;
        let first = (0..count.saturating_sub(3)).find(|&k| (k..k + 3).all(apart))?;
        let widths: Vec<(f64, f64)> = (first..count)
            .filter(|&k| apart(k))
            .map(|k| {
                let all = self.cracks_at(place(k));
                (place(k), all[all.len() - 1] - all[0])
            })
            .collect();
        let angle = angle(&widths);
        (angle > 0.0).then_some((place(first), angle))
    }
}

/// Angle between two branches by the least-squares slope of their distance, degrees.
fn angle(widths: &[(f64, f64)]) -> f64 {
    let n = widths.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| widths.iter().map(f).sum::<f64>() / n;
    let (x, w) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = mean(&|p| (p.0 - x) * (p.1 - w)) / mean(&|p| (p.0 - x).powi(2));
    2.0 * (0.5 * slope).atan().to_degrees()
}
