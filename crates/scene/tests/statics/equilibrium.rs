//! Equilibria against closed forms: uniaxial St Venant–Kirchhoff, Euler's column, springs, bodies that are not held.

use super::{position, rows, session};
use scene::session::Session;

/// A square bar under St Venant–Kirchhoff with ν = 0 that is held without constraint of its cross-section.
const BAR: &str = r#"
gravity = [0, 0, 0]
[time]
method = "static"
steps = 5
until = 2.0
[solver]
tolerance = 1e-11
[[body]]
name = "bar"
mesh = { box = { size = [1.0, 0.1, 0.1], cells = [4, 1, 1] } }
material = { law = "stvk", young = 1e6, poisson = 0.0, density = 1000 }
[[body.fix]]
where = { x = 0.0 }
axes = "x"
[[body.fix]]
where = { y = 0.0 }
axes = "y"
[[body.fix]]
where = { z = 0.0 }
axes = "z"
"#;

/// Stretch of the bar under a force: E A (λ³ − λ)/2 = F.
fn stretch(force: f64) -> f64 {
    let mut stretch = 1.0 + force / 1e4;
    for _ in 0..50 {
        let excess = 0.5e4 * (stretch.powi(3) - stretch) - force;
        stretch -= excess / (0.5e4 * (3.0 * stretch * stretch - 1.0));
    }
    stretch
}

/// Strain energy of the bar: E A L/8 (λ² − 1)².
fn energy(stretch: f64) -> f64 {
    1e4 / 8.0 * (stretch * stretch - 1.0).powi(2)
}

fn end_of(session: &mut Session) -> f64 {
    position(session, [1.0, 0.0, 0.0])[0]
}

#[test]
fn a_pulled_bar_follows_the_closed_form_at_every_load() {
    let text = format!("{BAR}[[body.push]]\nwhere = {{ x = 1.0 }}\nforce = [4000.0, 0.0, 0.0]\n");
    let mut session = session(&text);
    for k in 1..=5 {
        session.step().unwrap();
        let row = *session.row();
        let step = row.load_step.unwrap();
        let load = f64::from(k) / 5.0;
        let want = stretch(4000.0 * load);
        assert!((end_of(&mut session) - want).abs() < 1e-10, "{load}");
        assert!((step.displacement - (want - 1.0)).abs() < 1e-10);
        assert!((row.energies.total() - energy(want)).abs() < 1e-6);
        assert!((step.load - load).abs() < 1e-15 && (row.t - 2.0 * load).abs() < 1e-15);
        assert!(step.residual < 1e-11 && step.negative_pivots == Some(0));
        assert_eq!((row.energies.kinetic, row.momentum.linear), (0.0, [0.0; 3]));
        let r = session.reactions().unwrap();
        assert_eq!(r[0].name, "bar.fix[0]");
        assert!((r[0].force[0] + 4000.0 * load).abs() < 1e-6, "{:?}", r[0]);
        // About the origin, at half the height and width of the bar.
        assert!((r[0].moment[1] + 200.0 * load).abs() < 1e-6);
        assert!((r[0].moment[2] - 200.0 * load).abs() < 1e-6);
        assert!(session.unheld.is_empty() && session.notices.is_empty());
    }
}

/// The trapezoidal work of five and of ten load steps: its error falls by four.
#[test]
fn the_ledger_closes_to_the_order_of_its_quadrature() {
    let error = |steps: u32, tail: &str| {
        let text = BAR.replace("steps = 5", &format!("steps = {steps}"));
        let mut session = session(&format!("{text}{tail}"));
        let rows = rows(&mut session);
        let work: f64 = rows.iter().map(|r| r.entry.work).sum();
        let stored = session.energies().total();
        let numerical: f64 = rows.iter().map(|r| r.entry.numerical).sum();
        assert!((work + numerical - stored).abs() < 1e-9 * stored);
        assert!(rows.iter().all(|r| r.entry.damping == 0.0));
        (work - stored).abs() / stored
    };
    let pull = "[[body.push]]\nwhere = { x = 1.0 }\nforce = [4000.0, 0.0, 0.0]\n";
    let stretch = "[[body.fix]]\nwhere = { x = 1.0 }\naxes = \"x\"\n\
         motion = { keys = [{ t = 0.0 }, { t = 2.0, translate = [0.3, 0.0, 0.0] }] }\n";
    let tether = "[[body.tether]]\nwhere = { x = 1.0, y = 0.0, z = 0.0 }\nstiffness = 1e4\n\
         motion = { keys = [{ t = 0.0 }, { t = 2.0, translate = [0.1, 0.0, 0.0] }] }\n";
    for tail in [pull, stretch, tether] {
        let (coarse, fine) = (error(10, tail), error(20, tail));
        assert!(
            coarse < 0.02 && fine < 0.3 * coarse,
            "{tail}: {coarse} {fine}"
        );
    }
}

#[test]
fn a_prescribed_stretch_gives_the_force_of_the_closed_form() {
    let text = format!(
        "{BAR}[[body.fix]]\nwhere = {{ x = 1.0 }}\naxes = \"x\"\n\
         motion = {{ keys = [{{ t = 0.0 }}, {{ t = 2.0, translate = [-0.2, 0.0, 0.0] }}] }}\n"
    );
    let mut session = session(&text);
    let rows = rows(&mut session);
    assert!(rows.iter().all(|r| r.energies.kinetic == 0.0));
    let force = 0.5e4 * (0.8f64.powi(3) - 0.8);
    let r = session.reactions().unwrap();
    assert!((r[3].force[0] - force).abs() < 1e-7, "{r:?}");
    assert!((r[0].force[0] + force).abs() < 1e-7, "{r:?}");
}

/// Euler's column, clamped and free: unstable above π² EI/(4 L²), with one negative pivot in the plane.
#[test]
fn a_column_has_a_negative_pivot_above_eulers_load() {
    let euler = std::f64::consts::PI.powi(2) * 1e9 * (0.04f64.powi(4) / 12.0) / 4.0;
    let text = format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"static\"\n[[body]]\n\
         mesh = {{ box = {{ size = [0.04, 1.0, 0.04], cells = [1, 12, 1], element = \"hex20\" }} }}\n\
         material = {{ law = \"stvk\", young = 1e9, poisson = 0.0, density = 1000 }}\n\
         [[body.fix]]\nwhere = {{ y = 0.0 }}\n[[body.fix]]\nwhere = \"all\"\naxes = \"z\"\n\
         [[body.push]]\nwhere = {{ y = 1.0 }}\nforce = [0.0, {}, 0.0]\n",
        -1.9 * euler
    );
    let mut session = session(&text);
    let rows = rows(&mut session);
    let pivots: Vec<_> = rows
        .iter()
        .map(|r| r.load_step.unwrap().negative_pivots)
        .collect();
    // Load factors 0.19, 0.38, … 0.95 and 1.14, … 1.9 of Euler's load.
    let wanted: Vec<_> = (1..=10).map(|k| Some(u64::from(k > 5))).collect();
    assert_eq!(pivots, wanted);
    let report = scene::run::StaticsReport::new(&mut session).unwrap();
    assert_eq!(
        report.stability,
        "1 negative pivot: unstable equilibrium (buckling)"
    );
    assert_eq!(report.warnings().len(), 1);
}

/// Weights on springs: x = rest + m g/k, also for a pendulum that starts without stiffness sideways.
#[test]
fn particles_hang_on_their_springs() {
    let text = |position: &str| {
        format!(
            "gravity = [0, -10, 0]\n[time]\nmethod = \"static\"\n[[particle]]\nposition = {position}\nmass = 2\n\
             [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 400\nrest = 1.0\n"
        )
    };
    for position in ["[0, -1, 0]", "[0.8, -0.6, 0]"] {
        let mut session = session(&text(position));
        rows(&mut session);
        let x = session.positions()[0];
        let wanted = [0.0, -1.05, 0.0];
        assert!(
            (0..3).all(|k| (x[k] - wanted[k]).abs() < 1e-5),
            "{position}: {x:?}"
        );
    }
}

/// A free body under balanced pulls stretches as a held one, with a warning; its weight moves it as a whole.
#[test]
fn an_unheld_body_runs_regularised_with_a_warning() {
    let end = BAR.find("[[body.fix]]").unwrap();
    let free = format!(
        "{}[[body.push]]\nwhere = {{ x = 1.0 }}\nforce = [4000.0, 0.0, 0.0]\n\
         [[body.push]]\nwhere = {{ x = 0.0 }}\nforce = [-4000.0, 0.0, 0.0]\n",
        &BAR[..end]
    );
    let mut session1 = session(&free);
    assert_eq!(session1.notices.len(), 1, "{:?}", session1.notices);
    assert!(session1.notices[0].starts_with("bar: its supports allow 6 rigid motions"));
    assert_eq!(session1.unheld[0].1.free_motions, 6);
    let all = rows(&mut session1);
    assert!(
        all.iter()
            .all(|r| r.load_step.unwrap().negative_pivots == Some(0))
    );
    let length = end_of(&mut session1) - position(&mut session1, [0.0; 3])[0];
    assert!((length - stretch(4000.0)).abs() < 1e-6, "{length}");
    let report = scene::run::StaticsReport::new(&mut session1).unwrap();
    assert!(
        report.unheld[0]
            .mean_displacement
            .iter()
            .all(|u| u.abs() < 1e-6)
    );

    let heavy = free.replace("gravity = [0, 0, 0]", "gravity = [0, -2, 0]");
    let mut session2 = session(&heavy);
    rows(&mut session2);
    let report = scene::run::StaticsReport::new(&mut session2).unwrap();
    let unheld = &report.unheld[0];
    let sink = -2.0 * 10.0 / unheld.foundation;
    assert!(
        (unheld.mean_displacement[1] / sink - 1.0).abs() < 1e-3,
        "{unheld:?} {sink}"
    );
    assert!(report.warnings()[0].starts_with("bar is not held (6 free rigid motions)"));

    // A body that is held at one face has no free motion; one that can slide has one.
    let slides = BAR.replacen(
        "where = { x = 0.0 }\naxes = \"x\"",
        "where = { y = 0.1 }\naxes = \"y\"",
        1,
    );
    assert_eq!(session(&slides).unheld[0].1.free_motions, 1);
}
