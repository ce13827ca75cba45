//! A rejected attempt leaves no trace: state, ledger, history of the method, internal variables of the system, kept
//! factors and counts are those of a run without rejections, to the bit.

mod common;

use common::case::{Case, cases, coin_veto};
use common::elastoplastic::ElastoplasticChain;
use common::history_check::HistoryCheck;
use common::{Random, Record, Wrapper, assert_same, take_step, take_steps};
use march::control::ControlMemory;
use march::methods::{Family, MethodChoice};
use march::{
    Accuracy, Backend, Counts, FactorLifetime, HessianProjection, MethodMemory, Newton, Options,
    Prefix, State, StepError, TimeLoop, TimeLoopState,
};
use problems::Chain;

/// Counts the refactorizations of steps after repeated attempts of the same length; the other work of a rejected
/// attempt must be that of the accepted one.
fn refactorizations(records: &[Record], case: &Case) -> u64 {
    let refactorizations = |Record { step, .. }: &Record| {
        let mut repeated = Counts::default();
        (0..step.rejected).for_each(|_| repeated.add(&step.report.counts));
        let made = step.rejected_work.factorizations - repeated.factorizations;
        let mut explained = repeated;
        explained.factorizations += made;
        assert_eq!(step.rejected_work, explained, "{case}");
        assert!(made <= step.rejected, "{case}: {step:?}");
        made
    };
    records.iter().map(refactorizations).sum()
}

fn rejected(records: &[Record]) -> u64 {
    records.iter().map(|r| r.step.rejected).sum()
}

/// The forced chain and its exact state at the start.
fn forced() -> (Chain, State) {
    let chain = Chain::forced();
    let start = chain.exact(0.0);
    (chain, start)
}

/// The forced chain away from its exact motion, with much energy in its stiffest mode.
fn rough() -> (Chain, State) {
    let (chain, mut start) = forced();
    start.u = vec![1.0, -1.0, 1.0];
    (chain, start)
}

/// A chain with an internal variable, and its state at the start.
fn elastoplastic() -> (ElastoplasticChain, State) {
    let (chain, start) = forced();
    (ElastoplasticChain::new(chain), start)
}

#[test]
fn vetoed_attempts_leave_no_trace() {
    let (chain, start) = forced();
    for case in cases(Newton::Minimise, Options::default(), 0.05, 40) {
        let vetoed = case.vetoed(&chain, &start);
        assert_same(&case.plain(&chain, &start), &vetoed, &case);
        refactorizations(&vetoed, &case);
        assert!(rejected(&vetoed) > 20, "{case}");
    }
}

#[test]
fn vetoed_attempts_leave_no_trace_in_a_backward_euler_start() {
    let (chain, start) = rough();
    let cases = cases(Newton::Minimise, Options::default(), 0.05, 40);
    for case in cases.filter(|case| case.wrapper == Wrapper::Startup) {
        let plain = case.plain(&chain, &start);
        let unsettled =
            |r: &&Record| matches!(r.after.method, MethodMemory::Startup { settled: false, .. });
        let start_steps = plain.iter().filter(unsettled).count();
        assert!((3..30).contains(&start_steps), "{case}: {start_steps}");
        let vetoed = case.vetoed(&chain, &start);
        assert_same(&plain, &vetoed, &case);
        assert!(vetoed[..start_steps].iter().any(|r| r.step.rejected > 0));
    }
}

/// At short steps factors are reused over steps. An attempt that begins with such factors and computes others is
/// repeated with the first ones, which have to be recomputed.
#[test]
fn vetoed_attempts_leave_no_trace_in_factors_of_earlier_steps() {
    let (chain, start) = forced();
    let (mut carried, mut refactored) = (0, 0);
    for case in cases(Newton::Minimise, Options::default(), 0.005, 40) {
        let plain = case.plain(&chain, &start);
        let vetoed = case.vetoed(&chain, &start);
        assert_same(&plain, &vetoed, &case);
        carried += plain.iter().filter(|r| r.began_with_factors).count();
        refactored += refactorizations(&vetoed, &case);
    }
    assert!(carried > 1000, "{carried} steps began with kept factors");
    assert!(refactored > 10, "{refactored} refactorizations");
}

/// A rejected attempt of another length needs other matrices, and BDF2 other coefficients.
#[test]
fn attempts_of_other_lengths_leave_no_trace() {
    let (chain, start) = forced();
    for h in [0.05, 0.005] {
        for case in cases(Newton::Minimise, Options::default(), h, 40) {
            let rejecting = case.after_trials(&chain, &start);
            assert_same(&case.plain(&chain, &start), &rejecting, &case);
            assert!(rejected(&rejecting) > 10, "{case}");
        }
    }
}

/// On linear forces one matrix suffices for all steps: those of other lengths are factored in vain, and then that of
/// the first step once more.
#[test]
fn kept_factors_are_recomputed_once() {
    let linear = Chain::forced().cubic(0.0, 0.0);
    let start = linear.exact(0.0);
    for case in cases(Newton::Minimise, Options::default(), 0.05, 40) {
        let ours = ["backward-euler", "implicit-midpoint", "sdirk2", "sdirk3"];
        if case.wrapper != Wrapper::Plain || !ours.contains(&case.choice.name().as_str()) {
            continue;
        }
        let rejecting = case.after_trials(&linear, &start);
        for Record { step, .. } in &rejecting[1..] {
            let again = u64::from(step.rejected > 0);
            assert_eq!(step.report.counts.factorizations, 0, "{case}");
            let in_vain = step.rejected_work.factorizations;
            assert_eq!(in_vain, step.rejected + again, "{case}: {step:?}");
        }
        assert!(rejecting.iter().any(|r| r.step.rejected > 1), "{case}");
    }
}

#[test]
fn rejections_leave_no_trace_with_other_settings() {
    let (chain, start) = forced();
    let default = Options::default();
    let accuracy = Accuracy {
        share: 0.01,
        order: 2,
    };
    let settings = [
        (Newton::Residual, default),
        (Newton::LeastSquares, default),
        (
            Newton::Minimise,
            Options {
                factor_lifetime: FactorLifetime::WithinStep,
                ..default
            },
        ),
        (
            Newton::Minimise,
            Options {
                projection: HessianProjection::Always,
                ..default
            },
        ),
        (
            Newton::Minimise,
            Options {
                to_roundoff: true,
                ..default
            },
        ),
        (
            Newton::Minimise,
            Options {
                accuracy: Some(accuracy),
                ..default
            },
        ),
        (
            Newton::Minimise,
            Options {
                linear: Backend::Cg,
                ..default
            },
        ),
        (
            Newton::Minimise,
            Options {
                linear: Backend::Lu,
                ..default
            },
        ),
    ];
    for (newton, options) in settings {
        for case in cases(newton, options, 0.02, 20) {
            let plain = case.plain(&chain, &start);
            assert_same(&plain, &case.vetoed(&chain, &start), &case);
            let rejecting = case.after_trials(&chain, &start);
            assert_same(&plain, &rejecting, &case);
        }
    }
}

#[test]
fn rejections_leave_no_trace_in_local_global_iterations() {
    let (system, start) = elastoplastic();
    let newton = Newton::LocalGlobal { iterations: 6 };
    for case in cases(newton, Options::default(), 0.05, 40) {
        let plain = case.plain(&system, &start);
        let MethodChoice { method, prefix } = case.choice;
        let own_stages = matches!(method.family, Family::Rosenbrock(_) | Family::Additive(..));
        if case.wrapper == Wrapper::Plain && prefix == Prefix::Full {
            let residual = |r: &Record| r.step.report.local_global_residual;
            let iterates = plain.iter().all(|r| residual(r) > 0.0);
            assert_eq!(iterates, method.is_implicit() && !own_stages, "{case}");
        }
        assert_same(&plain, &case.vetoed(&system, &start), &case);
        let rejecting = case.after_trials(&system, &start);
        assert_same(&plain, &rejecting, &case);
    }
}

/// Takes the steps of a run from step `from` on; before some of them, but not before the first, the user stretches the
/// spring. Returns each step with the state it began from.
fn run_with_interaction(
    case: &Case,
    from: u32,
    time: &mut TimeLoop,
    system: &mut ElastoplasticChain,
) -> Vec<(TimeLoopState, Record)> {
    let step = |k| {
        if k > from && k % 5 == 3 {
            system.plastic += 0.1;
            time.book_disturbance(system);
        }
        let before = time.save(system);
        Some((before, take_step(time, system, case.end())?))
    };
    (from..case.steps).map_while(step).collect()
}

/// The chain with an internal variable, reporting changes and damping velocities after every step.
fn interfering() -> (ElastoplasticChain, State) {
    let (mut system, start) = elastoplastic();
    (system.announces_changes, system.velocity_damping) = (true, 0.3);
    (system, start)
}

#[test]
fn rejections_leave_no_trace_with_user_interaction() {
    let (system, start) = interfering();
    let run = |case: &Case, veto| {
        let mut system = system.clone();
        let mut time = case.time(&mut system, &start);
        time.set_veto(veto);
        let steps = run_with_interaction(case, 0, &mut time, &mut system);
        steps.into_iter().map(|s| s.1).collect::<Vec<_>>()
    };
    for h in [0.05, 0.005] {
        for case in cases(Newton::Minimise, Options::default(), h, 20) {
            let plain = run(&case, None);
            assert_eq!(plain.len(), 20, "{case}");
            assert!(plain[3].step.entry.work.abs() > 0.01, "{case}");
            assert!(plain.iter().all(|r| r.step.entry.damping < 0.0), "{case}");
            assert_same(&plain, &run(&case, Some(coin_veto())), &case);
            let undisturbed = case.plain(&system, &start);
            assert_same(&undisturbed, &case.after_trials(&system, &start), &case);
        }
    }
}

/// Steps that fail because the system blocks every path. They drop kept factors, so none are kept here.
#[test]
fn failed_steps_leave_no_trace() {
    let (system, start) = elastoplastic();
    let own_factors = Options {
        factor_lifetime: FactorLifetime::WithinStep,
        ..Options::default()
    };
    for case in cases(Newton::Minimise, own_factors, 0.05, 20) {
        let mut random = Random::new(11);
        let mut failing = system.clone();
        let mut time = case.time(&mut failing, &start);
        let mut records = Vec::new();
        while records.len() < case.steps as usize {
            if random.coin() {
                let before = format!("{:?}", time.save(&failing));
                failing.blocks_paths = true;
                let failure = time.step(&mut failing, case.end()).unwrap_err();
                failing.blocks_paths = false;
                let blocked = matches!(
                    failure.why,
                    StepError::ForbiddenEnd { .. }
                        | StepError::ForbiddenStage { .. }
                        | StepError::Newton { .. }
                );
                assert!(blocked, "{case}: {}", failure.why);
                assert_eq!((failure.h, failure.rejected), (case.h, 1), "{case}");
                // With the force of the previous step, this method is blocked before it evaluates any.
                let free_of_charge = case.choice.name() == "central-difference";
                assert!(failure.rejected_work.forces > 0 || free_of_charge, "{case}");
                assert!(format!("{:?}", time.save(&failing)) == before, "{case}");
            }
            records.extend(take_step(&mut time, &mut failing, case.end()));
        }
        assert_same(&case.plain(&system, &start), &records, &case);
    }
}

#[test]
fn internal_variables_are_changed_by_accepted_steps_only() {
    let (system, start) = elastoplastic();
    for case in cases(Newton::Minimise, Options::default(), 0.05, 12) {
        let plain = case.plain(&system, &start);
        let mut yields: Vec<_> = plain.iter().map(|r| &r.after.system).collect();
        yields.dedup();
        assert!(yields.len() > 3, "{case}: the spring hardly yields");
        let stepper = Box::new(HistoryCheck::new(case.stepper()));
        let mut vetoed = system.clone();
        let mut time = case.time_of(stepper, &mut vetoed, &start);
        time.set_veto(Some(coin_veto()));
        let records = take_steps(&mut time, &mut vetoed, case.end());
        assert!(rejected(&records) > 3, "{case}");
        assert_same(&plain, &records, &case);
    }
}

/// At 0.05 s most steps compute their own factors, at 0.005 s most begin with those of earlier steps.
#[test]
fn a_run_resumed_at_any_step_continues_to_the_bit() {
    let [still, busy] = [elastoplastic(), interfering()];
    let mut carried = 0;
    for (h, (system, start)) in [(0.05, &still), (0.005, &still), (0.005, &busy)] {
        for case in cases(Newton::Minimise, Options::default(), h, 12) {
            let mut continued = system.clone();
            let mut time = case.time(&mut continued, start);
            let run = run_with_interaction(&case, 0, &mut time, &mut continued);
            let (saved, plain): (Vec<_>, Vec<_>) = run.into_iter().unzip();
            for (k, saved) in saved.iter().enumerate() {
                carried += u32::from(!saved.solver.factors.is_empty());
                let mut resumed = system.clone();
                let mut fresh = case.time(&mut resumed, start);
                // In a new time loop and system, and in those that continued.
                for (time, system) in [(&mut fresh, &mut resumed), (&mut time, &mut continued)] {
                    fail_a_longer_step(&case, time, system);
                    time.restore(system, saved).unwrap();
                    let again = format!("{:?}", time.save(system));
                    assert!(again == format!("{saved:?}"), "{case}, step {k}: {again}");
                    let records = run_with_interaction(&case, k as u32, time, system);
                    let records: Vec<_> = records.into_iter().map(|s| s.1).collect();
                    assert_same(&plain[k..], &records, &format!("{case} from step {k}"));
                    let in_vain = |r: &Record| r.step.rejected_work != Counts::default();
                    assert!(!records.iter().any(in_vain), "{case} from step {k}");
                }
            }
        }
    }
    assert!(
        carried > 1000,
        "{carried} states were saved with kept factors"
    );
}

/// Leaves a time loop after a failed step of another length.
fn fail_a_longer_step(case: &Case, time: &mut TimeLoop, system: &mut ElastoplasticChain) {
    time.set_step(1.7 * case.h);
    system.blocks_paths = true;
    time.step(system, 2.0 * case.end()).unwrap_err();
    system.blocks_paths = false;
}

/// Changes a saved state so that it no longer fits.
type Change = fn(&mut TimeLoopState);

#[test]
fn a_state_of_another_run_is_refused() {
    let (mut system, start) = elastoplastic();
    let mut cases = cases(Newton::Minimise, Options::default(), 0.005, 12);
    let case = cases.find(|c| c.choice.name() == "bdf2").unwrap();
    let with_factors = |records: Vec<Record>| {
        let mut saved = records.into_iter().map(|r| r.after);
        saved.rfind(|s| !s.solver.factors.is_empty()).unwrap()
    };
    let saved = with_factors(case.plain(&system, &start));
    let mut time = case.time(&mut system, &start);
    time.restore(&mut system, &saved).unwrap();
    let refused = |other: &TimeLoopState| {
        let (mut system, start) = elastoplastic();
        let mut time = case.time(&mut system, &start);
        time.restore(&mut system, other).unwrap_err().to_string()
    };
    let changes: [(&str, Change); 5] = [
        ("state", |s| s.state.u.push(0.0)),
        ("state", |s| s.previous.v.clear()),
        ("history of the system", |s| s.system.push(0)),
        ("history of the method", |s| {
            s.method = MethodMemory::Acceleration(vec![0.0; 3]);
        }),
        ("memory of the step control", |s| {
            s.control = ControlMemory::Halving {
                origin: 0.0,
                step: 0.01,
                level: 0,
                parts_done: 0,
            };
        }),
    ];
    for (part, change) in changes {
        let mut other = saved.clone();
        change(&mut other);
        assert_eq!(refused(&other), format!("the {part} does not fit"));
    }
    let longer = Chain::new(4);
    let start = State {
        t: 0.0,
        u: vec![0.1; 4],
        v: vec![0.2, 0.0, -0.3, 0.1],
    };
    let other = TimeLoopState {
        solver: with_factors(case.plain(&longer, &start)).solver,
        ..saved
    };
    assert_eq!(refused(&other), "the kept matrix does not fit");
}
