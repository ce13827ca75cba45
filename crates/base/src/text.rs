//! Numbers with their nouns in sentences.

use std::fmt::Display;

/// Returns a count with its noun in singular or plural: "1 frame", "2 frames".
///
/// ```
/// use base::text::counted;
///
/// assert_eq!(counted(1, "frame", "frames"), "1 frame");
/// assert_eq!(counted(0, "vertex", "vertices"), "0 vertices");
/// ```
pub fn counted(count: impl Display, one: &str, many: &str) -> String {
    let count = count.to_string();
    let noun = if count == "1" { one } else { many };
    format!("{count} {noun}")
}
