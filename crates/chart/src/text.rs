//! Text of charts: XML escaping, number formatting, and estimated text widths.

use std::fmt::{self, Display, Write};

/// A string that is displayed with the special characters of XML escaped, for element text and quoted attributes.
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                // XML has no way to write the other control characters.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    f.write_char('\u{fffd}')?
                }
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Estimates the width of a text in pixels from the mean widths of Helvetica, rounded up.
pub fn width(text: &str, size: f64) -> f64 {
    let ems = |c: char| match c {
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.38,
        'i' | 'j' | 'l' | 't' | 'f' | ' ' | '.' | ',' | ':' | '-' | '(' | ')' => 0.34,
        'm' | 'w' | 'M' | 'W' | '@' => 0.86,
        c if c.is_uppercase() => 0.7,
        _ => 0.57,
    };
    size * text.chars().map(ems).sum::<f64>()
}

/// Formats 10ⁿ with superscript digits.
pub fn power(n: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut out = String::from("10");
    for digit in n.to_string().chars() {
        out.push(digit.to_digit(10).map_or('⁻', |d| RAISED[d as usize]));
    }
    out
}

/// Formats a number with `decimals` decimals and a typographic minus sign.
pub fn number(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let zero = plain.bytes().all(|b| b == b'0' || b == b'.');
    if value < 0.0 && !zero {
        format!("−{plain}")
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::{Escaped, number, power};

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            Escaped("a<b> & \"c\" 'd'\u{1}\n").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd} "
        );
    }

    #[test]
    fn powers_and_signs() {
        assert_eq!(power(-12), "10⁻¹²");
        assert_eq!(power(0), "10⁰");
        assert_eq!(number(-0.25, 2), "−0.25");
        assert_eq!(number(-0.0001, 2), "0.00");
    }
}
