//! The player of all pages: three.js and uPlot with our own scripts, bundled by `crates/report/player/build.mjs`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chart::Escaped;
use march::ledger::shown_channels;
use scene::observe::Film;
use scene::table::Table;
use serde_json::{Value, json};

/// The script, compressed with gzip.
pub const SCRIPT_GZ: &[u8] = include_bytes!("../player/dist/player.js.gz");

/// The style sheet.
pub const STYLE: &str = include_str!("../player/dist/player.css");

/// Licences of the libraries in the script.
pub const LICENSES: &str = include_str!("../player/dist/LICENSES.txt");

/// Largest number of points of a curve.
const MAX_POINTS: usize = 2000;

/// Returns the page of `supple view`, which loads script and style from the server with the page's token.
pub fn view_page(title: &str, mode: &str, token: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n\
         <link rel=\"stylesheet\" href=\"/player.css?token={token}\">\n</head>\n\
         <body class=\"view\">\n<div id=\"app\" data-mode=\"{mode}\"></div>\n\
         <script src=\"/player.js?token={token}\"></script>\n</body>\n</html>\n",
        Escaped(title)
    )
}

/// A motion on a page, with its curves.
pub struct Playable {
    /// Name of the scene; may be empty.
    pub name: String,
    /// Name of the method; may be empty.
    pub method: String,
    /// The motion.
    pub film: Film,
    /// Curves of [`curves`], or `null`.
    pub curves: Value,
    /// Colour of the curves as an SVG colour code; one of the player's if left out.
    pub colour: Option<&'static str>,
}

/// Returns a player of one to four motions for a page that needs no server: the data are part of it. `field` is what the
/// motions are coloured by at first. [`crate::page::document`] adds the script.
pub fn embedded(motions: &[Playable], field: Option<&str>) -> String {
    let data = |m: &Playable| {
        let all = json!({ "name": m.name, "method": m.method, "film": m.film, "curves": m.curves, "colour": m.colour });
        script_data("film", &all)
    };
    let data: String = motions.iter().map(data).collect();
    let field = Escaped(field.unwrap_or_default());
    format!(
        "<div class=\"supple-player\" data-field=\"{field}\">\n{data}\
         <noscript>The motion is played by a script.</noscript></div>\n"
    )
}

/// Returns data for the script of a page, in an element of this class.
pub fn script_data(class: &str, data: &Value) -> String {
    // The text cannot end the element: "<" is written as an escape.
    let text = data.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" class=\"{class}\">{text}</script>\n")
}

/// Returns the script of a page, compressed, if the body has data for it.
pub fn scripts_for(body: &str) -> String {
    if !body.contains("<script type=\"application/json\"") {
        return String::new();
    }
    let script = STANDARD.encode(SCRIPT_GZ);
    format!(
        "<script type=\"text/plain\" id=\"supple-script\">{script}</script>\n<script>\n{LOADER}</script>\n"
    )
}

/// Unpacks and starts the script of the player.
const LOADER: &str = "(async () => {\n\
  const packed = Uint8Array.from(atob(document.getElementById('supple-script').textContent), (c) => c.charCodeAt(0));\n\
  const text = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();\n\
  const script = document.createElement('script');\n\
  script.textContent = await text;\n\
  document.head.append(script);\n\
})();\n";

/// Returns the curves of `steps.csv` and `ledger.csv` for the plots of a page, thinned to as many points as a screen shows.
pub fn curves(steps: &Table, ledger: &Table) -> Value {
    let t = steps.column("t");
    let energies = ["kinetic", "elastic", "gravity", "contact", "total"]
        .map(|name| (name.to_string(), thinned(steps.column(name).iter())));
    let channels = shown_channels().into_iter().map(|(channel, _)| {
        let sums = ledger.cumulative(channel.name);
        // The ledger has a row for each step, the steps one more for the start.
        let start = vec![0.0; t.len().saturating_sub(sums.len())];
        let values: Vec<f64> = start.into_iter().chain(sums.iter().map(|p| p.1)).collect();
        json!({ "name": channel.name, "title": channel.title, "values": thinned(values.iter()) })
    });
    json!({
        "t": thinned(t.iter()),
        "energies": energies.into_iter().collect::<serde_json::Map<_, _>>(),
        "h": thinned(steps.column("h").iter()),
        "newton": thinned(steps.column("newton").iter()),
        "ledger": channels.collect::<Vec<_>>(),
    })
}

/// Returns the curves of a motion of which only the total energy is known, as points (t, J).
pub fn energy_curve(points: &[(f64, f64)]) -> Value {
    let column =
        |of: fn(&(f64, f64)) -> f64| thinned(points.iter().map(of).collect::<Vec<_>>().iter());
    json!({ "t": column(|p| p.0), "energies": { "total": column(|p| p.1) }, "h": [], "newton": [], "ledger": [] })
}

/// Keeps every k-th number and the last.
fn thinned<'a>(values: impl ExactSizeIterator<Item = &'a f64>) -> Value {
    let (count, stride) = (values.len(), values.len().div_ceil(MAX_POINTS).max(1));
    let kept = values.enumerate();
    let kept = kept.filter(|(k, _)| k.is_multiple_of(stride) || k + 1 == count);
    kept.map(|(_, x)| *x).collect::<Vec<f64>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_ends() {
        let long: Vec<f64> = (0..10_001).map(f64::from).collect();
        let kept = thinned(long.iter());
        let kept = kept.as_array().unwrap();
        assert!(kept.len() <= MAX_POINTS + 1);
        assert_eq!(
            (&kept[0], &kept[kept.len() - 1]),
            (&0.0.into(), &10_000.0.into())
        );
        let short = [1.0, 2.0, 3.0];
        assert_eq!(thinned(short.iter()), json!([1.0, 2.0, 3.0]));
    }
}
