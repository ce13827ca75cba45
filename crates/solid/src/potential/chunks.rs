//! Graph colouring of chunks of batches: parallel assembly with results that do not depend on the number of threads.
//!
//! Chunks of one colour share no node, so they can write to the matrix at the same time; colours are run one after
//! another. The order in which chunks add to an entry depends on the mesh only. Work without common output needs no
//! colours.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

/// Batches of elements grouped into chunks, and chunks grouped into colours.
#[derive(Debug, Default)]
pub struct Chunks {
    /// Batches of each chunk.
    ranges: Vec<Range<usize>>,
    /// Chunks of each colour.
    colours: Vec<Vec<usize>>,
    sums: Vec<f64>,
}

impl Chunks {
    /// Groups and colours `batches` batches; `nodes(b)` lists the nodes that batch b writes to.
    pub fn new<'a>(
        batches: usize,
        node_count: usize,
        nodes: impl Fn(usize) -> &'a [[u32; 4]],
    ) -> Chunks {
        let size = (batches / 64).clamp(4, 64);
        let ranges: Vec<_> = (0..batches)
            .step_by(size)
            .map(|s| s..(s + size).min(batches))
            .collect();
        // Bit c of used[n] is set if a chunk of colour c writes to node n.
        let mut used = vec![0u128; node_count];
        let mut colours: Vec<Vec<usize>> = Vec::new();
        for (chunk, range) in ranges.iter().enumerate() {
            let touched = || range.clone().flat_map(&nodes).flatten();
            let taken = touched().fold(0, |taken, &n| taken | used[n as usize]);
            let colour = (!taken).trailing_zeros().min(127) as usize;
            if colour == 127 {
                // More than 127 chunks share a node: this chunk gets a colour of its own.
                colours.push(vec![chunk]);
                continue;
            }
            touched().for_each(|&n| used[n as usize] |= 1 << colour);
            if colours.len() <= colour {
                colours.resize(colour + 1, Vec::new());
            }
            colours[colour].push(chunk);
        }
        Chunks {
            sums: vec![0.0; ranges.len()],
            ranges,
            colours,
        }
    }

    /// The batches of each chunk.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Runs `work(chunk, batches)` for all chunks in parallel. Returns the sum of the results, in the order of the chunks.
    pub fn run_sum(&mut self, work: impl Fn(usize, Range<usize>) -> f64 + Sync) -> f64 {
        self.run_each(work);
        self.sums.iter().sum()
    }

    /// Runs `work(chunk, batches)` for all chunks in parallel. Returns the minimum of the results and `most`.
    pub fn run_min(&mut self, most: f64, work: impl Fn(usize, Range<usize>) -> f64 + Sync) -> f64 {
        self.run_each(work);
        self.sums.iter().fold(most, |least, &x| least.min(x))
    }

    /// Runs `work` for all chunks and stores the results.
    fn run_each(&mut self, work: impl Fn(usize, Range<usize>) -> f64 + Sync) {
        let one = |(chunk, sum): (usize, &mut f64)| {
            *sum = work(chunk, self.ranges[chunk].clone());
        };
        if self.ranges.len() < 2 || rayon::current_num_threads() == 1 {
            self.sums.iter_mut().enumerate().for_each(one);
        } else {
            self.sums.par_iter_mut().enumerate().for_each(one);
        }
    }

    /// Runs `work` for all chunks, colour by colour: chunks that run at the same time share no node.
    pub fn run_coloured(&self, work: impl Fn(Range<usize>) + Sync) {
        let one = |&chunk: &usize| work(self.ranges[chunk].clone());
        let alone = rayon::current_num_threads() == 1;
        for colour in &self.colours {
            if alone || colour.len() == 1 {
                colour.iter().for_each(one);
            } else {
                colour.par_iter().for_each(one);
            }
        }
    }
}

/// A mutable slice shared by threads that write to different entries.
pub struct DisjointSlice<'a, T> {
    start: *mut T,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: access is only through `at`, whose caller guarantees that no two threads use one entry at the same time.
unsafe impl<T: Send> Sync for DisjointSlice<'_, T> {}

impl<'a, T> DisjointSlice<'a, T> {
    /// Shares a slice.
    pub fn new(slice: &'a mut [T]) -> DisjointSlice<'a, T> {
        DisjointSlice {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            life: PhantomData,
        }
    }

    /// Returns entry i.
    ///
    /// # Safety
    /// No other reference to entry i may exist while this one does.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub unsafe fn at(&self, i: usize) -> &mut T {
        assert!(i < self.len);
        // SAFETY: in bounds by the assertion, unique by the caller's guarantee.
        unsafe { &mut *self.start.add(i) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_one_colour_share_no_node_and_all_batches_run_once() {
        // Batches on a ring: batch b touches nodes b and b + 1.
        let n = 1000;
        let nodes: Vec<[[u32; 4]; 1]> = (0..n).map(|b| [[b, b, (b + 1) % n, b]]).collect();
        let mut chunks = Chunks::new(n as usize, n as usize, |b| &nodes[b]);
        for colour in &chunks.colours {
            let mut seen = vec![false; n as usize];
            for &chunk in colour {
                let mut own: Vec<u32> = chunks.ranges[chunk]
                    .clone()
                    .flat_map(|b| nodes[b][0])
                    .collect();
                own.sort_unstable();
                own.dedup();
                for node in own {
                    assert!(
                        !seen[node as usize],
                        "two chunks of a colour write to node {node}"
                    );
                    seen[node as usize] = true;
                }
            }
        }
        let total = chunks.run_sum(|_, range| range.map(|b| b as f64).sum());
        assert_eq!(total, f64::from(n * (n - 1) / 2));
        let seen = std::sync::atomic::AtomicUsize::new(0);
        chunks.run_coloured(|range| {
            seen.fetch_add(range.sum(), std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(seen.into_inner() as u32, n * (n - 1) / 2);
    }
}
