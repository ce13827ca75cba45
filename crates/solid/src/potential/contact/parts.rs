//! Fractions of a blocked path that single bodies or nodes may take.
//!
//! A Newton step of a model with many contacts is blocked by the pair that meets first. If all nodes stopped there, contacts
//! would be found one after the other, each in an iteration of its own. Where there are several bodies, a pair stops its own
//! bodies only. Where there is one, a smooth obstacle stops the nodes that meet it. Bounds of single vertices are used by
//! Chen et al. [2025] in place of a line search; here they make a trial step, whose path is checked as a whole and whose
//! energy has to decrease. (Nodes are not stopped by pairs of surfaces: in a funnel and among a hundred bodies that cost more
//! iterations than it saved.)

use contact::ccd::{self, CcdOptions};

use super::BarrierContact;
use crate::potential::Configuration;

/// Share of the free part of a blocked path that is taken.
const SHARE: f64 = 0.9;
/// Largest gap that is kept, as a share of the reach: what comes from outside stops where the force is moderate.
const LARGEST_KEPT_GAP: f64 = 0.3;

impl BarrierContact {
    /// Lowers the fractions of the nodes on a path to what contact allows. Returns `false` if there are no parts to tell apart.
    pub(super) fn limit_fractions(
        &mut self,
        from: &Configuration,
        to: &Configuration,
        fractions: &mut [f64],
    ) -> bool {
        let groups = &self.surfaces.primitives.groups;
        let first = groups.first().copied();
        let one_body = groups[..self.nodes].iter().all(|g| Some(*g) == first);
        if one_body && !self.obstacles.any_smooth() {
            return false;
        }
        let mut buffers = std::mem::take(&mut self.paths);
        self.fill(from, &mut buffers.start);
        self.fill(to, &mut buffers.end);
        let options = CcdOptions {
            max_kept_gap: LARGEST_KEPT_GAP * self.settings.barrier.reach(),
            ..self.ccd_options()
        };
        self.limit_nodes(&buffers, [from.t, to.t], &options, fractions);
        if !one_body {
            self.limit_bodies(&mut buffers, &options, fractions);
        }
        self.paths = buffers;
        true
    }

    /// Lowers the fractions of nodes that meet smooth obstacles.
    fn limit_nodes(
        &self,
        buffers: &super::paths::PathBuffers,
        [from, to]: [f64; 2],
        options: &CcdOptions,
        fractions: &mut [f64],
    ) {
        let p = &self.surfaces.primitives;
        for (group, shape, frames) in self.obstacles.smooth_between(from, to) {
            for &i in &p.points {
                let node = i as usize;
                if self.surfaces.rigid[node] || self.search.ignores(p.groups[node], group) {
                    continue;
                }
                let options = CcdOptions {
                    thickness: options.thickness + p.radius([i]),
                    ..*options
                };
                let path = [buffers.start[node], buffers.end[node]];
                let free = ccd::point_obstacle(&shape, &frames, &path, &options);
                if free < 1.0 {
                    fractions[node] = fractions[node].min(SHARE * free);
                }
            }
        }
    }

    /// Gives the nodes of each body the least fraction of its nodes and of the pairs that block it.
    fn limit_bodies(
        &mut self,
        buffers: &mut super::paths::PathBuffers,
        options: &CcdOptions,
        fractions: &mut [f64],
    ) {
        let (start, end) = (&buffers.start[..], &buffers.end[..]);
        let range = self.range();
        let near = self.search.sweep(&self.surfaces, start, end, range);
        let candidates = match near {
            true => &self.search.near,
            false => &self.search.swept,
        };
        let p = &self.surfaces.primitives;
        let count = p.groups.iter().map(|g| *g as usize + 1).max().unwrap_or(0);
        let bodies = &mut buffers.bodies;
        bodies.clear();
        bodies.resize(count, 1.0);
        for (g, fraction) in p.groups.iter().zip(&*fractions) {
            let least = &mut bodies[*g as usize];
            *least = least.min(*fraction);
        }
        ccd::limit_groups(p, candidates, [start, end], options, SHARE, bodies);
        for (g, fraction) in p.groups.iter().zip(fractions) {
            *fraction = bodies[*g as usize];
        }
    }
}
