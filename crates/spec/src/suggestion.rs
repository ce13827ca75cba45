//! Suggestions for misspelt names.

/// Returns the candidate most similar to `name`, or `None` if none is similar.
///
/// Case and `_` versus `-` are ignored; otherwise the Damerau–Levenshtein distance may be about a third of the letters. Of
/// equally similar candidates the first is returned.
pub fn nearest_name<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace('_', "-");
    let meant = plain(name);
    // Longer than any name; the distance would take quadratic time.
    if meant.len() > 64 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&meant, &plain(candidate));
        let letters = meant.chars().count().min(candidate.chars().count());
        if distance <= (letters + 1) / 3 && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the hint of an error about an unknown name: `did you mean "poisson"?`, or the list of valid names.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest_name(name, candidates.clone()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => {
            let known: Vec<_> = candidates.into_iter().map(|c| format!("\"{c}\"")).collect();
            match known.len() {
                0 => "there are none".into(),
                1 => format!("the only one is {}", known[0]),
                _ => format!("known are {}", known.join(", ")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{nearest_name, suggestion};

    const NAMES: [&str; 6] = ["sdirk2", "sdirk3", "bdf2", "rk4", "mesh", "rho-inf"];

    #[test]
    fn misspelt_names_are_found_and_other_words_are_not() {
        let near = |name| nearest_name(name, NAMES);
        assert_eq!(near("sdrik2"), Some("sdirk2")); // swapped
        assert_eq!(near("sdirk-3"), Some("sdirk3")); // added
        assert_eq!(near("bd2"), Some("bdf2")); // dropped
        assert_eq!(near("sdirk9"), Some("sdirk2")); // the first of equally near ones
        assert_eq!(near("RHO_INF"), Some("rho-inf"));
        assert_eq!(near("mass"), None);
        assert_eq!(near("euler"), None);
        assert_eq!(near(""), None);
        assert_eq!(near(&"x".repeat(1000)), None);
    }

    #[test]
    fn without_a_similar_name_all_names_are_listed() {
        assert_eq!(
            suggestion("euler", ["rk4", "bdf2"]),
            "known are \"rk4\", \"bdf2\""
        );
        assert_eq!(suggestion("euler", ["rk4"]), "the only one is \"rk4\"");
        assert_eq!(suggestion("euler", []), "there are none");
    }
}
