//! What a scene says must fit together; mistakes that no single key shows.

use super::{Scene, Source};
use crate::error::SceneError;

pub(super) fn mistakes(_scene: &Scene, _source: &Source) -> Vec<SceneError> {
    Vec::new()
}
