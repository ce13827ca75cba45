//! Handles, pushes, changes of step and method, dense output and observers, compared with closed forms.

use std::io;

use scene::observe::Observer;
use scene::session::{Flow, InteractionError, Session};

use super::{particle, session};

/// Moving the end of a handle of stiffness k by d does the work k d²/2; the particle oscillates with that energy, and
/// releasing the handle removes the energy of the spring.
#[test]
fn the_work_of_a_handle_is_booked() {
    let mut s = particle("implicit-midpoint");
    let (k, d) = (50.0, 0.2);
    let handle = s.grab(0, k).unwrap();
    s.step().unwrap();
    assert_eq!(
        s.energies().total(),
        0.0,
        "a handle where the node is does no work"
    );
    s.move_handle(handle, [d, 0.0, 0.0]).unwrap();
    let work = 0.5 * k * d * d;
    assert!((s.energies().strain - work).abs() < 1e-15);
    let row = *s.step().unwrap();
    assert!((row.entry.work - work).abs() < 1e-14, "{:?}", row.entry);
    assert!((row.entry.change - work).abs() < 1e-14);
    let (mut most, mut booked) = (0.0_f64, row.entry.work);
    for _ in 0..200 {
        let row = *s.step().unwrap();
        // The midpoint rule keeps the energy of a linear spring.
        assert!((row.energies.total() - work).abs() < 1e-13);
        booked += row.entry.work;
        most = most.max(s.positions()[0][0]);
    }
    assert!(
        (booked - work).abs() < 1e-13,
        "a handle at rest does no work"
    );
    assert!(
        (most - 2.0 * d).abs() < 1e-3,
        "it swings about its target: {most}"
    );
    let (kinetic, stored) = (s.energies().kinetic, s.energies().strain);
    s.release(handle).unwrap();
    let row = *s.step().unwrap();
    assert!((row.entry.work + stored).abs() < 1e-13);
    assert!((row.energies.total() - kinetic).abs() < 1e-13);
    assert_eq!(s.release(handle), Err(InteractionError::Released));
}

/// A force F on a mass m for a time T does the work F² T²/(2 m).
#[test]
fn the_work_of_a_push_is_booked() {
    let mut s = particle("sdirk2");
    s.push(0, [0.0, 3.0, 0.0]).unwrap();
    s.run_until(0.5, &mut |_, _| Flow::On).unwrap();
    let work = (3.0 * 0.5_f64).powi(2) / (2.0 * 2.0);
    assert!((s.energies().kinetic - work).abs() < 1e-12);
    assert!((s.totals().ledger.work - work).abs() < 1e-12);
    s.push(0, [0.0; 3]).unwrap();
    s.step().unwrap();
    assert!(
        (s.energies().kinetic - work).abs() < 1e-12,
        "the push has ended"
    );
    assert!((s.velocities()[0][1] - 0.75).abs() < 1e-12);
}

/// A change of gravity changes the potential energy, which is booked as work.
#[test]
fn a_change_of_gravity_is_booked_as_work() {
    let mut s = particle("implicit-midpoint");
    s.set_gravity([0.0, -9.81, 0.0]).unwrap();
    s.run_until(0.3, &mut |_, _| Flow::On).unwrap();
    let y = s.positions()[0][1];
    assert!((y + 0.5 * 9.81 * 0.09).abs() < 1e-12, "{y}");
    let before = s.energies().total();
    s.set_gravity([0.0; 3]).unwrap();
    let row = *s.step().unwrap();
    // 2 kg at height y lose their potential energy m g y, which is negative.
    assert!(
        (row.entry.work + 2.0 * 9.81 * y).abs() < 1e-12,
        "{:?}",
        row.entry
    );
    assert!((row.energies.total() - before - row.entry.work).abs() < 1e-12);
    assert!(row.entry.numerical.abs() < 1e-12);
}

/// Within a step free fall is a parabola, which the cubic interpolation reproduces.
#[test]
fn dense_output_of_free_fall_is_exact() {
    let mut s = particle("implicit-midpoint");
    s.set_gravity([0.0, -10.0, 0.0]).unwrap();
    s.run_until(0.05, &mut |_, _| Flow::On).unwrap();
    for t in [0.04, 0.0425, 0.047, 0.05] {
        let y = s.positions_at(t)[0][1];
        assert!((y + 5.0 * t * t).abs() < 1e-14, "{t}: {y}");
        assert!((s.state_at(t).v[1] + 10.0 * t).abs() < 1e-12);
    }
    assert_eq!(s.state_at(99.0), *s.state(), "beyond the end it is the end");
    assert_eq!(
        s.state_at(0.0).u,
        s.previous().u,
        "before the start it is the start"
    );
}

/// A new step length starts a new time grid; a new method continues from the same state.
#[test]
fn step_and_method_can_change_during_a_run() {
    let mut s = particle("bdf2");
    s.set_gravity([0.0, -10.0, 0.0]).unwrap();
    let mut times = Vec::new();
    s.run_until(0.03, &mut |s, row| {
        times.push(row.t);
        assert_eq!(row.t, s.t());
        Flow::On
    })
    .unwrap();
    s.set_step(0.004).unwrap();
    s.set_method("sdirk2").unwrap();
    assert_eq!(s.method.name(), "sdirk2");
    s.run_until(0.04, &mut |_, row| {
        times.push(row.t);
        Flow::On
    })
    .unwrap();
    assert_eq!(
        times,
        [0.01, 0.02, 0.03, 0.03 + 0.004, 0.03 + 2.0 * 0.004, 0.04]
    );
    let y = s.positions()[0][1];
    assert!((y + 5.0 * 0.04 * 0.04).abs() < 1e-13, "{y}");
    let stopped = s.run_until(1.0, &mut |_, _| Flow::Stop).unwrap();
    assert_eq!((stopped, s.totals().steps), (Flow::Stop, 7));
}

/// Observer that counts its calls.
#[derive(Default)]
struct Counter {
    begun: u32,
    steps: Vec<f64>,
}

impl Observer for Counter {
    fn begin(&mut self, _session: &mut Session) -> io::Result<()> {
        self.begun += 1;
        Ok(())
    }

    fn step(&mut self, session: &mut Session) -> io::Result<()> {
        self.steps.push(session.row().t);
        match self.steps.len() {
            4 => Err(io::Error::other("enough")),
            _ => Ok(()),
        }
    }
}

#[test]
fn custom_observers_see_every_step() {
    let mut s = particle("rk4");
    s.observe(Box::new(Counter::default())).unwrap();
    for _ in 0..3 {
        s.step().unwrap();
    }
    let failed = s.step().unwrap_err();
    assert_eq!(failed.to_string(), "enough");
    let seen = s.take_observer::<Counter>().unwrap();
    assert_eq!((seen.begun, seen.steps.len()), (1, 4));
    assert!(s.take_observer::<Counter>().is_none());
    s.step().unwrap();
}

/// A closure is an observer.
#[test]
fn a_function_can_observe() {
    let (send, receive) = std::sync::mpsc::channel();
    let mut s = particle("rk4");
    s.observe(Box::new(move |s: &mut Session| {
        send.send(s.t()).map_err(io::Error::other)
    }))
    .unwrap();
    s.run_until(0.03, &mut |_, _| Flow::On).unwrap();
    assert_eq!(receive.try_iter().collect::<Vec<f64>>(), [0.01, 0.02, 0.03]);
}

/// Drag acts in every step of a session: v decays as e^(−d t).
#[test]
fn velocity_damping_acts_in_every_step() {
    let mut s = session(
        "gravity = [0.0, 0.0, 0.0]\n[time]\nmethod = \"sdirk2\"\nstep = 0.01\nuntil = 1.0\n[[body]]\n\
         mesh = { box = { size = [1.0, 1.0, 1.0], cells = [1, 1, 1], element = \"hex8\" } }\n\
         material = { law = \"arap\", young = 1e4, poisson = 0.3, density = 10 }\n\
         damping = { drag = 1.5 }\nvelocity = { linear = [1.0, 0.0, 0.0] }\n",
    );
    s.step().unwrap();
    let v = s.velocities()[0][0];
    assert!((v - (-0.015_f64).exp()).abs() < 1e-12, "{v}");
}

#[test]
fn invalid_changes_are_refused() {
    let mut s = particle("sdirk2");
    let said = |e: InteractionError| e.to_string();
    assert!(said(s.grab(7, 1.0).unwrap_err()).contains("nodes 0 to 0"));
    assert!(said(s.grab(0, -1.0).unwrap_err()).contains("stiffness = -1"));
    assert!(said(s.set_step(0.0).unwrap_err()).contains("positive"));
    assert!(said(s.push(0, [f64::NAN, 0.0, 0.0]).unwrap_err()).contains("finite"));
    let unknown = said(s.set_method("no-such").unwrap_err());
    assert!(unknown.contains("unknown method \"no-such\""), "{unknown}");
    assert_eq!(s.method.name(), "sdirk2");
}
