//! Hooke's springs between nodes, four at a time, shared by threads.

use std::ops::Range;

use super::{End, Spring, SpringLaw};
use crate::lanes::{Lanes, Vec3};
use crate::potential::Placed;
use crate::potential::chunks::Chunks;
use crate::potential::forces::{Forces, Room};
use crate::potential::wide::on_this_machine;
use crate::small3::{dot, vec3};

/// Springs in fours.
#[derive(Default)]
pub(super) struct Fours {
    part: Part,
    chunks: Chunks,
    forces: Forces,
}

impl Fours {
    /// Picks the springs that fit, as neighbours in the numbering of nodes; answers the others as well.
    pub fn of(springs: &[Spring], nodes: usize) -> (Fours, Vec<Spring>) {
        let ends = |s: &Spring| match (s.law, s.b) {
            (SpringLaw::Hooke, End::Node(b)) => Some([s.a, b]),
            _ => None,
        };
        let (mut fit, mut others): (Vec<Spring>, Vec<Spring>) =
            springs.iter().partition(|s| ends(s).is_some());
        fit.sort_by_key(|s| ends(s).map(|[a, b]| a.min(b)));
        let whole = fit.len() / 4 * 4;
        others.extend(fit.drain(whole..));
        let mut part = Part::default();
        for four in fit.chunks_exact(4) {
            let end = |k: usize| [0, 1, 2, 3].map(|l| ends(&four[l]).map_or(0, |e| e[k]));
            part.ends.push([end(0), end(1)]);
            let all = |of: fn(&Spring) -> f64| Lanes([0, 1, 2, 3].map(|l| of(&four[l])));
            part.stiffness.push(all(|s| s.stiffness));
            part.rest.push(all(|s| s.rest));
        }
        let chunks = Chunks::new(part.ends.len(), nodes, |b| &part.ends[b]);
        let forces = Forces::new(&chunks, 2, part.ends.as_flattened(), nodes);
        let fours = Fours {
            part,
            chunks,
            forces,
        };
        (fours, others)
    }

    /// Σ k/2 (L − r)².
    pub fn energy(&mut self, x: &Placed) -> f64 {
        let part = &self.part;
        self.chunks.run(|_, range| part.energy(range, x))
    }

    /// Adds the pull of every spring to its ends; answers the sum of squares.
    pub fn add_force(&mut self, x: &Placed, f: &mut [[f64; 3]]) -> f64 {
        let part = &self.part;
        self.forces.add(&mut self.chunks, f, |range, room| {
            part.force(range, x, room)
        })
    }
}

/// What every evaluation reads.
#[derive(Default)]
struct Part {
    /// First and second ends.
    ends: Vec<[[u32; 4]; 2]>,
    stiffness: Vec<Lanes>,
    rest: Vec<Lanes>,
}

impl Part {
    /// Vectors from second to first ends.
    #[inline(always)]
    fn arm(&self, b: usize, x: &Placed) -> Vec3 {
        let [first, second] = &self.ends[b];
        let place = |ids: &[u32; 4], k: usize| {
            let one = |i: u32| x.rest[i as usize][k] + x.u[i as usize][k];
            // Written out: `map` is compiled apart, for narrow vectors.
            Lanes([one(ids[0]), one(ids[1]), one(ids[2]), one(ids[3])])
        };
        vec3(|k| place(first, k) - place(second, k))
    }

    fn energy(&self, range: Range<usize>, x: &Placed) -> f64 {
        on_this_machine!(_H => self.energy_on(range, x))
    }

    #[inline(always)]
    fn energy_on(&self, range: Range<usize>, x: &Placed) -> f64 {
        let mut sum = Lanes::ZERO;
        for b in range {
            let arm = self.arm(b, x);
            let s = dot(&arm, &arm).sqrt() - self.rest[b];
            sum += self.stiffness[b] * (s * s);
        }
        0.5 * ((sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3]))
    }

    fn force(&self, range: Range<usize>, x: &Placed, room: &Room) -> f64 {
        on_this_machine!(_H => self.force_on(range, x, room))
    }

    #[inline(always)]
    fn force_on(&self, range: Range<usize>, x: &Placed, room: &Room) -> f64 {
        let mut squares = Lanes::ZERO;
        for b in range {
            let arm = self.arm(b, x);
            let (k, rest) = (self.stiffness[b], self.rest[b]);
            let length = dot(&arm, &arm).sqrt();
            // A spring without length pulls nowhere; one without rest length is linear everywhere.
            let ratio =
                (length.above(Lanes::ZERO)).select(k * (length - rest) / length, Lanes::ZERO);
            let ratio = rest.above(Lanes::ZERO).select(ratio, k);
            let p = vec3(|i| -(ratio * arm[i]));
            squares += dot(&p, &p);
            let places = room.places(b);
            for lane in 0..4 {
                let q = [p[0].0[lane], p[1].0[lane], p[2].0[lane]];
                // SAFETY: the places of this batch.
                unsafe {
                    room.add(places[0][lane], q);
                    room.add(places[1][lane], [-q[0], -q[1], -q[2]]);
                }
            }
        }
        2.0 * ((squares.0[0] + squares.0[1]) + (squares.0[2] + squares.0[3]))
    }
}
