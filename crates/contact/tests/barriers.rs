//! Barriers and the mollifier of nearly parallel edges.

mod common;

use base::random::Random;
use common::{close, gradient, jacobian, number, random_point, reference};
use contact::{Barrier, BarrierShape, mollifier, mollifier_of, mollifier_threshold};
use mesh::vector::{add, norm, scale, sub};

#[test]
fn the_log_barrier_is_that_of_the_reference() {
    let Some(data) = reference("ipc_barrier_friction_values.json") else {
        return;
    };
    let rows = data["barrier"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 24);
    for row in rows {
        let (reach, d) = (number(&row[0]), number(&row[2]));
        let got = BarrierShape::Log.derivatives(d, reach);
        for k in 0..3 {
            let wanted = number(&row[3 + k]);
            // The distance itself is rounded: near the reach the barrier magnifies that by d/(d̂ − d).
            let rounding = 1e-15 * d / (reach - d).abs().max(1e-15);
            let error = (got[k] - wanted).abs();
            assert!(
                error <= (1e-12 + 4.0 * rounding) * wanted.abs(),
                "d/dhat {}: derivative {k} is {} instead of {wanted}",
                row[1],
                got[k]
            );
        }
    }
}

/// Near the reach, −ln(1 − y) = y + y²/2 + y³/3 + … with y = (d̂ − d)/d̂.
#[test]
fn the_log_barriers_lose_no_digits_near_the_reach() {
    for exponent in [12, 20, 30] {
        let reach = 0.3;
        let d = reach * (1.0 - 0.5f64.powi(exponent));
        let u = reach - d; // exact
        let y = u / reach;
        let log = y * (1.0 + y * (1.0 / 2.0 + y * (1.0 / 3.0 + y * (1.0 / 4.0 + y / 5.0))));
        let [b, slope, curvature] = BarrierShape::Log.derivatives(d, reach);
        for (got, wanted) in [
            (b, u * u * log),
            (slope, -2.0 * u * log - u * u / d),
            (curvature, 2.0 * log + 4.0 * u / d + u * u / (d * d)),
        ] {
            assert!((got / wanted - 1.0).abs() < 1e-14, "{y}: {got} {wanted}");
        }
    }
}

#[test]
fn the_mollifier_is_that_of_the_reference() {
    let Some(data) = reference("ipc_barrier_friction_values.json") else {
        return;
    };
    for row in data["edge_edge_mollifier"]["rows"].as_array().unwrap() {
        for threshold in [1.0, 1e-9] {
            let m = mollifier_of(number(&row[0]) * threshold, threshold)[0];
            close(m, number(&row[1]), 1e-12);
        }
    }
}

#[test]
fn barriers_have_unit_pressure_at_half_the_reach() {
    for (name, shape) in BarrierShape::ALL {
        for reach in [1e-6, 1e-3, 0.5, 20.0] {
            let barrier = Barrier::new(shape, reach);
            let [_, slope, _] = barrier.derivatives(0.5 * reach);
            assert!((slope + 1.0).abs() < 1e-14, "{name} {reach}: {slope}");
        }
    }
    // The figure of the measurements: 4.3294 κ d̂³ at half the reach.
    let slope = BarrierShape::SquaredLog.derivatives(0.5e-2, 1e-2)[1];
    assert!((1e7 * slope + 43.294).abs() < 1e-3, "{slope}");
}

#[test]
fn barriers_end_where_they_should() {
    for (name, shape) in BarrierShape::ALL {
        let barrier = Barrier::new(shape, 0.1);
        for d in [0.1, 0.1 + 1e-12, 3.0, f64::INFINITY] {
            assert_eq!(barrier.derivatives(d), [0.0; 3], "{name} at {d}");
        }
        for d in [0.0, -1e-300, -1.0] {
            let [value, slope, curvature] = barrier.derivatives(d);
            assert_eq!(
                (value, slope, curvature),
                (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY),
                "{name} at {d}"
            );
        }
        // Continuous up to the second derivative at the reach; growing without bound at zero.
        let near = barrier.derivatives(0.1 * (1.0 - 1e-9));
        assert!(
            near[0] < 1e-20 && near[1].abs() < 1e-15 && near[2] < 1e-5,
            "{name}: {near:?}"
        );
        let values = [1e-3, 1e-30, 1e-300].map(|d| barrier.value(0.1 * d));
        assert!(values[0] < values[1] && values[1] < values[2], "{name}");
    }
}

#[test]
fn barriers_fall_convexly_and_have_the_derivatives_of_differences() {
    for (name, shape) in BarrierShape::ALL {
        let barrier = Barrier::new(shape, 0.3);
        for i in 1..100 {
            let d = 0.003 * f64::from(i);
            let [value, slope, curvature] = barrier.derivatives(d);
            assert!(
                value > 0.0 && slope < 0.0 && curvature > 0.0,
                "{name} at {d}"
            );
            let h = 1e-3 * d.min(0.3 - d);
            for k in 0..2 {
                let at = |s: f64| barrier.derivatives(d + s * h)[k];
                let by_differences =
                    (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
                let exact = barrier.derivatives(d)[k + 1];
                assert!(
                    (exact - by_differences).abs() < 1e-9 * exact.abs(),
                    "{name} at {d}: derivative {} is {exact}, by differences {by_differences}",
                    k + 1
                );
            }
        }
    }
}

#[test]
fn the_mollifiers_derivatives_are_those_of_differences() {
    let mut random = Random::new(7);
    let mut active = 0;
    for i in 0..200 {
        let mut x = [(); 4].map(|()| random_point(&mut random, 1.0));
        let length = |i: usize| norm(sub(x[i + 1], x[i]));
        let threshold = mollifier_threshold(length(0), length(2));
        if i % 2 == 0 {
            // Nearly parallel edges.
            let e = random_point(&mut random, 1.0);
            x[1] = add(x[0], e);
            x[3] = add(add(x[2], scale(0.7, e)), random_point(&mut random, 0.02));
        }
        let mut hessian = [[f64::NAN; 12]; 12];
        let (m, g) = mollifier(&x, threshold, Some(&mut hessian));
        assert!((0.0..=1.0).contains(&m));
        active += usize::from(m < 1.0);
        if m == 1.0 {
            assert_eq!((g, hessian), ([0.0; 12], [[0.0; 12]; 12]));
            continue;
        }
        let h = 1e-5;
        let by_differences = gradient(|x| mollifier(x, threshold, None).0, &x, h);
        let size = g.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        if (0..4).any(|s| mollifier(&x, threshold * (0.9 + 0.05 * f64::from(s)), None).0 == 1.0) {
            continue; // the kink of the second derivative is near
        }
        for i in 0..12 {
            assert!((g[i] - by_differences[i]).abs() < 1e-6 * size, "{i}");
        }
        let by_differences = jacobian(|x| mollifier(x, threshold, None).1, &x, h);
        let size = hessian
            .as_flattened()
            .iter()
            .fold(0.0f64, |m, h| m.max(h.abs()));
        for i in 0..12 {
            for j in 0..12 {
                assert!(
                    (hessian[i][j] - by_differences[i][j]).abs() < 1e-6 * size,
                    "{i} {j}: {} {}",
                    hessian[i][j],
                    by_differences[i][j]
                );
            }
        }
    }
    assert!(active > 50, "{active}");
}
