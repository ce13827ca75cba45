//! Building blocks of all pages: the HTML skeleton with its style sheet, tables, figures and number formatting.

use std::fmt::Display;

use chart::Escaped;

const STYLE: &str = include_str!("style.css");

/// Returns a complete HTML document with this title and body.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\" data-theme=\"light\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        Escaped(title)
    )
}

/// Returns a chart as an SVG figure with a caption.
pub fn figure(chart: &chart::Chart, caption: &str) -> String {
    format!(
        "<figure>{}<figcaption>{}</figcaption></figure>\n",
        chart.inline(),
        Escaped(caption)
    )
}

/// Arranges figures in a grid with as many columns as the page is wide.
pub fn charts(figures: &str) -> String {
    format!("<div class=\"charts\">\n{figures}</div>\n")
}

/// Returns an image with a caption; `data` is a `data:` URL.
pub fn picture(data: &str, caption: &str) -> String {
    let caption = Escaped(caption);
    format!(
        "<figure><img alt=\"{caption}\" src=\"{data}\"><figcaption>{caption}</figcaption></figure>\n"
    )
}

/// Builder of an HTML table.
pub struct Table {
    html: String,
}

/// Cell of an HTML table.
pub struct Cell {
    attributes: String,
    html: String,
}

impl Table {
    /// Creates a table without headings or rows.
    pub fn new() -> Table {
        Table {
            html: "<div class=\"scroll\"><table>\n".into(),
        }
    }

    /// Creates a table of sentences: left-aligned cells with line wrapping.
    pub fn of_sentences() -> Table {
        Table {
            html: "<div class=\"scroll\"><table class=\"sentences\">\n".into(),
        }
    }

    /// Adds a row of headings. A line break in a heading is kept on the page.
    pub fn headings(mut self, names: &[&str]) -> Table {
        let cell = |name: &&str| {
            let lines: Vec<String> = name.lines().map(escaped).collect();
            format!("<th>{}</th>", lines.join("<br>"))
        };
        let cells: String = names.iter().map(cell).collect();
        self.html += &format!("<tr>{cells}</tr>\n");
        self
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.html += &format!("<tr>{}</tr>\n", joined(cells));
    }

    /// Adds a row with a CSS class.
    pub fn row_of_class(&mut self, class: &str, cells: impl IntoIterator<Item = Cell>) {
        self.html += &format!("<tr class=\"{class}\">{}</tr>\n", joined(cells));
    }

    /// Returns the HTML of the table.
    pub fn html(self) -> String {
        self.html + "</table></div>\n"
    }
}

impl Default for Table {
    fn default() -> Table {
        Table::new()
    }
}

fn joined(cells: impl IntoIterator<Item = Cell>) -> String {
    let cell = |c: Cell| format!("<td{}>{}</td>", c.attributes, c.html);
    cells.into_iter().map(cell).collect()
}

impl Cell {
    /// Creates a cell of plain text, which is escaped.
    pub fn text(text: impl Display) -> Cell {
        Cell::html(escaped(&text.to_string()))
    }

    /// Creates a cell of HTML elements.
    pub fn html(html: String) -> Cell {
        Cell {
            attributes: String::new(),
            html,
        }
    }

    /// Sets the CSS class of the cell.
    pub fn class(mut self, class: &str) -> Cell {
        self.attributes += &format!(" class=\"{class}\"");
        self
    }

    /// Lets the cell span several columns.
    pub fn over_columns(mut self, count: usize) -> Cell {
        self.attributes += &format!(" colspan=\"{count}\"");
        self
    }
}

/// Escapes text for HTML.
pub fn escaped(text: &str) -> String {
    Escaped(text).to_string()
}

/// Formats a number with four digits, in scientific notation if it is very large or small.
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
    use super::{Cell, Table, document, number};

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

    #[test]
    fn tables_hold_text_classes_and_spans() {
        let mut table = Table::new().headings(&["a", "long\nname"]);
        table.row([Cell::text("x < y"), Cell::text(0.5)]);
        let why = Cell::text("why").class("bad").over_columns(2);
        table.row_of_class("why", [why]);
        assert_eq!(
            table.html(),
            "<div class=\"scroll\"><table>\n<tr><th>a</th><th>long<br>name</th></tr>\n\
             <tr><td>x &lt; y</td><td>0.5</td></tr>\n\
             <tr class=\"why\"><td class=\"bad\" colspan=\"2\">why</td></tr>\n</table></div>\n"
        );
    }
}
