//! The player of all pages: three.js and uPlot with our own scripts, bundled by `crates/report/player/build.mjs`.

use chart::Escaped;

/// The script, compressed with gzip.
pub const SCRIPT_GZ: &[u8] = include_bytes!("../player/dist/player.js.gz");

/// The style sheet.
pub const STYLE: &str = include_str!("../player/dist/player.css");

/// Licences of the libraries in the script.
pub const LICENSES: &str = include_str!("../player/dist/LICENSES.txt");

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
