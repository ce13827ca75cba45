//! Certificates: measured properties are those declared in the registry.

use certify::{Certificate, Claims, ModeResponse, cost, modes, order};
use march::methods::{Family, MethodChoice, Stability, names};
use march::{Newton, Parameters, Prefix, Stepper, find};

fn choices() -> Vec<MethodChoice> {
    let own = |c: &MethodChoice| {
        matches!(
            c.method.family,
            Family::UserRungeKutta | Family::UserRosenbrock
        )
    };
    let named = |n: &String| n != "semi-implicit";
    names()
        .iter()
        .filter(|n| named(n))
        .map(|n| find(n).unwrap())
        .filter(|c| !own(c))
        .collect()
}

fn stepper(name: &str) -> Box<dyn Stepper> {
    find(name)
        .unwrap()
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap()
}

/// Damping and frequency error at hω = 1 and hω = 10 from R(iω h) of the 36-digit tables, and from the amplification
/// matrices of the α family, computed independently of this program.
const KNOWN: &[(&str, [f64; 4])] = &[
    (
        "backward-euler",
        [
            0.693147180560,
            -0.214601836603,
            0.461512051684,
            -0.852887232570,
        ],
    ),
    (
        "implicit-midpoint",
        [0.0, -0.072704781998, 0.0, -0.725319846611],
    ),
    ("trapezoid", [0.0, -0.072704781998, 0.0, -0.725319846611]),
    ("newmark", [0.0, -0.072704781998, 0.0, -0.725319846611]),
    (
        "generalized-alpha",
        [
            0.001051048100,
            -0.076299958382,
            0.014558924839,
            -0.732318508612,
        ],
    ),
    (
        "hht-alpha",
        [
            0.013318638948,
            -0.087561658464,
            0.039029546873,
            -0.731071739318,
        ],
    ),
    (
        "bdf2",
        [
            0.138012046499,
            -0.176201985800,
            0.240295471929,
            -0.804629465779,
        ],
    ),
    (
        "sdirk2",
        [
            0.006261919655,
            -0.037452665057,
            0.162000002793,
            -0.753429112608,
        ],
    ),
    (
        "sdirk3",
        [
            0.035426365409,
            -0.010481805570,
            0.255263373850,
            -0.762905918675,
        ],
    ),
    (
        "tr-bdf2",
        [
            0.006261919655,
            -0.037452665057,
            0.162000002793,
            -0.753429112608,
        ],
    ),
    (
        "tr-bdf2-bathe",
        [
            0.005899722127,
            -0.038479662777,
            0.156488987236,
            -0.752169552089,
        ],
    ),
    (
        "sdirk-ncs23",
        [
            0.070690198216,
            -0.042073343304,
            0.059698507566,
            -0.723409050641,
        ],
    ),
    (
        "sdirk-nc34",
        [
            0.095742057071,
            -0.021286094106,
            0.088435335059,
            -0.722780897684,
        ],
    ),
    (
        "sdirk-3345",
        [
            0.095742057071,
            -0.021286094106,
            0.088435335059,
            -0.722780897684,
        ],
    ),
    (
        "sdirk-4347",
        [
            0.100909456817,
            -0.011990351459,
            0.099186085171,
            -0.722529360455,
        ],
    ),
    (
        "sdirk-4447",
        [
            0.100909456817,
            -0.011990351459,
            0.099186085171,
            -0.722529360455,
        ],
    ),
    ("ilddirk22", [0.0, -0.020085347493, 0.0, -0.847797449155]),
    (
        "ros3p",
        [
            0.070690198216,
            -0.042073343304,
            0.059698507566,
            -0.723409050641,
        ],
    ),
    (
        "ros3pl",
        [
            0.035426365409,
            -0.010481805570,
            0.255263373850,
            -0.762905918675,
        ],
    ),
    (
        "ros3prl",
        [
            0.035426365409,
            -0.010481805570,
            0.255263373850,
            -0.762905918675,
        ],
    ),
    (
        "ros3prl2",
        [
            0.035426365409,
            -0.010481805570,
            0.255263373850,
            -0.762905918675,
        ],
    ),
    (
        "rodas3",
        [
            0.033441887223,
            -0.007579618664,
            0.268382467697,
            -0.764528175071,
        ],
    ),
    (
        "rodas4",
        [
            0.000126492569,
            -0.000726038669,
            0.067205215968,
            -0.955668309102,
        ],
    ),
    // Exact on the mode of the oscillator, or with modes below the limit of the method: (1 + z/4)/(1 − z/4) (3 + e^z)/3 − 1/3.
    ("siere", [0.0, 0.0, 0.0, -0.743362938564]),
    ("be-ere", [0.0, 0.0, 0.0, -0.743362938564]),
    ("tr-bdf2-ere-exact", [0.0, 0.0, 0.0, -0.743362938564]),
    (
        "bdf2-ere",
        [
            0.138012046499,
            -0.176201985800,
            0.240295471929,
            -0.804629465779,
        ],
    ),
    (
        "str-sbdf2-ere",
        [
            0.024042926140,
            -0.051499296085,
            0.156488987236,
            -0.752169552089,
        ],
    ),
    (
        "tr-bdf2-ere",
        [
            0.024042926140,
            -0.051499296085,
            0.156488987236,
            -0.752169552089,
        ],
    ),
];

#[test]
fn every_method_holds_its_claims() {
    for choice in choices() {
        let p = Parameters::default();
        let mut claims = Claims::of(&choice, &p);
        if let Some((_, [d1, e1, d10, e10])) = KNOWN.iter().find(|k| k.0 == choice.method.name) {
            claims.modes = vec![
                ModeResponse {
                    hw: 1.0,
                    damping: *d1,
                    frequency_error: *e1,
                },
                ModeResponse {
                    hw: 10.0,
                    damping: *d10,
                    frequency_error: *e10,
                },
            ];
        } else {
            assert!(
                !choice.method.is_implicit(),
                "{} is missing from the known curves",
                choice.name()
            );
        }
        let p = order::with_modes_of_the_start(&choice, &p).unwrap_or(p);
        let mut stepper = choice.stepper(&p, Newton::Minimise).unwrap();
        let mut second = choice.embedded_stepper();
        assert_eq!(
            second.is_some(),
            claims.embedded.is_some(),
            "{}",
            choice.name()
        );
        let second = second.as_mut().map(|s| s.as_mut() as &mut dyn Stepper);
        claims
            .check(stepper.as_mut(), second)
            .unwrap_or_else(|why| panic!("{} {why}", choice.name()));
    }
}

#[test]
fn damping_at_one_radian_per_step_is_that_of_ascher_et_al_2021() {
    let table = [
        ("backward-euler", 0.6931),
        ("bdf2", 0.1380),
        ("tr-bdf2-bathe", 0.0059),
        ("tr-bdf2", 0.0063),
        ("sdirk2", 0.0063),
    ];
    for (name, d) in table {
        let found = modes::mode_response(stepper(name).as_mut(), 1.0)
            .unwrap()
            .damping;
        assert!((found - d).abs() < 5e-5, "{name}: {found}, not {d}");
    }
    // Closed form: backward Euler has R = 1/(1 − iν), so ρ = (1 + ν²)^(−½).
    for hw in modes::HW_SAMPLES {
        let found = modes::mode_response(stepper("backward-euler").as_mut(), hw)
            .unwrap()
            .damping;
        assert!((found - (1.0 + hw * hw).ln() / hw).abs() < 1e-12);
    }
}

#[test]
fn flags_of_full_methods_are_those_of_the_tables() {
    // Stiffly accurate, L-stable; A-stable as the registry says.
    let accurate = [
        "backward-euler",
        "trapezoid",
        "newmark",
        "bdf2",
        "sdirk2",
        "sdirk3",
        "tr-bdf2",
        "tr-bdf2-bathe",
        "bdf2-ere",
        "tr-bdf2-ere",
        "ros3pl",
        "ros3prl",
        "ros3prl2",
        "rodas3",
        "rodas4",
    ];
    let infinity = [
        ("ere", 1.0),
        ("siere", 1.0),
        ("be-ere", 1.0),
        ("tr-bdf2-ere-exact", 1.0),
        ("implicit-midpoint", 1.0),
        ("trapezoid", 1.0),
        ("newmark", 1.0),
        ("ilddirk22", 1.0),
        ("generalized-alpha", 0.8),
        ("hht-alpha", 0.8),
        ("sdirk-ncs23", 0.7320508),
        ("ros3p", 0.7320508),
        ("sdirk-nc34", 0.6304150),
        ("sdirk-3345", 0.6304150),
        ("sdirk-4347", 0.596),
        ("sdirk-4447", 0.596),
    ];
    for choice in choices().iter().filter(|c| c.prefix == Prefix::Full) {
        let name = choice.method.name;
        let found = certify::stability::measure_stability(stepper(name).as_mut()).unwrap();
        assert_eq!(found.stiffly_accurate, accurate.contains(&name), "{name}");
        assert_eq!(
            found.a_stable,
            choice.method.stability != Stability::Conditional,
            "{name}"
        );
        assert_eq!(
            found.l_stable,
            choice.method.stability == Stability::L,
            "{name}"
        );
        let want = infinity.iter().find(|k| k.0 == name).map(|k| k.1);
        let want = want.or((choice.method.stability == Stability::L).then_some(0.0));
        match (found.r_inf, want) {
            (Some(r), Some(want)) => assert!((r - want).abs() < 1e-3, "{name}: {r}, not {want}"),
            (found, want) => assert_eq!(found, want, "{name}"),
        }
    }
}

#[test]
fn stability_limits_of_explicit_methods_are_those_of_theory() {
    let closed = [
        ("forward-euler", 0.0),
        ("explicit-midpoint", 0.0),
        ("symplectic-euler", 2.0),
        ("central-difference", 2.0),
        ("rk4", 8.0_f64.sqrt()),
    ];
    for (name, want) in closed {
        let limit = certify::stability::measure_stability(stepper(name).as_mut())
            .unwrap()
            .stability_limit
            .unwrap();
        assert!((limit - want).abs() < 1e-3, "{name}: {limit}, not {want}");
    }
}

#[test]
fn order_reduction_on_stiff_systems_spares_methods_made_for_them() {
    let on = |name: &str| order::stiff(stepper(name).as_mut()).unwrap().order;
    for (name, want) in [
        ("sdirk2", 1.0),
        ("sdirk3", 1.0),
        ("sdirk-nc34", 1.0),
        ("rodas4", 1.0),
        ("tr-bdf2", 2.0),
        ("bdf2", 2.0),
        ("ros3pl", 2.0),
        ("ros3prl", 3.0),
        ("ros3prl2", 3.0),
        ("implicit-midpoint", 0.0),
    ] {
        let found = on(name).unwrap();
        assert!((found - want).abs() < 0.15, "{name}: {found}, not {want}");
    }
    assert_eq!(on("rk4"), None);
}

#[test]
fn energy_drift_follows_closed_forms() {
    let drift = |name: &str| cost::energy_drift(stepper(name).as_mut(), 0.1, 1000).unwrap();
    for name in ["implicit-midpoint", "trapezoid", "newmark", "ilddirk22"] {
        let worst = drift(name).worst.unwrap();
        assert!(worst < 1e-10, "{name}: {worst}");
    }
    // ρ² = 1/(1 + 0.01) per step, and the start is an eigenvector.
    let end = drift("backward-euler").end.unwrap();
    assert!((end - (1.01_f64.powi(-1000) - 1.0)).abs() < 1e-9);
    let gained = drift("forward-euler").end.unwrap();
    assert!((gained / (1.01_f64.powi(1000) - 1.0) - 1.0).abs() < 1e-9);
}

#[test]
fn a_certificate_has_all_its_parts() {
    let c = Certificate::measure(&find("s-tr-bdf2").unwrap(), &Parameters::default()).unwrap();
    assert_eq!(
        (c.name.as_str(), c.order.declared, c.order.embedded_declared),
        ("s-tr-bdf2", 2, Some(2))
    );
    for hw in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0] {
        assert!(c.modes.iter().any(|m| m.hw == hw));
    }
    let text = c.to_string();
    for part in [
        "L-stable yes",
        "0.006262",
        "declared",
        "cost per step 2.00 factorizations",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
    // Measurements drop the history of steppers: measuring twice gives the same result.
    let again = Certificate::measure(&find("s-tr-bdf2").unwrap(), &Parameters::default()).unwrap();
    assert_eq!(c, again);
}
