//! The registry of all results.

use scene::spec::suggestion;

use crate::results as r;
use crate::{Finding, Job, PaperError};

/// A table, figure or claim of a paper with the function that reproduces it.
pub struct Reproduction {
    /// The id on the command line: the number of the paper, then the result.
    pub id: &'static str,
    /// The title, one line.
    pub title: &'static str,
    /// The function that computes the result.
    pub compute: fn(&Job) -> Result<Finding, PaperError>,
}

/// Creates an entry of the registry.
const fn result(
    id: &'static str,
    title: &'static str,
    compute: fn(&Job) -> Result<Finding, PaperError>,
) -> Reproduction {
    Reproduction { id, title, compute }
}

/// All results, in the order of the papers.
#[rustfmt::skip]
pub static RESULTS: &[Reproduction] = &[
    result("000-fig3", "beam: energy over 200 s at 33 and 5 ms, nine methods (Fig. 3)", r::beam_energy::compute),
    result("000-fig4", "beam: energy error after 10 s against the step (Fig. 4)", r::beam_steps::compute),
    result("000-beam-orders", "beam: orders of convergence, and where they drop (sec. 5.3)", r::beam_orders::compute),
    result("000-long-runs", "beam: 200 s with every L-stable method (sec. 5.3)", r::long_runs::compute),
    result("000-ros3prl2", "ROS3PRL2, which the authors could not get stable (sec. 5.2)", r::ros3prl2::compute),
    result("000-table1-jello", "jello: Newton iterations and cost (Table 1, Fig. 5)", r::jello::compute),
    result("000-table1-cloth", "cloth: Newton iterations and cost (Table 1, Fig. 6)", r::cloth::compute),
    result("000-cloth-damping", "cloth with and without Rayleigh damping (sec. 5.3)", r::cloth_damping::compute),
    result("000-tr-bdf2-caching", "TR-BDF2(B): savings of caching its explicit first stage (sec. 5.3)", r::first_stage_caching::compute),
    result("000-fig7", "a body with scattered vertices recovers (sec. 5.3, Fig. 7), and the open problem with nonlinear materials", r::extreme_deformation::compute),
    result("000-fig8", "bouncing ball: energy with the corrector, as printed and our variants (Fig. 8)", r::corrected_ball::compute),
    result("000-armadillo", "balls thrown at a suspended body (sec. 5.5, Table 1)", r::thrown_balls::compute),
    result("000-ducks", "many bodies fall through trampolines (sec. 5.5, Fig. 1)", r::trampolines::compute),
    result("001-fig1", "hardening spring: five step-size controls, at equal steps and at equal linear solves (Fig. 1)", r::spring_control::compute),
    result("001-constants", "force-error control: safety factor, Newmark's factor, order of the estimate, exponents (eqs. 8-14)", r::force_error_rule::compute),
    result("001-cloth", "pinned and falling sheet: seven step-size controls at equal linear solves (sec. 4)", r::sheet_step_control::compute),
    result("001-fig2", "brittle blocks dropped and struck: fixed against adaptive steps at two frames (Fig. 2)", r::brittle_blocks::compute),
    result("001-cg", "conjugate gradients on peridynamic bonds: iterations against the step (sec. 4)", r::bond_solver::compute),
    result("002-stiff-equation", "stability limits of explicit and implicit Euler in closed form (secs. 2, 3)", r::stiff_equation::compute),
    result("002-implicit-step", "the n x n implicit step and its time derivative (eqs. 4-5, 4-6)", r::implicit_step::compute),
    result("003-fig3", "damping and frequency error against step times frequency (Fig. 3)", r::damping_curves::compute),
    result("003-example2", "a stiff start that stops DIRK methods with a trapezoidal stage (Example 2)", r::example2::compute),
    result("003-alpha", "generalized-alpha's damping curves against a mixture of trapezoid and BDF2 (sec. 3.4)", r::alpha_mixture::compute),
    result("003-fig4", "cost of ERE and SIERE against stiffness (Fig. 4)", r::exponential_cost::compute),
    result("003-fig5", "the lowest eigenvalues of a soft body (Fig. 5)", r::soft_spectrum::compute),
    result("003-fig6", "soft clamped beam: energy under exponential and other methods (Fig. 6)", r::soft_beam_energy::compute),
    result("003-refresh", "how often the modes of SIERE must be computed (sec. 4)", r::mode_refresh::compute),
    result("003-tree", "a tree sways in the wind under SIERE and others (Fig. 1, sec. 3.5)", r::swaying_tree::compute),
    result("003-fig7", "velocity constraints reject valid steps over convex obstacles (Fig. 7)", r::velocity_constraints::compute),
    result("003-fig8", "the barrier for several delta, and gaps at rest (Fig. 8)", r::barrier_curves::compute),
    result("003-fig9", "smoothed Coulomb friction, and the creep of sticking bodies (Fig. 9)", r::smoothed_friction::compute),
    result("003-minimise", "the minimiser is the root (eqs. 13, 14)", r::minimise::compute),
    result("004-fig1", "a falling cloth under the energy multiplier gets stuck (Fig. 1)", r::energy_multiplier::compute),
    result("004-fig7", "a scattered cactus under energy tracking and under the midpoint rule (Fig. 7)", r::cactus::compute),
    result("004-fig2", "a stiff spring under implicit midpoint, with and without energy tracking (Figs. 2, 3)", r::squared_spring::compute),
    result("004-fig6", "blend share alpha over time, with implicit midpoint and with symplectic Euler (Fig. 6)", r::blend_share::compute),
    result("004-projection", "blending against energy projection of velocities (secs. 2, 5, Fig. 5)", r::velocity_projection::compute),
    result("004-appendix-ab", "forward Euler never loses, backward Euler never gains energy in convex potentials (Apps. A, B)", r::convex_potentials::compute),
    result("004-appendix-c", "backward Euler between two springs: beta, the bound of Theorem 1, a step that gains energy (App. C)", r::two_springs::compute),
    result("004-fig5", "spinning cube: energy and angular momentum under five integrators (Figs. 4, 5)", r::spinning_cube::compute),
    result("004-fig8", "bar stretching under gravity: return to the start after each bounce (Fig. 8)", r::bar_bounce::compute),
    result("004-fig9", "a body pinned at its ears swings (Fig. 9)", r::swing::compute),
    result("004-fig10", "mass-spring cloth shaken by a corner: wrinkles (Fig. 10)", r::shaken_cloth::compute),
    result("004-fig11", "a nose pulled out and released (Fig. 11)", r::nose::compute),
    result("004-fig12", "energy tracking with a loose tolerance: epsilon 0.5 against 0.01 (Fig. 12)", r::loose_tracking::compute),
    result("004-fig13", "a figure collides with four spheres, and the midpoint rule with substeps (Fig. 13)", r::figure_on_spheres::compute),
    result("004-fig14", "a figure slides along a plane, with and without friction (Fig. 14)", r::sliding_figure::compute),
    result("004-fig15", "a cube falls on spheres: energy tracking against backward Euler (Fig. 15)", r::cube_on_spheres::compute),
    result("004-fig16", "high-frequency oscillation of a horn, and remedies (Fig. 16)", r::horns::compute),
    result("004-table1", "cost of energy tracking compared with backward Euler (Table 1)", r::tracking_cost::compute),
    result("004-table2", "energy tracking against midpoint with substeps (Table 2)", r::substeps::compute),
];

/// Returns the result with this id, or an error that suggests a similar one.
pub fn find(id: &str) -> Result<&'static Reproduction, PaperError> {
    RESULTS
        .iter()
        .find(|r| r.id == id)
        .ok_or_else(|| PaperError::UnknownResult {
            id: id.into(),
            suggestion: suggestion(id, RESULTS.iter().map(|r| r.id)),
        })
}
