//! Numbers held against thresholds: what a claim of a paper rests on.

/// A number and the threshold it is held against, or a condition that is no number.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is held against the threshold; empty if the claim's sentence says it.
    pub of: String,
    /// The number; `None` for conditions.
    pub value: Option<f64>,
    /// The threshold or condition, in words and numbers.
    pub threshold: String,
    /// Whether the number is on the right side of the threshold.
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

    /// Says what the number is.
    pub fn of(self, of: &str) -> Check {
        Check {
            of: of.into(),
            ..self
        }
    }

    /// What is held against what: "ratio ≥ 30".
    pub fn text(&self) -> String {
        format!("{} {}", self.of, self.threshold).trim().into()
    }
}

/// What can be given to a claim: one check or several, all of which must hold.
pub trait Checks {
    /// All of them.
    fn list(self) -> Vec<Check>;
}

impl Checks for Check {
    fn list(self) -> Vec<Check> {
        vec![self]
    }
}

impl<const N: usize> Checks for [Check; N] {
    fn list(self) -> Vec<Check> {
        self.into()
    }
}

impl Checks for Vec<Check> {
    fn list(self) -> Vec<Check> {
        self
    }
}

/// A threshold with as many digits as it has: 30, 0.95, 1e-12.
fn shown(x: f64) -> String {
    let plain = format!("{x}");
    if plain.len() > 7 && x.abs() < 1e-3 || x.abs() >= 1e6 {
        format!("{x:e}")
    } else if plain.len() > 7 {
        // Such as 1 + 1e-11, or a number that was measured.
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

/// The number is less than `most`.
pub fn below(value: f64, most: f64) -> Check {
    Check::number(value, format!("< {}", shown(most)), value < most)
}

/// The number is greater than `least`.
pub fn above(value: f64, least: f64) -> Check {
    Check::number(value, format!("> {}", shown(least)), value > least)
}

/// The number is no greater than `most`.
pub fn at_most(value: f64, most: f64) -> Check {
    Check::number(value, format!("≤ {}", shown(most)), value <= most)
}

/// The number is no less than `least`.
pub fn at_least(value: f64, least: f64) -> Check {
    Check::number(value, format!("≥ {}", shown(least)), value >= least)
}

/// The number is between both, ends included.
pub fn within(value: f64, least: f64, most: f64) -> Check {
    let threshold = match least == most {
        true => format!("= {}", shown(least)),
        false => format!("{} to {}", shown(least), shown(most)),
    };
    Check::number(value, threshold, (least..=most).contains(&value))
}

/// The number is no farther from `wanted` than `off`.
pub fn near(value: f64, wanted: f64, off: f64) -> Check {
    let threshold = format!("{} ± {}", shown(wanted), shown(off));
    Check::number(value, threshold, (value - wanted).abs() <= off)
}

/// A condition that is no number.
pub fn that(holds: bool, condition: &str) -> Check {
    Check {
        of: String::new(),
        value: None,
        threshold: condition.into(),
        holds,
    }
}

/// Words as part of an id: small letters and digits, joined by dashes.
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
            (that(false, "no failure"), "no failure", false),
        ];
        for (check, text, holds) in cases {
            assert_eq!((check.text().as_str(), check.holds), (text, holds));
        }
        // What could not be measured is on no side of any threshold.
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
