//! Tests of prescribed motions.

use super::*;

fn motions() -> Vec<Motion> {
    let keys = vec![
        Keyframe {
            t: 0.5,
            translate: [0.0; 3],
            rotate: [0.0; 3],
        },
        Keyframe {
            t: 1.5,
            translate: [0.1, -0.3, 0.2],
            rotate: [0.4, -0.2, 1.1],
        },
        Keyframe {
            t: 2.0,
            translate: [0.0, 0.3, 0.2],
            rotate: [0.0, 2.0, 0.3],
        },
    ];
    let shake = Motion::Shake {
        axis: [0.6, 0.0, 0.8],
        amplitude: 0.2,
        frequency: 1.3,
    };
    let joined = |ease: Ease| Motion::Keyframes {
        keys: keys.clone(),
        pivot: [0.1, 0.2, 0.3],
        ease,
    };
    vec![
        joined(Ease::Quintic),
        joined(Ease::Cubic),
        joined(Ease::Linear),
        Motion::Steady {
            translate: [0.3, -0.1, 0.2],
            rotate: [0.5, 1.1, -0.4],
            pivot: [0.1, 0.2, 0.3],
        },
        shake,
        Motion::Samples(Samples::new(&[
            (0.4, [0.0, 0.1, 0.0]),
            (0.8, [0.2, -0.1, 0.1]),
            (1.5, [0.1, 0.3, 0.0]),
            (2.1, [-0.2, 0.0, 0.4]),
        ])),
        Motion::Still,
    ]
}

#[test]
fn samples_are_passed_with_continuous_velocity_and_parabolas_are_exact_inside() {
    // x = t² is its own parabola through three points: exact between samples that are not the first or last.
    let samples = [0.0, 0.5, 0.8, 1.4, 2.0].map(|t: f64| (t, [t * t, 0.0, -3.0]));
    let motion = Motion::Samples(Samples::new(&samples));
    for (t, x) in samples {
        assert_eq!(motion.at(t, [7.0; 3])[0], x);
        let [before, after] = [t - 1e-9, t + 1e-9].map(|t| motion.at(t, [0.0; 3])[1][0]);
        assert!((before - after).abs() < 1e-6, "{t}: {before} {after}");
    }
    let [x, v, a, jerk] = motion.at(1.0, [0.0; 3]).map(|row| row[0]);
    for (found, wanted) in [(x, 1.0), (v, 2.0), (a, 2.0), (jerk, 0.0)] {
        assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
    }
    assert_eq!(
        motion.at(5.0, [0.0; 3]),
        [[4.0, 0.0, -3.0], [0.0; 3], [0.0; 3], [0.0; 3]]
    );
    assert_eq!(
        (motion.next_kink(0.5), motion.next_kink(2.0)),
        (0.8, f64::INFINITY)
    );
}

#[test]
fn derivatives_match_differences() {
    let (rest, eps) = ([0.7, -0.4, 1.2], 1e-5);
    for motion in motions() {
        for t in [0.2, 0.61, 0.99, 1.37, 1.62, 1.93, 2.4] {
            let [plus, at, minus] = [t + eps, t, t - eps].map(|t| motion.at(t, rest));
            for order in 0..3 {
                for k in 0..3 {
                    let slope = (plus[order][k] - minus[order][k]) / (2.0 * eps);
                    let tolerance = 1e-7 * 20f64.powi(order as i32 + 1);
                    assert!(
                        (slope - at[order + 1][k]).abs() < tolerance,
                        "{t} {order} {k}"
                    );
                }
            }
        }
    }
}

#[test]
fn rotation_keeps_distances_and_turns_x_then_y_then_z() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let end = Keyframe {
        t: 1.0,
        translate: [0.0; 3],
        rotate: [quarter, 0.0, quarter],
    };
    let start = Keyframe {
        t: 0.0,
        rotate: [0.0; 3],
        ..end
    };
    let motion = Motion::Keyframes {
        keys: vec![start, end],
        pivot: [0.0; 3],
        ease: Ease::Quintic,
    };
    // About x: y → z; about z: z stays.
    let u = motion.at(1.0, [0.0, 1.0, 0.0])[0];
    for (u, want) in u.iter().zip([0.0, -1.0, 1.0]) {
        assert!((u - want).abs() < 1e-15);
    }
    let rest = [0.3, -0.2, 0.9];
    for t in [0.1, 0.45, 0.8] {
        let u = motion.at(t, rest)[0];
        let length: f64 = (0..3).map(|k| (rest[k] + u[k]).powi(2)).sum();
        assert!((length - 0.94).abs() < 1e-14);
    }
}

#[test]
fn eases_pass_their_keys_with_the_derivatives_they_promise() {
    let key = |t: f64, x: f64| Keyframe {
        t,
        translate: [x, 0.0, 0.0],
        rotate: [0.0; 3],
    };
    // From 0 to 0.3 m in 0.5 s, and back in 0.25 s.
    let keys = vec![key(0.5, 0.0), key(1.0, 0.3), key(1.25, 0.0)];
    // Value at a quarter of the interval, and the largest speed in the average speed.
    for (ease, quarter, fastest) in [
        (Ease::Quintic, 0.103_515_625, 1.875),
        (Ease::Cubic, 0.156_25, 1.5),
        (Ease::Linear, 0.25, 1.0),
    ] {
        let motion = Motion::Keyframes {
            keys: keys.clone(),
            pivot: [0.0; 3],
            ease,
        };
        let at = |t: f64| motion.at(t, [0.4, 0.1, 0.0]).map(|d| d[0]);
        assert!((at(0.625)[0] - 0.3 * quarter).abs() < 1e-15, "{ease:?}");
        assert!((at(0.75)[0] - 0.15).abs() < 1e-15);
        assert!((at(0.75)[1] - fastest * 0.6).abs() < 1e-14);
        // Rest before the first and after the last key.
        assert_eq!((at(0.4), at(1.3)), ([0.0; 4], [0.0; 4]));
        assert!((at(1.0)[0] - 0.3).abs() < 1e-15);
        let near = |t: f64, order: usize| (at(t - 1e-9)[order], at(t + 1e-9)[order]);
        let (speed, acceleration) = (near(1.0, 1), near(1.0, 2));
        let continuous = |(a, b): (f64, f64)| (a - b).abs() < 1e-5;
        assert_eq!(continuous(speed), ease != Ease::Linear, "{ease:?}");
        assert_eq!(continuous(acceleration), ease != Ease::Cubic, "{ease:?}");
        let jump = motion.velocity_jump(0.9, 1.0, [0.4, 0.1, 0.0])[0];
        let wanted = if ease == Ease::Linear { -1.8 } else { 0.0 };
        assert!((jump - wanted).abs() < 1e-14, "{ease:?}: {jump}");
        assert_eq!(motion.has_velocity_jumps(), ease == Ease::Linear);
        assert_eq!(
            [0.0, 0.5, 1.1].map(|t| motion.next_kink(t)),
            [0.5, 1.0, 1.25]
        );
    }
}

#[test]
fn steady_motion_turns_at_a_constant_rate() {
    let motion = Motion::Steady {
        translate: [0.2, 0.0, 0.0],
        rotate: [0.0, 0.0, std::f64::consts::PI],
        pivot: [1.0, 0.0, 0.0],
    };
    let [u, v, a, _] = motion.at(0.5, [2.0, 0.0, 0.0]);
    // A quarter of a turn: the node is above the pivot, which has moved by 0.1 m.
    let pi = std::f64::consts::PI;
    for (found, wanted) in [
        (u, [-0.9, 1.0, 0.0]),
        (v, [0.2 - pi, 0.0, 0.0]),
        (a, [0.0, -pi * pi, 0.0]),
    ] {
        (0..3).for_each(|k| assert!((found[k] - wanted[k]).abs() < 1e-14, "{found:?}"));
    }
    assert_eq!(motion.at(0.0, [2.0, 0.0, 0.0])[0], [0.0; 3]);
    assert_eq!(motion.next_kink(0.0), f64::INFINITY);
}
