//! HTML pages: one file each, opened without a network.
//!
//! [`run`] writes `report.html` of a run, [`compare`] the page of a comparison, [`papers`] that of reproduced results.

pub mod compare;
pub mod page;
pub mod papers;
pub mod run;
