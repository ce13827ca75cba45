//! The page of a modal analysis: frequencies, participation, effective masses and moving pictures of the modes.

use scene::modal_analysis::ModalAnalysis;

use crate::page::{Cell, Table, charts, document, escaped, number, picture};

/// Returns the page. `pictures` holds the number of a mode, counted from 0, and its picture as a `data:` URL.
pub fn page(title: &str, analysis: &ModalAnalysis, pictures: &[(usize, String)]) -> String {
    let mut body = format!(
        "<h1>Modes of {}</h1>\n<p>{} lowest modes of small vibrations about the initial state. \
         {} factorization, {} solves.</p>\n",
        escaped(title),
        analysis.modes.len(),
        analysis.factorizations,
        analysis.solves
    );
    body += &table(analysis);
    let [x, y, z] = analysis.moving_mass.map(number);
    body += &format!(
        "<p>Effective mass: Γ² with the participation factor Γ = xᵀM d of a mode x with xᵀM x = 1 in a translation d. \
         Over all modes the sums are the masses of the moving nodes, {x} kg, {y} kg and {z} kg along x, y and z.</p>\n"
    );
    let figures: String = pictures
        .iter()
        .map(|(i, data)| {
            let mode = &analysis.modes[*i].description;
            let caption = format!("Mode {}: {} Hz, {mode}", i + 1, number(mode.hz));
            picture(data, &caption)
        })
        .collect();
    body += &charts(&figures);
    document(&format!("Modes of {title}"), &body)
}

fn table(analysis: &ModalAnalysis) -> String {
    let mut table = Table::new().headings(&[
        "mode",
        "frequency,\nHz",
        "shape",
        "effective mass\nalong x, kg",
        "along y,\nkg",
        "along z,\nkg",
        "residual",
    ]);
    let mut sums = [0.0; 3];
    for (i, mode) in analysis.modes.iter().enumerate() {
        let mass = mode.effective_mass();
        sums.iter_mut().zip(mass).for_each(|(s, m)| *s += m);
        let start = [
            Cell::text(i + 1),
            Cell::text(number(mode.description.hz)),
            Cell::text(&mode.description),
        ];
        let masses = mass.map(|m| Cell::text(number(m)));
        let end = [Cell::text(format_args!("{:.1e}", mode.residual))];
        table.row(start.into_iter().chain(masses).chain(end));
    }
    let share = |k: usize| match analysis.moving_mass[k] > 0.0 {
        true => format!("{:.1} %", 100.0 * sums[k] / analysis.moving_mass[k]),
        false => String::new(),
    };
    let start = ["sum", "", ""].map(Cell::text);
    let shares = [0, 1, 2].map(|k| Cell::text(share(k)));
    table.row(start.into_iter().chain(shares).chain([Cell::text("")]));
    table.html()
}
