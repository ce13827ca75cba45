//! Map from the tags of a file, which may have gaps and any order, to consecutive numbers.

/// Map from the tags of a file to consecutive numbers of points or cells.
#[derive(Debug)]
pub(crate) enum TagMap {
    /// Tags `first, first + 1, …` in order.
    Run { first: i64, len: u32 },
    /// Number by `tag − first`; `u32::MAX` for tags that do not exist.
    Table { first: i64, points: Vec<u32> },
    /// Pairs of tag and number, sorted by tag.
    Sorted(Vec<(i64, u32)>),
}

impl TagMap {
    /// Builds the map of tags that are listed in the order of their numbers. `Err` holds the index of a duplicate.
    pub fn new(tags: &[i64]) -> Result<TagMap, usize> {
        let Some(&first) = tags.first() else {
            return Ok(TagMap::Run { first: 0, len: 0 });
        };
        let in_order = |(i, t): (usize, &i64)| first.checked_add(i as i64) == Some(*t);
        if tags.iter().enumerate().all(in_order) {
            let len = tags.len() as u32;
            return Ok(TagMap::Run { first, len });
        }
        let (low, high) = tags
            .iter()
            .fold((first, first), |(l, h), &t| (l.min(t), h.max(t)));
        let span = high.abs_diff(low);
        if span / 4 < tags.len() as u64 {
            let mut points = vec![u32::MAX; span as usize + 1];
            for (i, &tag) in tags.iter().enumerate() {
                let slot = &mut points[tag.abs_diff(low) as usize];
                if *slot != u32::MAX {
                    return Err(i);
                }
                *slot = i as u32;
            }
            return Ok(TagMap::Table { first: low, points });
        }
        let mut sorted: Vec<_> = tags.iter().zip(0..).map(|(&t, i)| (t, i)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(pair) => Err(pair[1].1 as usize),
            None => Ok(TagMap::Sorted(sorted)),
        }
    }

    /// Number of a tag. Returns `None` if the tag does not exist.
    pub fn find(&self, tag: i64) -> Option<u32> {
        match self {
            TagMap::Run { first, len } => {
                let i = tag.checked_sub(*first)?;
                (0..i64::from(*len)).contains(&i).then_some(i as u32)
            }
            TagMap::Table { first, points } => {
                let i = usize::try_from(tag.checked_sub(*first)?).ok()?;
                points.get(i).copied().filter(|&p| p != u32::MAX)
            }
            TagMap::Sorted(sorted) => sorted
                .binary_search_by_key(&tag, |e| e.0)
                .ok()
                .map(|i| sorted[i].1),
        }
    }

    /// Describes the existing tags for a message.
    pub fn describe(&self) -> String {
        match self {
            TagMap::Run { len: 0, .. } => "there are no nodes".to_string(),
            TagMap::Run { first, len } => {
                let last = first.saturating_add(i64::from(*len) - 1);
                format!("the {len} nodes are numbered {first} to {last}")
            }
            TagMap::Table { first, points } => {
                let n = points.iter().filter(|&&p| p != u32::MAX).count();
                let last = first.saturating_add(points.len() as i64 - 1);
                format!("the {n} nodes have numbers between {first} and {last}")
            }
            TagMap::Sorted(sorted) => {
                let (first, last) = (sorted[0].0, sorted[sorted.len() - 1].0);
                let n = sorted.len();
                format!("the {n} nodes have numbers between {first} and {last}")
            }
        }
    }
}
