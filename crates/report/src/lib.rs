//! HTML pages of runs, comparisons and paper reproductions. Each page is one self-contained file.
//!
//! [`run`] writes `report.html` of a run, [`compare`] the page of a comparison, [`papers`] the page of reproduced results,
//! [`modes`] that of vibration modes.
//! All use the same skeleton, style sheet, tables and figures ([`page`]):
//!
//! ```
//! use report::page::{Cell, Table, document};
//!
//! let mut table = Table::new().headings(&["method", "error, m"]);
//! table.row([Cell::text("sdirk2"), Cell::text(1.5e-4)]);
//! let page = document("Errors < 1 mm", &table.html());
//! assert!(page.contains("<title>Errors &lt; 1 mm</title>"));
//! assert!(page.contains("<td>sdirk2</td><td>0.00015</td>"));
//! ```

pub mod compare;
mod modal_energy;
pub mod modes;
pub mod page;
pub mod papers;
pub mod player;
pub mod run;
