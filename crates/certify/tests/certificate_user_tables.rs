//! Tableaux of scene files: correct ones step like those of the registry, wrong ones are refused with the reason.

use certify::Certificate;
use march::tables::{rosenbrock as ros, runge_kutta as rk};
use march::{MethodError, Newton, Options, Parameters, State, TimeLoop, find};
use problems::Chain;

fn end_of(name: &str, p: &Parameters) -> State {
    let mut chain = Chain::forced();
    let options = Options {
        tolerance: 1e-13,
        ..Options::default()
    };
    let stepper = find(name).unwrap().stepper(p, Newton::Minimise).unwrap();
    let mut time = TimeLoop::fixed(stepper, options, chain.exact(0.0), 0.03);
    time.run(&mut chain, 40.0 * 0.03, &mut |_, _| true).unwrap();
    time.state().clone()
}

fn assert_same(mine: &State, registry: &State) {
    let pairs = mine
        .u
        .iter()
        .zip(&registry.u)
        .chain(mine.v.iter().zip(&registry.v));
    let difference = pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-11, "difference {difference}");
}

fn own(rows: &[&[f64]], b: &[f64]) -> Parameters {
    Parameters {
        a: Some(rows.iter().map(|r| r.to_vec()).collect()),
        b: Some(b.to_vec()),
        ..Parameters::default()
    }
}

/// alpha, Gamma and b of ROS3P [Lang & Verwer 2001]: g = ½ + √3/6.
fn ros3p() -> Parameters {
    let g = 0.5 + 3.0_f64.sqrt() / 6.0;
    Parameters {
        alpha: Some(vec![
            vec![0.0, 0.0, 0.0],
            vec![1.0, 0.0, 0.0],
            vec![1.0, 0.0, 0.0],
        ]),
        gamma_matrix: Some(vec![
            vec![g, 0.0, 0.0],
            vec![-1.0, g, 0.0],
            vec![-g, 0.5 - 2.0 * g, g],
        ]),
        b: Some(vec![2.0 / 3.0, 0.0, 1.0 / 3.0]),
        ..Parameters::default()
    }
}

#[test]
fn tableaux_of_a_scene_step_like_those_of_the_registry() {
    let sdirk2 = own(rk::SDIRK2.a, rk::SDIRK2.b);
    assert_same(
        &end_of("dirk", &sdirk2),
        &end_of("sdirk2", &Parameters::default()),
    );
    assert_same(
        &end_of("s-dirk", &sdirk2),
        &end_of("s-sdirk2", &Parameters::default()),
    );
    // Explicit and mixed tables too, square rows included.
    let rk4 = own(
        &[
            &[0.0; 4],
            &[0.5, 0.0, 0.0, 0.0],
            &[0.0, 0.5, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0],
        ],
        rk::RK4.b,
    );
    assert_same(
        &end_of("dirk", &rk4),
        &end_of("rk4", &Parameters::default()),
    );
    let tr = own(rk::TR_BDF2.a, rk::TR_BDF2.b);
    assert_same(
        &end_of("dirk", &tr),
        &end_of("tr-bdf2", &Parameters::default()),
    );
    let with_c = Parameters {
        c: Some(vec![rk::SDIRK2.a[0][0], 1.0]),
        ..sdirk2
    };
    assert_same(
        &end_of("dirk", &with_c),
        &end_of("sdirk2", &Parameters::default()),
    );
    assert_same(
        &end_of("rosenbrock", &ros3p()),
        &end_of("ros3p", &Parameters::default()),
    );
}

#[test]
fn a_tableau_of_a_scene_gets_a_certificate() {
    let c = Certificate::measure(&find("rosenbrock").unwrap(), &ros3p()).unwrap();
    assert!((c.order.nonlinear.unwrap() - 3.0).abs() < 0.15);
    assert!(c.stability.a_stable && !c.stability.l_stable);
    assert_eq!(
        (c.cost.factorizations, c.cost.solves),
        (1.0, ros::ROS3P.m.len() as f64)
    );
    let wrong = own(&[&[0.3], &[0.7071, 0.2929]], &[0.7071, 0.2929]);
    let c = Certificate::measure(&find("dirk").unwrap(), &wrong).unwrap();
    assert!(
        (c.order.nonlinear.unwrap() - 1.0).abs() < 0.15,
        "a misprint lowers the order: {:?}",
        c.order
    );
}

fn refused(name: &str, p: &Parameters) -> String {
    match find(name).unwrap().stepper(p, Newton::Minimise) {
        Ok(_) => panic!("accepted {p:?}"),
        Err(why) => why.to_string(),
    }
}

#[test]
fn bad_runge_kutta_tables_are_refused_with_the_reason() {
    let nan = f64::NAN;
    let cases: [(Parameters, &str); 13] = [
        (own(&[], &[]), "it has no stages"),
        (own(&[&[1.0]], &[0.5, 0.5]), "A has 1 rows for 2 weights"),
        (
            own(&[&[0.5], &[0.5]], &[0.5, 0.5]),
            "row 2 of A has 1 entries, expected 2 to 2",
        ),
        (
            own(&[&[0.5, 0.0, 0.0], &[0.5, 0.5]], &[0.5, 0.5]),
            "row 1 of A has 3 entries",
        ),
        (
            own(&[&[0.5, 0.2], &[0.5, 0.5]], &[0.5, 0.5]),
            "entry 2 of row 1 of A is 0.2: only lower triangular",
        ),
        (own(&[&[nan]], &[1.0]), "entry 1 of row 1 of A is NaN"),
        (own(&[&[1.0]], &[nan]), "entry 1 of b is NaN"),
        (
            own(&[&[f64::INFINITY]], &[1.0]),
            "entry 1 of row 1 of A is inf",
        ),
        (
            own(&[&[1.0]], &[0.9]),
            "the weights b sum to 0.9, not to 1, so the method has order 0",
        ),
        (
            own(&[&[-0.5]], &[1.0]),
            "the diagonal entry -0.5 of row 1 of A is negative",
        ),
        (
            Parameters {
                c: Some(vec![0.9]),
                ..own(&[&[1.0]], &[1.0])
            },
            "row 1 of A sums to 1, but c says 0.9",
        ),
        (
            Parameters {
                c: Some(vec![1.0, 1.0]),
                ..own(&[&[1.0]], &[1.0])
            },
            "c has 2 entries for 1 stages",
        ),
        (
            Parameters {
                c: Some(vec![nan]),
                ..own(&[&[1.0]], &[1.0])
            },
            "entry 1 of c is NaN",
        ),
    ];
    for (p, reason) in cases {
        let message = refused("dirk", &p);
        assert!(message.contains(reason), "{message}\nlacks: {reason}");
    }
    assert!(matches!(
        find("dirk")
            .unwrap()
            .stepper(&Parameters::default(), Newton::Minimise)
            .err(),
        Some(MethodError::Missing { key: "A", .. })
    ));
    let unknown_key = Parameters {
        rho_inf: Some(0.5),
        ..own(&[&[1.0]], &[1.0])
    };
    assert!(refused("dirk", &unknown_key).contains("takes no key \"rho-inf\""));
}

#[test]
fn bad_rosenbrock_tables_are_refused_with_the_reason() {
    let change = |change: fn(&mut Parameters)| {
        let mut p = ros3p();
        change(&mut p);
        p
    };
    let cases: [(Parameters, &str); 8] = [
        (change(|p| p.alpha = None), "needs the key \"alpha\""),
        (change(|p| p.b = Some(vec![])), "it has no stages"),
        (
            change(|p| p.b = Some(vec![0.5, 0.0, 0.4])),
            "so the method has order 0",
        ),
        (
            change(|p| p.alpha = Some(vec![vec![], vec![1.0]])),
            "alpha has 2 rows for 3 weights",
        ),
        (
            change(|p| p.alpha.as_mut().unwrap()[1][1] = 0.1),
            "entry 2 of row 2 of alpha is 0.1",
        ),
        (
            change(|p| p.gamma_matrix.as_mut().unwrap()[1][1] = 0.5),
            "one matrix must serve all stages",
        ),
        (
            change(|p| p.gamma_matrix.as_mut().unwrap()[0][0] = 0.0),
            "must be positive",
        ),
        (
            change(|p| p.gamma_matrix.as_mut().unwrap()[2][0] = f64::NAN),
            "entry 1 of row 3 of Gamma is NaN",
        ),
    ];
    for (p, reason) in cases {
        let message = refused("rosenbrock", &p);
        assert!(message.contains(reason), "{message}\nlacks: {reason}");
    }
}
