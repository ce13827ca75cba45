//! [Ascher et al. 2021, Fig. 9, eqs. 31–34]: the smoothing s(x; ε) of Coulomb friction, and the creep of a sticking body.
//!
//! On a slope of the angle θ with tan θ = q μ, q < 1, a body creeps with the speed at which s = q, ε(1 − √(1 − q)). Above
//! ε friction is that of Coulomb: a body with the speed v₀ stops after v₀²/(2 μ g) + O(ε).

use chart::{Axis, Chart, Dash, Series};
use scene::session::{Flow, Session};
use solid::potential::contact::SmoothedCoulomb;

use crate::check::{at_most, below, within};
use crate::scenes::open_scene;
use crate::{Finding, Job, PaperError, Table};

/// The slip speeds of the curves, m/s.
const SLIP_SPEEDS: [f64; 4] = [1e-2, 5e-3, 2e-3, 1e-3];
/// The coefficient of friction of the slope and the floor.
const FRICTION: f64 = 0.5;
const GRAVITY: f64 = 9.81;
/// A particle at half the reach of a plane, which carries its weight there.
const PARTICLE: &str = r#"
[time]
method = "sdirk2"
step = 1e-3
until = 1.0
[[particle]]
position = [0, 0.005, 0]
mass = 1.0
[[obstacle]]
plane = { point = [0, 0, 0], normal = [0, 1, 0] }
[contact]
kind = "barrier"
reach = 0.01
"#;

/// Opens the particle on a slope, which tilts gravity, with a speed down the slope.
fn particle(
    angle: f64,
    speed: f64,
    slip_speed: f64,
    time: [f64; 2],
) -> Result<Session, PaperError> {
    let (along, across) = (GRAVITY * angle.sin(), GRAVITY * angle.cos());
    open_scene(
        PARTICLE,
        &[
            ("gravity", format!("[{along:?}, {:?}, 0.0]", -across)),
            ("particle[0].velocity", format!("[{speed:?}, 0.0, 0.0]")),
            ("contact.stiffness", format!("{across:?}")),
            ("contact.friction", format!("{FRICTION:?}")),
            ("contact.slip-speed", format!("{slip_speed:?}")),
            ("time.step", format!("{:?}", time[0])),
            ("time.until", format!("{:?}", time[1])),
        ],
    )
}

/// Takes all steps and returns the final speed and the distance along the slope.
fn slide(mut session: Session) -> Result<[f64; 2], PaperError> {
    let until = session.scene.time.until;
    session
        .run_until(until, &mut |_, _| Flow::On)
        .map_err(PaperError::from_session("the particle on a slope"))?;
    Ok([session.state().v[0], session.state().u[0]])
}

/// Plots s for all slip speeds.
fn curves(finding: &mut Finding) {
    let last = 1.5 * SLIP_SPEEDS[0];
    let grid = |k: usize| last * k as f64 / 300.0;
    let mut series: Vec<Series> = (SLIP_SPEEDS.iter())
        .map(|&slip_speed| {
            let law = SmoothedCoulomb { slip_speed };
            let points = (0..=300).map(|k| (grid(k), law.force(grid(k))));
            Series::line(format!("epsilon {slip_speed} m/s"), points.collect())
        })
        .collect();
    let coulomb = Series::line("Coulomb", vec![(0.0, 0.0), (0.0, 1.0), (last, 1.0)]);
    series.push(coulomb.dash(Dash::Dashed));
    finding.plot(
        "smoothing",
        Chart {
            title: "friction force over its bound".into(),
            x: Axis::linear("sliding speed, m/s"),
            y: Axis::linear("s"),
            series,
        },
    );
    // Largest difference of two one-sided slopes at the transition, and the area between s and Coulomb's law over ε.
    let (mut jump, mut area) = (0.0f64, 0.0f64);
    for slip_speed in SLIP_SPEEDS {
        let law = SmoothedCoulomb { slip_speed };
        let d = 1e-7 * slip_speed;
        let rise = (law.force(slip_speed) - law.force(slip_speed - d)) / d;
        jump = jump.max(slip_speed * (rise - law.slope(slip_speed + d)).abs());
        let missing = slip_speed + d - law.dissipation(slip_speed + d);
        area = area.max((missing / slip_speed - 1.0 / 3.0).abs());
    }
    finding.claim(
        "once-differentiable",
        "s is a C1 function (eq. 32c)",
        format!("its slope jumps by {jump:.1e}/epsilon at epsilon"),
        below(jump, 1e-6).of("jump"),
    );
    finding.claim(
        "approaches-coulomb",
        "s approaches Coulomb friction as epsilon goes to 0",
        format!("the area between the two is epsilon/3 to {area:.1e}"),
        below(area, 1e-6).of("difference"),
    );
}

/// Measures the creep of the particle on slopes.
fn creep(job: &Job, finding: &mut Finding) -> Result<(), PaperError> {
    let columns = [
        "epsilon",
        "tan_theta_over_mu",
        "creep",
        "closed_form",
        "distance_in_10_s",
    ];
    let mut table = Table::new("creep", columns);
    let fractions: &[f64] = job
        .size
        .pick(&[0.2, 0.8, 0.99], &[0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.99]);
    let (mut worst, mut farthest) = (0.0f64, 0.0f64);
    let mut series = Vec::new();
    for slip_speed in SLIP_SPEEDS {
        let mut points = Vec::new();
        for &q in fractions {
            let start = particle((q * FRICTION).atan(), 0.0, slip_speed, [1e-3, 0.2])?;
            let [speed, _] = slide(start)?;
            let wanted = slip_speed * (1.0 - (1.0 - q).sqrt());
            worst = worst.max((speed / wanted - 1.0).abs());
            if slip_speed == 1e-3 {
                farthest = farthest.max(10.0 * speed);
            }
            table.row([slip_speed, q, speed, wanted, 10.0 * speed]);
            points.push((q, speed));
        }
        series.push(Series::line_with_markers(
            format!("epsilon {slip_speed} m/s"),
            points,
        ));
    }
    finding.tables.push(table);
    finding.plot(
        "creep",
        Chart {
            title: "creep of a sticking particle on a slope".into(),
            x: Axis::linear("tan theta / mu"),
            y: Axis::log("speed, m/s"),
            series,
        },
    );
    finding.claim(
        "creep",
        "sticking is not absolute: bodies creep with epsilon (1 - sqrt(1 - tan theta/mu))",
        format!("the speed differs from the closed form by {worst:.1e}"),
        below(worst, 1e-6).of("relative difference"),
    );
    finding.claim(
        "sufficient-sticking",
        "sticking is sufficient for the short times of animations",
        format!(
            "at most {:.1} mm in 10 s at epsilon 1 mm/s, below the slope of friction",
            1e3 * farthest
        ),
        at_most(farthest, 0.01).of("m"),
    );
    Ok(())
}

/// Measures the distance after which the particle stops on the floor.
fn stopping(finding: &mut Finding) -> Result<(), PaperError> {
    let exact = 1.0 / (2.0 * FRICTION * GRAVITY);
    let mut table = Table::new("stopping", ["epsilon", "distance", "coulomb"]);
    let mut errors = Vec::new();
    for slip_speed in SLIP_SPEEDS {
        let [_, distance] = slide(particle(0.0, 1.0, slip_speed, [2.5e-4, 0.4])?)?;
        table.row([slip_speed, distance, exact]);
        errors.push(distance - exact);
    }
    finding.tables.push(table);
    finding.claim(
        "sliding",
        "above epsilon a body slides as under Coulomb friction",
        format!(
            "it stops {:.2e} to {:.2e} m behind v0^2/(2 mu g) = {exact:.4} m",
            errors[3], errors[0]
        ),
        [
            within(errors[0] / exact, 0.0, 1e-3).of("relative difference"),
            below((errors[3] / errors[0]).abs(), 0.1).of("smallest over largest epsilon"),
        ],
    );
    Ok(())
}

/// Computes the curves, the creep and the stopping distances.
pub fn compute(job: &Job) -> Result<Finding, PaperError> {
    let mut finding = Finding::default();
    finding.parameter("coefficient of friction", FRICTION);
    finding.parameter("slip speeds, m/s", format!("{SLIP_SPEEDS:?}"));
    finding.choice("The paper gives no values of epsilon for Fig. 9: ours are speeds in m/s. Its s is compared in a particle of 1 kg on a plane with barrier contact, under SDIRK2.");
    curves(&mut finding);
    creep(job, &mut finding)?;
    stopping(&mut finding)?;
    Ok(finding)
}
