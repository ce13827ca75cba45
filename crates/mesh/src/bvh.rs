//! A tree of boxes around anything that has a box, split at the median of the widest axis.

/// Least and greatest coordinates.
pub type Bounds = [[f64; 3]; 2];

/// Boxes in pairs down to a few items each.
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

struct Node {
    bounds: Bounds,
    /// Items of a leaf, or of everything below.
    first: u32,
    count: u32,
    /// The second child; the first follows its parent. 0 for a leaf.
    second: u32,
}

const LEAF: usize = 4;

impl Bvh {
    /// Builds the tree around boxes; items are numbered as these are.
    pub fn new(bounds: &[Bounds]) -> Bvh {
        let mut tree = Bvh {
            nodes: Vec::with_capacity(bounds.len()),
            items: (0..bounds.len() as u32).collect(),
        };
        if !bounds.is_empty() {
            tree.split(bounds, 0, bounds.len());
        }
        tree
    }

    fn split(&mut self, bounds: &[Bounds], first: usize, end: usize) {
        let mine = &mut self.items[first..end];
        let around = mine
            .iter()
            .map(|&i| bounds[i as usize])
            .fold(EMPTY, |a, b| join(&a, &b));
        let this = self.nodes.len();
        self.nodes.push(Node {
            bounds: around,
            first: first as u32,
            count: (end - first) as u32,
            second: 0,
        });
        if end - first <= LEAF {
            return;
        }
        let width = |k: usize| around[1][k] - around[0][k];
        let axis = (0..3).fold(0, |best, k| if width(k) > width(best) { k } else { best });
        let middle = (end - first) / 2;
        let centre = |i: u32| bounds[i as usize][0][axis] + bounds[i as usize][1][axis];
        mine.select_nth_unstable_by(middle, |&a, &b| {
            centre(a).total_cmp(&centre(b)).then(a.cmp(&b))
        });
        self.split(bounds, first, first + middle);
        self.nodes[this].second = self.nodes.len() as u32;
        self.split(bounds, first + middle, end);
    }

    /// Calls `item` for everything in leaves whose boxes, and those above, `enter` accepts.
    pub fn visit(&self, enter: impl Fn(&Bounds) -> bool, mut item: impl FnMut(u32)) {
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0usize));
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i];
            if !enter(&node.bounds) {
                continue;
            }
            if node.second == 0 {
                let first = node.first as usize;
                for &k in &self.items[first..first + node.count as usize] {
                    item(k);
                }
            } else {
                stack.push(node.second as usize);
                stack.push(i + 1);
            }
        }
    }

    /// The item with the least squared distance to `p`, as `distance` tells it; of several the lowest.
    pub fn nearest(&self, p: [f64; 3], distance: impl Fn(u32) -> f64) -> Option<u32> {
        let mut best = (f64::INFINITY, u32::MAX);
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some((0.0, 0usize)));
        while let Some((away, i)) = stack.pop() {
            if away > best.0 {
                continue;
            }
            let node = &self.nodes[i];
            if node.second == 0 {
                let first = node.first as usize;
                for &k in &self.items[first..first + node.count as usize] {
                    let d = distance(k);
                    if d < best.0 || d == best.0 && k < best.1 {
                        best = (d, k);
                    }
                }
            } else {
                let mut children = [i + 1, node.second as usize]
                    .map(|c| (squared_distance(p, &self.nodes[c].bounds), c));
                // The nearer on top.
                if children[0].0 < children[1].0 {
                    children.swap(0, 1);
                }
                stack.extend(children);
            }
        }
        (best.1 != u32::MAX).then_some(best.1)
    }
}

const EMPTY: Bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

fn join(a: &Bounds, b: &Bounds) -> Bounds {
    [
        [0, 1, 2].map(|k| a[0][k].min(b[0][k])),
        [0, 1, 2].map(|k| a[1][k].max(b[1][k])),
    ]
}

/// The box around some points.
pub fn around(points: &[[f64; 3]]) -> Bounds {
    points.iter().fold(EMPTY, |b, &p| join(&b, &[p, p]))
}

/// Whether two boxes touch.
pub fn touch(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}

fn squared_distance(p: [f64; 3], b: &Bounds) -> f64 {
    (0..3)
        .map(|k| (b[0][k] - p[k]).max(p[k] - b[1][k]).max(0.0).powi(2))
        .sum()
}
