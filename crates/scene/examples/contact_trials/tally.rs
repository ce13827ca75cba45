//! Work and processor time of steps in contact and of steps in flight.

use march::Counts;

/// Sums over steps of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Number of steps.
    pub steps: u64,
    /// Work of the steps.
    work: Counts,
    /// Processor time, s.
    seconds: f64,
}

impl Tally {
    /// Adds a step.
    pub fn add(&mut self, work: &Counts, seconds: f64) {
        self.steps += 1;
        self.work.add(work);
        self.seconds += seconds;
    }

    /// Newton iterations per stage.
    pub fn newton_per_stage(&self) -> f64 {
        self.work.newton as f64 / self.work.stages as f64
    }

    /// Newton iterations per stage that assembled and factored their matrix; the others reused factors.
    pub fn factorizations_per_stage(&self) -> f64 {
        self.work.assemblies as f64 / self.work.stages as f64
    }

    /// Processor time of a step, ms.
    pub fn milliseconds(&self) -> f64 {
        1e3 * self.seconds / self.steps as f64
    }
}

/// Steps in contact and in flight. A step is in contact if a barrier acts at its start or its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tallies {
    /// Steps in contact.
    pub contact: Tally,
    /// Other steps.
    pub flight: Tally,
    /// Those of them after the first contact: the body vibrates, before it falls undeformed.
    pub vibration: Tally,
    touched: bool,
}

impl Tallies {
    /// Adds a step that ends with this contact energy (J).
    pub fn add(&mut self, contact_energy: f64, work: &Counts, seconds: f64) {
        let touches = contact_energy > 0.0;
        match std::mem::replace(&mut self.touched, touches) || touches {
            true => self.contact.add(work, seconds),
            false => {
                self.flight.add(work, seconds);
                if self.contact.steps > 0 {
                    self.vibration.add(work, seconds);
                }
            }
        }
    }
}

/// Processor time of all threads of this process so far, s, where the system tells it (Linux).
pub fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split(' ').next()?.parse::<f64>().ok()?;
    }
    Some(1e-9 * nanoseconds)
}
