//! Ends of Newton steps at barriers: nodes go to where the barrier carries what its linearisation would carry.

use contact::obstacle::{Frame, Obstacle};
use march::{AdmissiblePaths, At, Curvature, Forces, Positions};
use solid::motion::Motion;
use solid::potential::contact::MovingObstacle;

use crate::bodies::{model, settings};
use crate::common::{STIFFNESS, force, tangent};
use crate::{block, floor, shape};

const REACH: f64 = 0.1;

/// Moves a block 5 cm above an obstacle by a step and settles its end. The normals at the nodes and their gaps at some
/// displacements are given by functions. Returns the largest relative error of the balance of a node, and the number of
/// nodes that were moved.
fn error(
    obstacle: MovingObstacle,
    step: [f64; 3],
    gap: impl Fn([f64; 3]) -> f64,
    normal: impl Fn([f64; 3]) -> [f64; 3],
) -> (f64, usize) {
    let part = block([2, 1, 2], [1.0, 1.0, 1.0], [-0.5, 0.05, -0.5], 1e5, 0.3);
    let rest = part.body.rest.clone();
    let mut model = model(&[part], vec![obstacle], settings(REACH, 1e4, false));
    let n = model.unknowns();
    let (start, v) = (vec![0.0; n], vec![0.0; n]);
    let straight: Vec<f64> = (0..n).map(|i| step[i % 3]).collect();
    assert!(model.select_forces(Forces::Barriers));
    let before = force(
        &mut model,
        At {
            t: 0.0,
            u: &start,
            v: &v,
        },
    );
    let at = At {
        t: 0.0,
        u: &start,
        v: &v,
    };
    let curvature = tangent(&mut model, at, STIFFNESS, Curvature::Exact);
    let resistance: Vec<f64> = curvature.diagonal().map(|k| k + 3e4).collect();
    let mut end = straight.clone();
    assert!(model.settle_at_barriers(Positions::new(0.0, &start), &mut end, &resistance));
    let after = force(
        &mut model,
        At {
            t: 0.0,
            u: &end,
            v: &v,
        },
    );
    let (mut worst, mut moved) = (0.0f64, 0);
    for (i, x) in rest.iter().enumerate() {
        let at = |u: &[f64]| [0, 1, 2].map(|k| x[k] + u[3 * i + k]);
        if at(&end) == at(&straight) {
            assert!(gap(at(&straight)) >= REACH);
            continue;
        }
        moved += 1;
        let n = normal(at(&straight));
        let along = |f: &[f64]| (0..3).map(|k| n[k] * f[3 * i + k]).sum::<f64>();
        let [from, to, here] = [&start, &straight, &end].map(|u| gap(at(u)));
        // n·K n of the barrier by its own diagonal block.
        let mut product = vec![0.0; start.len()];
        let direction: Vec<f64> = (0..start.len())
            .map(|j| if j / 3 == i { n[j % 3] } else { 0.0 })
            .collect();
        curvature.times(&direction, &mut product);
        let own = along(&product);
        let squares: f64 = (0..3).map(|k| n[k] * n[k] * resistance[3 * i + k]).sum();
        let wanted = along(&before) - own * (to - from) + (squares - own) * (here - to);
        let carried = along(&after);
        assert!(here > 0.0 && carried > 0.0, "node {i} is {here} m away");
        worst = worst.max((carried / wanted - 1.0).abs());
        // Only along the normal.
        for k in 0..3 {
            let shift = end[3 * i + k] - straight[3 * i + k];
            assert!(
                (shift - n[k] * (here - to)).abs() < 1e-6,
                "node {i}: {shift}"
            );
        }
    }
    (worst, moved)
}

#[test]
fn nodes_stop_above_a_plane_where_the_barrier_balances() {
    for down in [-0.02, -0.049, -0.08] {
        let height = |x: [f64; 3]| x[1];
        let (worst, moved) = error(floor(), [0.03, down, -0.01], height, |_| [0.0, 1.0, 0.0]);
        assert_eq!(moved, 9);
        assert!(worst < 1e-7, "{down}: {worst:.1e}");
    }
}

/// A node that leaves the barrier is not held back.
#[test]
fn nodes_that_leave_go_on() {
    let up = [0.0, 0.06, 0.0];
    let part = block([1, 1, 1], [1.0, 1.0, 1.0], [0.0, 0.05, 0.0], 1e5, 0.3);
    let mut model = model(&[part], vec![floor()], settings(REACH, 1e4, false));
    let start = vec![0.0; model.unknowns()];
    let straight: Vec<f64> = (0..start.len()).map(|i| up[i % 3]).collect();
    let mut end = straight.clone();
    let resistance = vec![1e5; start.len()];
    assert!(!model.settle_at_barriers(Positions::new(0.0, &start), &mut end, &resistance));
    assert_eq!(end, straight);
}

#[test]
fn nodes_stop_beside_a_ball_too() {
    let centre = [0.0, -1.0, 0.0];
    let ball = shape(
        Obstacle::Sphere { radius: 1.0 },
        Frame::along(centre, [0.0, 1.0, 0.0]),
        Motion::Still,
    );
    let from_centre = |x: [f64; 3]| [0, 1, 2].map(|k| x[k] - centre[k]);
    let length = |d: [f64; 3]| d.iter().map(|d| d * d).sum::<f64>().sqrt();
    let gap = |x: [f64; 3]| length(from_centre(x)) - 1.0;
    let normal = |x: [f64; 3]| from_centre(x).map(|d| d / length(from_centre(x)));
    // Straight down above the middle of the lower face, so that the normal does not turn on the way.
    let (worst, moved) = error(ball, [0.0, -0.04, 0.0], gap, normal);
    assert_eq!(moved, 1);
    assert!(worst < 1e-7, "{worst:.1e}");
}
