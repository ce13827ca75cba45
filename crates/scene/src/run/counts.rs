//! Sums of a run, kept across checkpoints.

use march::StepReport;
use march::ledger::Entry;
use solid::model::{Energies, Momentum};

/// What a run has done and seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Steps accepted.
    pub steps: u64,
    /// Steps rejected.
    pub rejected: u64,
    /// Steps rejected since the last accepted one.
    pub rejected_lately: u64,
    /// Where the run stands within a step of the scene.
    pub retreat: [u64; 2],
    /// Shortest step accepted, s; 0 before the first.
    pub shortest: f64,
    /// Frames written.
    pub frames: u64,
    /// Bytes of `steps.csv`, `ledger.csv` and `probes.csv`.
    pub bytes: [u64; 3],
    /// Work of all steps.
    pub work: StepReport,
    /// Work of the last step.
    pub last: StepReport,
    /// Total energy at the start, now, least and greatest, J.
    pub energy: Extremes,
    /// Momenta at the start and now.
    pub momentum: [Momentum; 2],
    /// Where the energy of all steps went.
    pub ledger: Entry,
    /// Largest residual that local/global iterations left, relative to the forces.
    pub gap: f64,
    /// Steps whose energy could not be brought within tolerance.
    pub missed: u64,
}

/// How a number developed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    /// At the start.
    pub initial: f64,
    /// Now.
    pub last: f64,
    /// Least so far.
    pub min: f64,
    /// Greatest so far.
    pub max: f64,
}

impl Counts {
    /// Notes an accepted step of length h.
    pub fn took(&mut self, h: f64, report: StepReport) {
        self.steps += 1;
        self.shortest = if self.shortest > 0.0 {
            self.shortest.min(h)
        } else {
            h
        };
        self.work.add(&report);
        self.last = report;
    }

    /// Notes the energies and momenta of a state.
    pub fn saw(&mut self, energies: &Energies, momentum: &Momentum) {
        let total = energies.total();
        if self.steps == 0 {
            self.energy = Extremes {
                initial: total,
                last: total,
                min: total,
                max: total,
            };
            self.momentum = [*momentum; 2];
        }
        self.energy.last = total;
        self.energy.min = self.energy.min.min(total);
        self.energy.max = self.energy.max.max(total);
        self.momentum[1] = *momentum;
    }

    /// Everything as numbers.
    pub fn pack(&self) -> (Vec<u64>, Vec<f64>) {
        let mut counters = vec![
            self.steps,
            self.rejected,
            self.frames,
            self.bytes[0],
            self.bytes[1],
            self.bytes[2],
            self.rejected_lately,
            self.retreat[0],
            self.retreat[1],
            self.missed,
        ];
        counters.extend(self.work.as_array());
        counters.extend(self.last.as_array());
        let e = &self.energy;
        let mut sums = vec![e.initial, e.last, e.min, e.max, self.shortest, self.gap];
        for m in &self.momentum {
            sums.extend(m.linear.iter().chain(&m.angular));
        }
        sums.extend(self.ledger.as_array());
        (counters, sums)
    }

    /// Back from numbers; nothing where they are not as [`Counts::pack`] leaves them.
    pub fn unpack(counters: &[u64], sums: &[f64]) -> Option<Counts> {
        let (
            &[
                steps,
                rejected,
                frames,
                first,
                second,
                third,
                lately,
                level,
                place,
                missed,
            ],
            work,
        ) = counters.split_first_chunk::<10>()?;
        let (work, last) = work.split_at_checked(work.len() / 2)?;
        let (&[initial, last_energy, min, max, shortest, gap], momenta) =
            sums.split_first_chunk::<6>()?;
        let momentum = |at: usize| -> Option<Momentum> {
            let m: &[f64; 6] = momenta.get(at..at + 6)?.try_into().ok()?;
            Some(Momentum {
                linear: [m[0], m[1], m[2]],
                angular: [m[3], m[4], m[5]],
            })
        };
        Some(Counts {
            steps,
            rejected,
            rejected_lately: lately,
            retreat: [level, place],
            shortest,
            frames,
            bytes: [first, second, third],
            work: StepReport::from_array(work.try_into().ok()?),
            last: StepReport::from_array(last.try_into().ok()?),
            energy: Extremes {
                initial,
                last: last_energy,
                min,
                max,
            },
            momentum: [momentum(0)?, momentum(6)?],
            ledger: Entry::from_array(momenta.get(12..)?.try_into().ok()?),
            gap,
            missed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_survive_packing() {
        let mut counts = Counts {
            steps: 3,
            rejected: 1,
            rejected_lately: 2,
            retreat: [3, 4],
            frames: 7,
            bytes: [100, 200, 300],
            gap: 0.25,
            missed: 5,
            ..Counts::default()
        };
        counts.took(0.25, StepReport::from_array([1, 2, 3, 4, 5, 6, 7, 8]));
        counts.saw(
            &Energies {
                kinetic: 1.5,
                ..Energies::default()
            },
            &Momentum {
                linear: [1.0, 2.0, 3.0],
                angular: [4.0; 3],
            },
        );
        let (counters, sums) = counts.pack();
        assert_eq!(Counts::unpack(&counters, &sums), Some(counts));
        assert_eq!(Counts::unpack(&counters[1..], &sums), None);
        assert_eq!(Counts::unpack(&counters, &sums[1..]), None);
    }
}
