//! Building blocks of all pages: the HTML skeleton with its style sheet, tables, figures and number formatting.

use std::fmt::Display;

use chart::{Axis, AxisScale, Chart, Dash, DrawnSeries, Escaped, SeriesStyle};
use serde_json::{Value, json};

use crate::player;

const STYLE: &str = include_str!("style.css");

/// Returns a complete HTML document with this title and body. The scripts of its players and charts are part of it.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body class=\"document\">\n{body}{}</body>\n</html>\n",
        Escaped(title),
        player::STYLE,
        player::scripts_for(body),
    )
}

/// Returns a chart as a figure with a caption: an SVG image, and the data with which a script makes it interactive.
pub fn figure(chart: &Chart, caption: &str) -> String {
    let caption = match caption {
        "" => String::new(),
        words => format!("<figcaption>{}</figcaption>", Escaped(words)),
    };
    let data = player::script_data("chart", &chart_data(chart));
    format!(
        "<figure class=\"chart\">{}{data}{caption}</figure>\n",
        chart.inline()
    )
}

/// Returns the data of a chart for the script of the page. Series that share their abscissae with the one before leave them
/// out.
fn chart_data(chart: &Chart) -> Value {
    let axis = |axis: &Axis| json!({ "label": axis.label, "log": axis.scale == AxisScale::Log, "range": axis.range });
    let mut series = Vec::new();
    let mut before: Vec<Value> = Vec::new();
    for DrawnSeries {
        name,
        colour,
        dash,
        style,
        points,
    } in chart.drawn_series()
    {
        let x: Vec<Value> = points.iter().map(|p| rounded(p.0)).collect();
        let y: Vec<Value> = points.iter().map(|p| rounded(p.1)).collect();
        let dash = Dash::ALL.iter().position(|d| *d == dash);
        let mut one = json!({ "name": name, "colour": colour, "dash": dash, "y": y });
        match style {
            SeriesStyle::Line => {}
            SeriesStyle::Markers => one["style"] = "markers".into(),
            SeriesStyle::LineWithMarkers => one["style"] = "both".into(),
        }
        if x != before {
            one["x"] = x.clone().into();
            before = x;
        }
        series.push(one);
    }
    json!({ "title": chart.title, "x": axis(&chart.x), "y": axis(&chart.y), "series": series })
}

/// Rounds to seven digits, more than a screen shows.
fn rounded(x: f64) -> Value {
    format!("{x:.6e}")
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
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
    use chart::{Chart, Series};
    use serde_json::{Value, json};

    use super::{Cell, Table, document, figure, number};

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
    fn charts_carry_their_data_and_documents_their_scripts() {
        let line = |name: &str, y: f64| {
            Series::line(name, vec![(0.0, y), (0.1, f64::NAN), (0.2, 1.0 / 3.0)])
        };
        let chart = Chart {
            title: "</script>".into(),
            series: vec![line("a", 1.0), line("b", 2.0)],
            ..Chart::default()
        };
        let figure = figure(&chart, "words");
        let (_, data) = figure
            .split_once("<script type=\"application/json\" class=\"chart\">")
            .unwrap();
        let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data["title"], "</script>");
        assert_eq!(data["series"][0]["x"], json!([0.0, 0.1, 0.2]));
        assert_eq!(data["series"][1]["x"], Value::Null);
        assert_eq!(data["series"][1]["y"], json!([2.0, null, 0.3333333]));
        let script = "id=\"supple-script\"";
        assert_eq!(document("", &figure.repeat(2)).matches(script).count(), 1);
        assert!(!document("", "<p>no chart</p>").contains(script));
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
