//! Pages people open: one file each, without a network.

mod control;
mod report;

use chart::Escaped;

pub use report::write;

const STYLE: &str = include_str!("style.css");

/// A whole page.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        Escaped(title)
    )
}

/// A chart with a sentence below it.
pub fn figure(chart: &chart::Chart, caption: &str) -> String {
    format!(
        "<figure>{}<figcaption>{}</figcaption></figure>\n",
        chart.inline(),
        Escaped(caption)
    )
}

/// A number for people: four digits, powers of ten where it is very large or small.
pub fn number(x: f64) -> String {
    let size = x.abs();
    match x {
        x if !x.is_finite() => x.to_string(),
        0.0 => "0".into(),
        _ if (1e-3..1e5).contains(&size) => {
            let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{x:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').into(),
                false => text,
            }
        }
        _ => format!("{x:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{document, number};

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1234.56, "1235"),
            (0.5, "0.5"),
            (-12.3456, "-12.35"),
            (100.0, "100"),
            (1e-7, "1.000e-7"),
            (3e6, "3.000e6"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn titles_cannot_break_the_page() {
        assert!(document("</title><script>", "").contains("&lt;/title&gt;&lt;script&gt;"));
    }
}
