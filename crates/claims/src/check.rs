//! Checks of numbers against thresholds, on which the claims of a result rest.

/// A number compared with a threshold, or a condition without a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The name of the quantity; empty if the sentence of the claim names it.
    pub of: String,
    /// The measured number; `None` for conditions.
    pub value: Option<f64>,
    /// The threshold or condition as text.
    pub threshold: String,
    /// Whether the number satisfies the threshold.
    pub holds: bool,
}

impl Check {
    fn number(value: f64, threshold: String, holds: bool) -> Check {
        Check {
            of: String::new(),
            value: Some(value),
            threshold,
            holds,
        }
    }

    /// Returns the check with a name for its quantity.
    pub fn of(self, of: &str) -> Check {
        Check {
            of: of.into(),
            ..self
        }
    }

    /// Returns quantity and threshold as text, such as "ratio ≥ 30".
    pub fn text(&self) -> String {
        format!("{} {}", self.of, self.threshold).trim().into()
    }
}

/// A conversion into a list of checks, all of which must hold.
pub trait IntoChecks {
    /// Returns the list of checks.
    fn into_checks(self) -> Vec<Check>;
}

impl IntoChecks for Check {
    fn into_checks(self) -> Vec<Check> {
        vec![self]
    }
}

impl<const N: usize> IntoChecks for [Check; N] {
    fn into_checks(self) -> Vec<Check> {
        self.into()
    }
}

impl IntoChecks for Vec<Check> {
    fn into_checks(self) -> Vec<Check> {
        self
    }
}

/// Formats a threshold with its significant digits: 30, 0.95, 1e-12.
fn format_threshold(x: f64) -> String {
    let plain = format!("{x}");
    if plain.len() > 7 && x.abs() < 1e-3 || x.abs() >= 1e6 {
        format!("{x:e}")
    } else if plain.len() > 7 {
        // A number such as 1 + 1e-11, or a measured one.
        let whole = x.round();
        match x - whole {
            0.0 => plain,
            rest if rest.abs() < 1e-6 && whole != 0.0 => format!("{whole} + {rest:.0e}"),
            _ => format!("{x:.4}"),
        }
    } else {
        plain
    }
}

/// Checks that the number is less than `most`.
pub fn below(value: f64, most: f64) -> Check {
    Check::number(value, format!("< {}", format_threshold(most)), value < most)
}

/// Checks that the number is greater than `least`.
pub fn above(value: f64, least: f64) -> Check {
    Check::number(
        value,
        format!("> {}", format_threshold(least)),
        value > least,
    )
}

/// Checks that the number is at most `most`.
pub fn at_most(value: f64, most: f64) -> Check {
    Check::number(
        value,
        format!("≤ {}", format_threshold(most)),
        value <= most,
    )
}

/// Checks that the number is at least `least`.
pub fn at_least(value: f64, least: f64) -> Check {
    Check::number(
        value,
        format!("≥ {}", format_threshold(least)),
        value >= least,
    )
}

/// Checks that the number lies in the closed interval from `least` to `most`.
pub fn within(value: f64, least: f64, most: f64) -> Check {
    let threshold = match least == most {
        true => format!("= {}", format_threshold(least)),
        false => format!("{} to {}", format_threshold(least), format_threshold(most)),
    };
    Check::number(value, threshold, (least..=most).contains(&value))
}

/// Checks that the number differs from `wanted` by at most `off`.
pub fn near(value: f64, wanted: f64, off: f64) -> Check {
    let threshold = format!("{} ± {}", format_threshold(wanted), format_threshold(off));
    Check::number(value, threshold, (value - wanted).abs() <= off)
}

/// Creates a check of a condition without a number.
pub fn condition(holds: bool, condition: &str) -> Check {
    Check {
        of: String::new(),
        value: None,
        threshold: condition.into(),
        holds,
    }
}

/// Converts words to an id: lower-case letters and digits joined by dashes.
pub fn slug(words: &str) -> String {
    let parts = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty());
    parts
        .map(str::to_ascii_lowercase)
        .collect::<Vec<_>>()
        .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_kept_and_printed() {
        let cases = [
            (below(1.0, 2.0), "< 2", true),
            (below(2.0, 2.0), "< 2", false),
            (above(2.0, 2.0), "> 2", false),
            (at_most(2.0, 2.0), "≤ 2", true),
            (at_least(1e-12, 1e-11), "≥ 1e-11", false),
            (within(2.6, 1.5, 2.6), "1.5 to 2.6", true),
            (within(4.0, 5.0, 5.0), "= 5", false),
            (near(122.0, 110.0, 12.0).of("frame"), "frame 110 ± 12", true),
            (at_most(1.0, 1.0 + 1e-11), "≤ 1 + 1e-11", true),
            (condition(false, "no failure"), "no failure", false),
        ];
        for (check, text, holds) in cases {
            assert_eq!((check.text().as_str(), check.holds), (text, holds));
        }
        // NaN satisfies no threshold.
        let nan = f64::NAN;
        for check in [
            below(nan, 1.0),
            above(nan, 1.0),
            near(nan, 0.0, 1.0),
            within(nan, 0.0, 1.0),
        ] {
            assert!(!check.holds);
        }
    }

    #[test]
    fn words_become_ids() {
        assert_eq!(slug("eq. (7): BDF2, twice"), "eq-7-bdf2-twice");
    }
}
