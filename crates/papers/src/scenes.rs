//! The scenes of [Löschner et al. 2020].

use scene::session::Session;

pub use claims::runs::{
    RunSettings, format_milliseconds, log_log_slope, open_scene, run_recorded, stepper,
    take_one_step, total_mass,
};

use crate::{PaperError, Size};

/// The double-clamped beam [Löschner et al. 2020, Fig. 2].
pub const BEAM: &str = include_str!("../scenes/beam.toml");
/// The jello [Löschner et al. 2020, Fig. 5].
pub const JELLO: &str = include_str!("../scenes/jello.toml");
/// A body with scattered vertices [Löschner et al. 2020, sec. 5.3].
pub const SCATTERED: &str = include_str!("../scenes/scattered.toml");
/// A cactus with scattered vertices [Dinev et al. 2018, Fig. 7].
pub const CACTUS: &str = include_str!("../scenes/cactus.toml");

/// A tree in the wind [Ascher et al. 2021, Fig. 1].
pub const TREE: &str = include_str!("../scenes/tree.toml");

/// The thick cloth [Löschner et al. 2020, Fig. 6].
pub const CLOTH: &str = include_str!("../scenes/cloth.toml");

/// The methods of [Löschner et al. 2020, Figs. 3 and 4].
pub const BEAM_METHODS: [&str; 9] = [
    "backward-euler",
    "sdirk2",
    "sdirk3",
    "tr-bdf2-bathe",
    "sdirk-ncs23",
    "sdirk-nc34",
    "sdirk-3345",
    "sdirk-4347",
    "ros3pl",
];

/// Returns the number of cells of the beam: those of the paper, or one element thick for quick results.
pub fn beam_cells(size: Size) -> [usize; 3] {
    size.pick([8, 1, 1], [32, 4, 4])
}

/// Opens the beam with a method, step and Newton tolerance.
pub fn open_beam(size: Size, pace: &RunSettings, tolerance: f64) -> Result<Session, PaperError> {
    let mut set = vec![
        (
            "body.beam.mesh.box.cells",
            format!("{:?}", beam_cells(size)),
        ),
        ("solver.tolerance", format!("{tolerance:?}")),
    ];
    set.extend(pace.keys());
    open_scene(BEAM, &set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_beam_has_512_elements() {
        let pace = RunSettings {
            method: "sdirk2",
            step: 0.005,
            until: 1.0,
        };
        let sim = open_beam(Size::Full, &pace, 1e-8).unwrap();
        assert_eq!(sim.model.nodes(), 33 * 5 * 5);
        assert!((total_mass(&sim) - 8000.0).abs() < 1e-6);
    }
}
