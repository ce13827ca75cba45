//! Fragments: the connected components of particles that intact bonds hold together.

/// Numbers the fragments of `count` particles from 0 on, in the order of their first particles, and writes the number of each
/// particle's fragment. Returns the number of fragments.
pub fn label_fragments(
    count: usize,
    intact: impl IntoIterator<Item = [u32; 2]>,
    labels: &mut Vec<u32>,
) -> usize {
    labels.clear();
    labels.extend(0..count as u32);
    for [a, b] in intact {
        let (a, b) = (root(labels, a), root(labels, b));
        // The smaller number is the root, so roots precede their particles.
        labels[a.max(b) as usize] = a.min(b);
    }
    let mut fragments = 0;
    for i in 0..count {
        let parent = labels[i] as usize;
        // The parent precedes this particle: its label is final.
        labels[i] = match parent == i {
            true => {
                fragments += 1;
                fragments - 1
            }
            false => labels[parent],
        };
    }
    fragments as usize
}

/// Finds the root of a particle's tree, with path halving.
fn root(parents: &mut [u32], mut i: u32) -> u32 {
    while parents[i as usize] != i {
        parents[i as usize] = parents[parents[i as usize] as usize];
        i = parents[i as usize];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn fragments_are_numbered_by_their_first_particles() {
        let mut labels = Vec::new();
        let count = label_fragments(6, [[4, 1], [2, 5], [5, 4]], &mut labels);
        assert_eq!((count, labels), (3, vec![0, 1, 1, 2, 1, 1]));
    }

    /// Labels agree with a search through the graph.
    #[test]
    fn labels_are_those_of_a_search() {
        let (count, mut random) = (80, Random::new(9));
        let bonds: Vec<[u32; 2]> = (0..50)
            .map(|_| [0, 1].map(|_| random.below(count) as u32))
            .collect();
        let mut labels = Vec::new();
        let fragments = label_fragments(count, bonds.iter().copied(), &mut labels);
        let mut found = vec![u32::MAX; count];
        let mut next = 0;
        for start in 0..count {
            if found[start] != u32::MAX {
                continue;
            }
            let mut open = vec![start as u32];
            while let Some(i) = open.pop() {
                found[i as usize] = next;
                for b in bonds.iter().filter(|b| b.contains(&i)) {
                    open.extend(b.iter().filter(|j| found[**j as usize] == u32::MAX));
                }
            }
            next += 1;
        }
        assert_eq!((labels, fragments), (found, next as usize));
    }
}
