//! Prescribed cracks: bonds that cross them are broken from the start.

use mesh::vector::{dot, norm, sub};

/// A plane crack, whole, within a box, or within a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crack {
    /// A point of the crack, or the centre of a disc, m.
    pub point: [f64; 3],
    /// Normal, of any length but zero.
    pub normal: [f64; 3],
    /// Radius of a disc, m; infinite for a plane.
    pub radius: f64,
    /// Lowest and highest corner of the box that bounds a plane, m.
    pub bounds: [[f64; 3]; 2],
}

impl Crack {
    /// Creates a crack along a whole plane.
    pub fn plane(point: [f64; 3], normal: [f64; 3]) -> Crack {
        let bounds = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];
        Crack {
            point,
            normal,
            radius: f64::INFINITY,
            bounds,
        }
    }

    /// Creates a crack in the shape of a disc.
    pub fn disc(centre: [f64; 3], normal: [f64; 3], radius: f64) -> Crack {
        let plane = Crack::plane(centre, normal);
        Crack { radius, ..plane }
    }

    /// Returns whether the segment between two points crosses the crack. Points within `tolerance` of the plane count as
    /// in front of it, so that a plane through particles separates them from those behind it.
    pub fn cuts(&self, a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
        let size = norm(self.normal);
        let height = |x: [f64; 3]| dot(sub(x, self.point), self.normal) / size + tolerance;
        let (p, q) = (height(a), height(b));
        if (p >= 0.0) == (q >= 0.0) {
            return false;
        }
        let share = p / (p - q);
        let x = [0, 1, 2].map(|k| a[k] + share * (b[k] - a[k]));
        let [low, high] = &self.bounds;
        norm(sub(x, self.point)) <= self.radius
            && (0..3).all(|k| low[k] - tolerance <= x[k] && x[k] <= high[k] + tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crack_cuts_segments_through_it_only() {
        let disc = Crack::disc([0.0; 3], [0.0, 0.0, 2.0], 1.0);
        let cuts = |crack: &Crack, a, b| crack.cuts(a, b, 1e-9);
        assert!(cuts(&disc, [0.5, 0.0, -1.0], [0.5, 0.0, 1.0]));
        assert!(!cuts(&disc, [1.5, 0.0, -1.0], [1.5, 0.0, 1.0]));
        assert!(!cuts(&disc, [0.5, 0.0, 0.5], [0.5, 0.0, 1.0]));
        // The segment enters the disc's plane at x = 1.2.
        assert!(!cuts(&disc, [0.2, 0.0, -1.0], [2.2, 0.0, 1.0]));
        let mut plane = Crack::plane([0.0; 3], [0.0, 0.0, 1.0]);
        assert!(cuts(&plane, [1.5, 0.0, -1.0], [1.5, 0.0, 1.0]));
        plane.bounds[1][0] = 1.0;
        assert!(!cuts(&plane, [1.5, 0.0, -1.0], [1.5, 0.0, 1.0]));
    }

    #[test]
    fn particles_on_the_plane_are_in_front_of_it_whatever_the_rounding() {
        let plane = Crack::plane([0.0; 3], [0.0, 0.0, 1.0]);
        for on in [-1e-15, 0.0, 1e-15] {
            assert!(plane.cuts([0.0, 0.0, on], [0.0, 0.0, -1.0], 1e-9));
            assert!(!plane.cuts([0.0, 0.0, on], [0.0, 0.0, 1.0], 1e-9));
        }
    }
}
