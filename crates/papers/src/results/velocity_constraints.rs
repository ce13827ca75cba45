//! [Ascher et al. 2021, Fig. 7, eqs. 27a, 27b]: velocity constraints reject valid steps over convex obstacles.
//!
//! A vertex touches a ball of radius R. The constraint n·v ≥ 0 at the start of a step rejects every displacement of length L
//! below the tangent plane; those at an angle φ with sin φ < L/(2R) end outside of the ball. So of the valid directions in a
//! plane through the centre the share asin(L/2R)/(π/2 + asin(L/2R)) is rejected.

use std::f64::consts::FRAC_PI_2;

use chart::{Axis, Chart, Series};
use contact::obstacle::{Frame, Obstacle};
use scene::session::Flow;

use crate::check::{above, at_least, at_most, below, near};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

/// The radius of the ball, m.
const RADIUS: f64 = 0.5;
const GRAVITY: f64 = 9.81;
/// The speed of the particle at the top of the ball, m/s.
const SPEED: f64 = 1.0;
/// A time before the particle leaves the ball, s.
const UNTIL: f64 = 0.15;
/// A particle on top of a ball, carried at half the reach.
const PARTICLE: &str = r#"
[time]
method = "sdirk2"
step = 0.01
until = 0.15
[[particle]]
position = [0, 0.501, 0]
velocity = [1, 0, 0]
mass = 1.0
[[obstacle]]
sphere = { center = [0, 0, 0], radius = 0.5 }
[contact]
kind = "barrier"
reach = 0.002
stiffness = 7.8
"#;

/// Share of valid directions that the velocity constraint rejects, counted with the signed distance of the obstacle.
fn rejected_share(length: f64, directions: usize) -> f64 {
    let ball = Obstacle::Sphere { radius: RADIUS };
    let (mut valid, mut rejected) = (0usize, 0usize);
    for k in 0..directions {
        // From straight up to straight down.
        let angle = FRAC_PI_2 - 2.0 * FRAC_PI_2 * (k as f64 + 0.5) / directions as f64;
        let step = [length * angle.cos(), length * angle.sin(), 0.0];
        let end = [step[0], RADIUS + step[1], 0.0];
        if ball.signed_distance(&Frame::IDENTITY, end) > 0.0 {
            valid += 1;
            rejected += usize::from(step[1] < 0.0);
        }
    }
    rejected as f64 / valid as f64
}

/// Compares the share of rejected directions with its closed form.
fn shares(job: &Job, finding: &mut Finding) {
    let directions = job.size.pick(20_000, 200_000);
    let mut table = Table::new(
        "directions",
        ["length_over_radius", "rejected", "closed_form"],
    );
    let (mut worst, mut points) = (0.0f64, Vec::new());
    for ratio in [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0] {
        let below_plane = (0.5f64 * ratio).asin();
        let wanted = below_plane / (FRAC_PI_2 + below_plane);
        let share = rejected_share(ratio * RADIUS, directions);
        table.row([ratio, share, wanted]);
        worst = worst.max((share - wanted).abs());
        points.push((ratio, share));
    }
    let (first, last) = (points[0].1, points[points.len() - 1].1);
    finding.tables.push(table);
    finding.plot(
        "rejected",
        Chart {
            title: "valid displacements that n.v >= 0 rejects".into(),
            x: Axis::log("displacement in a step over the radius"),
            y: Axis::log("share"),
            series: vec![Series::line_with_markers("counted", points)],
        },
    );
    finding.claim(
        "rejects-valid-steps",
        "with large enough steps velocity constraints reject plausible steps over a convex surface",
        format!("{:.1} % of the valid directions at a displacement of the radius; the counts differ from the closed form by {worst:.1e}", 100.0 * last),
        [above(last, 0.1).of("share"), below(worst, 1e-3).of("difference")],
    );
    finding.claim(
        "curvature-and-step",
        "the artifacts are typical of highly curved areas and large time steps",
        format!(
            "{:.2} % at a hundredth of the radius, {:.1} % at the radius",
            100.0 * first,
            100.0 * last
        ),
        [
            at_most(first, 0.005).of("share"),
            at_least(last / first, 20.0).of("ratio"),
        ],
    );
}

/// Height above the ball at [`UNTIL`] of a particle whose velocity is projected onto n·v ≥ 0 in contact, by the step.
fn gap_of_velocity_constraint(step: f64) -> f64 {
    let (mut x, mut v) = ([0.0, RADIUS], [SPEED, 0.0]);
    let steps = (UNTIL / step).round() as usize;
    for _ in 0..steps {
        let distance = x[0].hypot(x[1]);
        let n = [x[0] / distance, x[1] / distance];
        v[1] -= step * GRAVITY;
        let normal = n[0] * v[0] + n[1] * v[1];
        // In contact, or so close that the step would enter the ball.
        if normal < 0.0 && distance - RADIUS + step * normal <= 0.0 {
            v = [v[0] - normal * n[0], v[1] - normal * n[1]];
        }
        x = [x[0] + step * v[0], x[1] + step * v[1]];
    }
    x[0].hypot(x[1]) - RADIUS
}

/// Slides a particle over the ball with the barrier and with velocity constraints.
fn slides(job: &Job, finding: &mut Finding) -> Result<(), PaperError> {
    let steps: &[f64] = job.size.pick(
        &[0.03, 0.01, 0.0025],
        &[0.03, 0.015, 0.01, 0.005, 0.0025, 0.00125],
    );
    let mut table = Table::new(
        "slides",
        [
            "step",
            "gap_velocity_constraint",
            "gap_barrier",
            "steps",
            "steps_below_the_tangent_plane",
        ],
    );
    let mut curves = [Vec::new(), Vec::new()];
    let (mut below_plane, mut taken, mut largest, mut least) = (0.0, 0.0, 0.0f64, f64::INFINITY);
    for &step in steps {
        let mut session = open_scene(PARTICLE, &[("time.step", format!("{step:?}"))])?;
        let (mut before, mut count, mut below) = ([0.0, 0.501], 0.0, 0.0);
        let mut gap = f64::NAN;
        session
            .run_until(UNTIL, &mut |session, _| {
                let s = session.state();
                let x = [s.u[0], 0.501 + s.u[1]];
                below += f64::from(
                    before[0] * (x[0] - before[0]) + before[1] * (x[1] - before[1]) < 0.0,
                );
                count += 1.0;
                gap = x[0].hypot(x[1]) - RADIUS;
                least = least.min(gap);
                before = x;
                Flow::On
            })
            .map_err(PaperError::from_session("the particle on the ball"))?;
        let constrained = gap_of_velocity_constraint(step);
        table.row([step, constrained, gap, count, below]);
        curves[0].push((step, constrained));
        curves[1].push((step, gap));
        (below_plane, taken) = (below_plane + below, taken + count);
        largest = largest.max(gap);
    }
    finding.tables.push(table);
    let [constrained, barrier] = curves;
    let (coarse, fine) = (constrained[0].1, constrained[constrained.len() - 1].1);
    finding.plot(
        "gap",
        Chart {
            title: "a particle slides over a ball: gap after 0.15 s".into(),
            x: Axis::log("step, s"),
            y: Axis::log("gap, m"),
            series: vec![
                Series::line_with_markers("velocity constraint", constrained),
                Series::line_with_markers("barrier", barrier),
            ],
        },
    );
    finding.claim(
        "leaves-the-surface",
        "velocity constraints cause artifacts with large time steps (sec. 5.1)",
        format!("the particle hovers {:.1} mm above the ball at 30 ms and {:.2} mm at the smallest step", 1e3 * coarse, 1e3 * fine),
        [
            above(coarse / (steps[0] * SPEED), 0.1).of("gap over displacement in a step of 30 ms"),
            below(fine / coarse, 0.1).of("smallest over largest step"),
        ],
    );
    finding.claim(
        "barrier-follows",
        "a constraint on positions follows the surface",
        format!("{below_plane} of {taken} steps with the barrier end below the tangent plane of their start; the gap stays between {least:.1e} and {largest:.1e} m"),
        [
            near(below_plane / taken, 1.0, 0.2).of("share"),
            above(least, 0.0).of("m"),
            at_most(largest, 2e-3).of("m"),
        ],
    );
    Ok(())
}

/// Counts rejected displacements and slides a particle over a ball.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("radius, m", RADIUS);
    finding.parameter("speed, m/s", SPEED);
    finding.choice("Fig. 7 is a sketch without numbers. We count displacements of a vertex on a ball, and slide a particle from its top until shortly before it leaves the ball by itself: with symplectic Euler and the velocity projected in contact, and with the barrier under SDIRK2. A displacement below the tangent plane of a vertex that touches passes through the ball, and the path check of our barrier rejects it too; with a gap larger than the sagitta of the step, as here, the path is free.");
    shares(job, &mut finding);
    slides(job, &mut finding)?;
    Ok(finding)
}
