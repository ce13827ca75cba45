//! Plots numerical damping and frequency error of a method as in [Ascher et al. 2021, fig. 3], beside backward Euler.

use certify::{Certificate, ModeResponse, certificate::damping_curve};
use chart::{Axis, Chart, Dash, Series};
use march::{Newton, Parameters, Stepper, find};

/// Range of hω as powers of ten.
const DECADES: [f64; 2] = [-1.3, 3.0];
const SAMPLE_COUNT: i32 = 172;

/// Returns an SVG plot of the damping and frequency error of a method.
pub fn svg(c: &Certificate, stepper: &mut dyn Stepper) -> anyhow::Result<String> {
    let [low, high] = DECADES;
    let at = |k: i32| 10.0_f64.powf(low + (high - low) * f64::from(k) / f64::from(SAMPLE_COUNT));
    let samples: Vec<f64> = (0..=SAMPLE_COUNT).map(at).collect();
    let mine = damping_curve(stepper, &samples)?;
    let mut euler = find("backward-euler")?.stepper(&Parameters::default(), Newton::Minimise)?;
    let theirs = damping_curve(euler.as_mut(), &samples)?;
    let gains = mine.iter().any(|m| m.damping < -0.01);
    let fast = mine.iter().any(|m| m.frequency_error > 0.005);
    let panel = |title: &str, [from, to]: [f64; 2], value: fn(&ModeResponse) -> f64| {
        let points = |modes: &[ModeResponse]| modes.iter().map(|m| (m.hw, value(m))).collect();
        let mut series = vec![Series::line(&*c.name, points(&mine)).colour(0)];
        if differ(&mine, &theirs) {
            let euler = Series::line("backward-euler", points(&theirs));
            series.insert(0, euler.dash(Dash::Dashed).colour(1));
        }
        Chart {
            title: title.into(),
            x: Axis::log("step × angular frequency hω").with_range(samples[0], 1e3),
            y: Axis::linear("").with_range(from, to),
            series,
        }
    };
    let least = if gains { -0.8 } else { -0.04 };
    let most = if fast { 55.0 } else { 5.0 };
    let damping = panel("numerical damping d/ω", [least, 0.88], |m| m.damping);
    let frequency = panel("frequency error, %", [-105.0, most], |m| {
        100.0 * m.frequency_error
    });
    Ok(chart::chart_column(
        &c.name,
        &note(c),
        &[damping, frequency],
    ))
}

fn note(c: &Certificate) -> String {
    let s = &c.stability;
    let stable = match (s.l_stable, s.a_stable, s.stability_limit) {
        (true, ..) => "L-stable".to_string(),
        (_, true, _) => format!("A-stable, |R(∞)| = {:.3}", s.r_inf.unwrap_or(1.0)),
        (.., Some(limit)) if limit > 0.0 => format!("stable up to hω = {limit:.3}"),
        _ => "vibrations grow at any step".to_string(),
    };
    let order = c.order.nonlinear.map_or("-".into(), |p| format!("{p:.2}"));
    format!("order {order} measured, {stable}; one step of q̈ + ω²q = 0, by stepping")
}

fn differ(mine: &[ModeResponse], theirs: &[ModeResponse]) -> bool {
    mine.len() != theirs.len()
        || mine
            .iter()
            .zip(theirs)
            .any(|(a, b)| (a.damping - b.damping).abs() > 1e-9)
}
