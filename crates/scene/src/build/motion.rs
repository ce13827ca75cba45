//! Builds prescribed motions.

use mesh::Mesh;
use solid::motion::{Ease, Keyframe, Motion, Samples};

use crate::spec;

/// Returns the motion of selected nodes of a mesh, at rest if none is written.
pub fn motion(written: &Option<spec::Motion>, nodes: &[u32], mesh: &Mesh) -> Motion {
    let centroid = || {
        let mean = |k: usize| {
            nodes
                .iter()
                .map(|&i| mesh.points[i as usize][k])
                .sum::<f64>()
                / nodes.len() as f64
        };
        [0, 1, 2].map(mean)
    };
    motion_about(written, centroid)
}

/// Returns a motion, at rest if none is written; rotations are about `centre` unless another point is written.
pub fn motion_about(written: &Option<spec::Motion>, centre: impl FnOnce() -> spec::Vec3) -> Motion {
    match written {
        None => Motion::Still,
        Some(spec::Motion::Shake(s)) => Motion::Shake {
            axis: s.axis.unit(),
            amplitude: s.amplitude,
            frequency: s.frequency,
        },
        Some(spec::Motion::Speed(s)) => Motion::Steady {
            translate: s.translate,
            rotate: s.rotate_deg.map(f64::to_radians),
            pivot: s.about.unwrap_or_else(centre),
        },
        Some(spec::Motion::Samples(samples)) => {
            let listed = samples.iter().map(|&[t, x, y, z]| (t, [x, y, z]));
            Motion::Samples(Samples::new(&listed.collect::<Vec<_>>()))
        }
        Some(spec::Motion::Keys { keys, about, ease }) => {
            let key = |k: &spec::MotionKey| Keyframe {
                t: k.t,
                translate: k.translate,
                rotate: k.rotate_deg.map(f64::to_radians),
            };
            Motion::Keyframes {
                keys: keys.iter().map(key).collect(),
                pivot: about.unwrap_or_else(centre),
                ease: match ease {
                    spec::Ease::Quintic => Ease::Quintic,
                    spec::Ease::Cubic => Ease::Cubic,
                    spec::Ease::Linear => Ease::Linear,
                },
            }
        }
    }
}
