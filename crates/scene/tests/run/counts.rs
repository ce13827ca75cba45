//! Counts of iterations, factorizations and solves per step.

use march::{Counts, methods};

use super::{shaken, simulation};

/// Returns the counts of a few steps after the first, which also factors the mass matrix. Damping is frozen, as implicit
/// damping takes additional iterations.
fn reports(text: &str, steps: usize) -> Vec<Counts> {
    let text = text.replace("stiffness = 1e-4", "stiffness = 1e-4, rate = \"frozen\"");
    reports_as_written(&text, steps)
}

/// Returns the counts of a few steps after the first, with the damping of the scene.
fn reports_as_written(text: &str, steps: usize) -> Vec<Counts> {
    let text = format!("{text}\n[solver]\nfactors = \"each-step\"\n");
    let mut sim = simulation(&text);
    let mut take = || {
        sim.step().unwrap();
        sim.row().work
    };
    take();
    (0..steps).map(|_| take()).collect()
}

/// Methods with Newton iterations on sparse matrices: implicit, not of Rosenbrock type and without modes.
fn newton_methods() -> impl Iterator<Item = String> {
    let own = |name: &str| name.ends_with("dirk") || name.ends_with("rosenbrock");
    methods::names().into_iter().filter(move |name| {
        let method = methods::find(name).unwrap().method;
        method.is_implicit()
            && !matches!(
                method.family,
                methods::Family::Rosenbrock(_) | methods::Family::Additive(..)
            )
            && !own(name)
    })
}

#[test]
fn an_iteration_is_one_solve_with_factors_shared_by_all_stages() {
    for name in newton_methods() {
        for law in ["linear", "corotated-frozen", "stable-neo-hookean"] {
            let text = shaken(&format!("\"{name}\""))
                .replace("stable-neo-hookean", law)
                .replace("step = 0.001", "step = 0.01");
            for r in reports(&text, 4) {
                let case = format!("{name}, {law}: {r:?}");
                assert_eq!(r.assemblies, r.factorizations, "{case}");
                let semi = name.starts_with("s-") || name == "semi-implicit";
                match (semi, law) {
                    (true, _) => assert_eq!(r.factorizations, r.newton, "{case}"),
                    (false, "stable-neo-hookean") => {
                        assert!(r.factorizations < r.newton, "{case}")
                    }
                    // Only the two stages of Bathe's method have different matrices.
                    _ if name == "tr-bdf2-bathe" => assert_eq!(r.factorizations, 2, "{case}"),
                    _ => assert_eq!(r.factorizations, 1, "{case}"),
                }
                assert_eq!((r.projections, r.backtracks), (0, 0), "{case}");
                // Explicit stages solve with the mass matrix, whose factor is cached.
                assert!(r.solves >= r.newton && r.solves <= r.newton + 2, "{case}");
                if law != "stable-neo-hookean" || semi {
                    assert_eq!(
                        r.newton, r.stages,
                        "{case}: a linear stage takes one iteration"
                    );
                } else {
                    assert!(
                        r.newton > r.stages,
                        "{case}: a nonlinear stage to 1e-8 takes more than one"
                    );
                }
            }
        }
    }
}

/// Updates of implicit damping reuse the factors: a stage takes a few more solves and no factorization.
#[test]
fn implicit_damping_adds_solves_but_no_factorizations() {
    for name in ["backward-euler", "sdirk2", "newmark", "s-sdirk2", "rodas4"] {
        let text = shaken(&format!("\"{name}\"")).replace("step = 0.001", "step = 0.01");
        let (frozen, implicit) = (reports(&text, 4), reports_as_written(&text, 4));
        for (frozen, implicit) in frozen.iter().zip(&implicit) {
            let case = format!("{name}: {implicit:?} instead of {frozen:?}");
            assert_eq!(implicit.factorizations, frozen.factorizations, "{case}");
            assert_eq!(implicit.projections, 0, "{case}");
            assert!(
                implicit.solves <= frozen.solves + 8 * implicit.stages,
                "{case}"
            );
        }
    }
}

#[test]
fn rosenbrock_methods_factor_once_a_step() {
    let rosenbrock = methods::METHODS.iter().filter_map(|m| match m.family {
        methods::Family::Rosenbrock(table) => Some((m.name, table.m.len() as u64)),
        _ => None,
    });
    let mut seen = 0;
    for (name, stages) in rosenbrock {
        for r in reports(&shaken(&format!("\"{name}\"")), 3) {
            assert_eq!((r.assemblies, r.factorizations), (1, 1), "{name}: {r:?}");
            assert_eq!((r.solves, r.newton), (stages, 0), "{name}: {r:?}");
        }
        seen += 1;
    }
    assert!(seen >= 6);
}

#[test]
fn explicit_methods_factor_nothing_after_the_first_step() {
    let forces = [
        ("forward-euler", 1),
        ("symplectic-euler", 1),
        ("explicit-midpoint", 2),
        ("rk4", 4),
    ];
    for (name, forces) in forces {
        for r in reports(&shaken(&format!("\"{name}\"")), 3) {
            let wanted = Counts {
                forces,
                solves: forces,
                ..Counts::default()
            };
            assert_eq!(r, wanted, "{name}");
        }
    }
}
