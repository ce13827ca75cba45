//! Bounding volume hierarchy of axis-aligned boxes, split at the median of the widest axis.

/// Axis-aligned bounding box: least and greatest coordinates.
pub type Bounds = [[f64; 3]; 2];

/// Binary tree of axis-aligned boxes around items, for overlap and nearest-item queries.
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

struct Node {
    bounds: Bounds,
    /// Range in `items` of all items below this node.
    first: u32,
    count: u32,
    /// Index of the second child, 0 for a leaf. The first child follows its parent.
    second_child: u32,
}

/// A node with at most this many items is a leaf.
const MAX_LEAF_ITEMS: usize = 4;

impl Bvh {
    /// Builds the hierarchy; item `i` has the box `bounds[i]`.
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
        let items = &mut self.items[first..end];
        let whole = items
            .iter()
            .map(|&i| bounds[i as usize])
            .fold(EMPTY, |a, b| union(&a, &b));
        let this = self.nodes.len();
        self.nodes.push(Node {
            bounds: whole,
            first: first as u32,
            count: (end - first) as u32,
            second_child: 0,
        });
        if end - first <= MAX_LEAF_ITEMS {
            return;
        }
        let width = |k: usize| whole[1][k] - whole[0][k];
        let axis = (0..3).fold(0, |best, k| if width(k) > width(best) { k } else { best });
        let middle = (end - first) / 2;
        let centre = |i: u32| bounds[i as usize][0][axis] + bounds[i as usize][1][axis];
        items.select_nth_unstable_by(middle, |&a, &b| {
            centre(a).total_cmp(&centre(b)).then(a.cmp(&b))
        });
        self.split(bounds, first, first + middle);
        self.nodes[this].second_child = self.nodes.len() as u32;
        self.split(bounds, first + middle, end);
    }

    /// Visits all items of the leaves that are reached through nodes whose boxes `enter` accepts.
    pub fn visit(&self, enter: impl Fn(&Bounds) -> bool, mut item: impl FnMut(u32)) {
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some(0usize));
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i];
            if !enter(&node.bounds) {
                continue;
            }
            if node.second_child == 0 {
                let first = node.first as usize;
                for &k in &self.items[first..first + node.count as usize] {
                    item(k);
                }
            } else {
                stack.push(node.second_child as usize);
                stack.push(i + 1);
            }
        }
    }

    /// Finds the item nearest to `p`. `distance` returns the squared distance of an item to `p`. Returns the lowest item
    /// number of several at the same distance, and `None` if there is no item.
    pub fn nearest(&self, p: [f64; 3], distance: impl Fn(u32) -> f64) -> Option<u32> {
        let mut best = (f64::INFINITY, u32::MAX);
        let mut stack = Vec::with_capacity(64);
        stack.extend((!self.nodes.is_empty()).then_some((0.0, 0usize)));
        while let Some((box_distance, i)) = stack.pop() {
            if box_distance > best.0 {
                continue;
            }
            let node = &self.nodes[i];
            if node.second_child == 0 {
                let first = node.first as usize;
                for &k in &self.items[first..first + node.count as usize] {
                    let d = distance(k);
                    if d < best.0 || d == best.0 && k < best.1 {
                        best = (d, k);
                    }
                }
            } else {
                let mut children = [i + 1, node.second_child as usize]
                    .map(|c| (squared_distance(p, &self.nodes[c].bounds), c));
                // The nearer child goes on top of the stack.
                if children[0].0 < children[1].0 {
                    children.swap(0, 1);
                }
                stack.extend(children);
            }
        }
        (best.1 != u32::MAX).then_some(best.1)
    }
}

/// Bounding box of no points.
const EMPTY: Bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

fn union(a: &Bounds, b: &Bounds) -> Bounds {
    [
        [0, 1, 2].map(|k| a[0][k].min(b[0][k])),
        [0, 1, 2].map(|k| a[1][k].max(b[1][k])),
    ]
}

/// Axis-aligned bounding box of points.
pub fn bounding_box(points: &[[f64; 3]]) -> Bounds {
    points.iter().fold(EMPTY, |b, &p| union(&b, &[p, p]))
}

/// Whether two bounding boxes overlap or touch.
pub fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}

fn squared_distance(p: [f64; 3], b: &Bounds) -> f64 {
    (0..3)
        .map(|k| (b[0][k] - p[k]).max(p[k] - b[1][k]).max(0.0).powi(2))
        .sum()
}
