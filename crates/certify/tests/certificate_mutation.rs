//! Mutation test of the tables: every nonzero coefficient, changed by 1 %, contradicts a declared property of its
//! method.

use certify::{BrokenClaim, Claims, ModeResponse, modes};
use march::families::{alpha::AlphaMethod, rosenbrock::Rosenbrock, runge_kutta::RungeKutta};
use march::methods::{Family, MethodChoice};
use march::tables::alpha;
use march::{
    At, METHODS, MethodMemory, Newton, Parameters, Prefix, Stage, State, StepContext, StepError,
    StepReport, Stepper, find,
};

/// Coefficients of a table, one of which can be changed.
#[derive(Clone)]
struct Coefficients {
    rows: Vec<(String, Vec<f64>)>,
}

impl Coefficients {
    fn new() -> Coefficients {
        Coefficients { rows: Vec::new() }
    }

    fn with(mut self, name: &str, rows: &[&[f64]]) -> Coefficients {
        for (i, row) in rows.iter().enumerate() {
            self.rows.push((format!("{name}[{i}]"), row.to_vec()));
        }
        self
    }

    fn matrix(&self, name: &str) -> Vec<Vec<f64>> {
        let mine = |row: &&(String, Vec<f64>)| row.0.starts_with(&format!("{name}["));
        self.rows
            .iter()
            .filter(mine)
            .map(|row| row.1.clone())
            .collect()
    }

    fn row(&self, name: &str) -> Vec<f64> {
        self.matrix(name).pop().unwrap()
    }

    /// Returns copies in which one nonzero coefficient is changed by 1 %, with its name.
    fn mutants(&self) -> Vec<(String, Coefficients)> {
        let mut all = Vec::new();
        for (i, (name, row)) in self.rows.iter().enumerate() {
            for j in (0..row.len()).filter(|&j| row[j] != 0.0) {
                let mut wrong = self.clone();
                wrong.rows[i].1[j] *= 1.01;
                all.push((format!("{name}[{j}]"), wrong));
            }
        }
        all
    }
}

/// Steppers of the coefficients: the method and its embedded method.
type Steppers = (Box<dyn Stepper>, Option<Box<dyn Stepper>>);

fn coefficients(family: &Family) -> Option<Coefficients> {
    match family {
        Family::RungeKutta(t) => {
            let n = Coefficients::new().with("a", t.a).with("b", &[t.b]);
            Some(t.embedded.iter().fold(n, |n, e| n.with("embedded", &[e])))
        }
        Family::Rosenbrock(t) => {
            let n = Coefficients::new()
                .with("gamma", &[&[t.gamma]])
                .with("a", t.a)
                .with("c", t.c)
                .with("m", &[t.m]);
            Some(n.with("embedded", &[t.embedded]))
        }
        _ => None,
    }
}

fn steppers(family: &Family, n: &Coefficients) -> Steppers {
    match family {
        Family::RungeKutta(t) => {
            let of = |b: Vec<f64>| {
                Box::new(RungeKutta::from_rows(n.matrix("a"), b, Newton::Minimise))
                    as Box<dyn Stepper>
            };
            (of(n.row("b")), t.embedded.map(|_| of(n.row("embedded"))))
        }
        _ => {
            let gamma = n.row("gamma")[0];
            let of = |m: Vec<f64>| {
                Box::new(Rosenbrock::from_rows(
                    gamma,
                    n.matrix("a"),
                    n.matrix("c"),
                    m,
                )) as Box<dyn Stepper>
            };
            (of(n.row("m")), Some(of(n.row("embedded"))))
        }
    }
}

fn check(claims: &Claims, (mut stepper, mut second): Steppers) -> Result<(), BrokenClaim> {
    claims.check(
        stepper.as_mut(),
        second.as_mut().map(|s| s.as_mut() as &mut dyn Stepper),
    )
}

fn survivors(chosen: impl Fn(&Family) -> bool) -> Vec<String> {
    let mut survivors = Vec::new();
    for method in METHODS.iter().filter(|m| chosen(&m.family)) {
        let Some(right) = coefficients(&method.family) else {
            continue;
        };
        let claims = Claims::of(
            &MethodChoice {
                method,
                prefix: Prefix::Full,
            },
            &Parameters::default(),
        );
        check(&claims, steppers(&method.family, &right))
            .unwrap_or_else(|why| panic!("{}: {why}", method.name));
        for (place, wrong) in right.mutants() {
            match check(&claims, steppers(&method.family, &wrong)) {
                Ok(()) => survivors.push(format!("{} {place}", method.name)),
                Err(why) => println!("{} {place}: {why}", method.name),
            }
        }
    }
    survivors
}

#[test]
fn no_runge_kutta_table_survives_a_coefficient_wrong_by_one_percent() {
    assert_eq!(
        survivors(|family| matches!(family, Family::RungeKutta(_))),
        [""; 0]
    );
}

#[test]
fn no_rosenbrock_table_survives_a_coefficient_wrong_by_one_percent() {
    assert_eq!(
        survivors(|family| matches!(family, Family::Rosenbrock(_))),
        [""; 0]
    );
}

/// Changes one parameter.
type Change = fn(&mut alpha::AlphaParameters);

#[test]
fn no_alpha_method_survives_a_coefficient_wrong_by_one_percent() {
    // Newmark's β: with γ = ½ any β ≥ ¼ keeps order 2, A-stability and ρ = 1 at all frequencies; only the frequency
    // error depends on it. At β = ¼ it is that of the trapezoidal rule, 2 atan(hω/2) in place of hω.
    let trapezoid = ModeResponse {
        hw: 1.0,
        damping: 0.0,
        frequency_error: 2.0 * 0.5_f64.atan() - 1.0,
    };
    for (name, table, modes) in [
        ("newmark", alpha::NEWMARK, vec![trapezoid]),
        ("generalized-alpha", alpha::generalized(0.8), vec![]),
        ("hht-alpha", alpha::hht(0.8), vec![]),
    ] {
        let claims = Claims {
            modes,
            ..Claims::of(&find(name).unwrap(), &Parameters::default())
        };
        let check = |table| claims.check(&mut AlphaMethod::new(table, Newton::Minimise), None);
        check(table).unwrap_or_else(|why| panic!("{name}: {why}"));
        let wrong: [(&str, Change); 4] = [
            ("beta", |t| t.beta *= 1.01),
            ("gamma", |t| t.gamma *= 1.01),
            ("alpha_m", |t| t.alpha_m *= 1.01),
            ("alpha_f", |t| t.alpha_f *= 1.01),
        ];
        for (place, spoil) in wrong {
            let mut spoilt = table;
            spoil(&mut spoilt);
            if spoilt != table {
                let why = check(spoilt)
                    .err()
                    .unwrap_or_else(|| panic!("{name} survives a wrong {place}"));
                println!("{name} {place}: {why}");
            }
        }
    }
}

/// BDF2 at constant step with free coefficients: y₁ = now y₀ + then y₋₁ + step h y₁′.
struct Bdf2Formula {
    now: f64,
    then: f64,
    step: f64,
    first: RungeKutta,
    past: MethodMemory,
    /// Past of the next step.
    next: MethodMemory,
}

impl Bdf2Formula {
    fn new([now, then, step]: [f64; 3]) -> Bdf2Formula {
        let first = RungeKutta::new(&march::tables::runge_kutta::TR_BDF2, Newton::Minimise);
        Bdf2Formula {
            now,
            then,
            step,
            first,
            past: MethodMemory::None,
            next: MethodMemory::None,
        }
    }
}

impl Stepper for Bdf2Formula {
    fn attempt(
        &mut self,
        cx: &mut StepContext,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<StepReport, StepError> {
        self.next = MethodMemory::PreviousState {
            h,
            u: from.u.clone(),
            v: from.v.clone(),
        };
        let MethodMemory::PreviousState { u, v, .. } = &self.past else {
            self.first.restart();
            return self.first.attempt(cx, from, h, to);
        };
        cx.solver.begin_step(cx.system, from.at());
        let blend = |now: &[f64], then: &[f64]| -> Vec<f64> {
            now.iter()
                .zip(then)
                .map(|(x, y)| self.now * x + self.then * y)
                .collect()
        };
        let c_v = self.step * h;
        let v0 = blend(&from.v, v);
        let mut u0 = blend(&from.u, u);
        march::vector::add(&mut u0, c_v, &v0);
        let t = from.t + h;
        let stage = Stage {
            t,
            u0: &u0,
            v0: &v0,
            c_u: c_v * c_v,
            c_v,
            inertia: 1.0,
            near: At { t, ..from.at() },
            hint: None,
            newton: Newton::Minimise,
        };
        let mut a = vec![0.0; u0.len()];
        cx.solver.solve(cx.system, &stage, &mut a)?;
        to.resize(u0.len());
        march::vector::combine(&mut to.u, &u0, c_v * c_v, &a);
        march::vector::combine(&mut to.v, &v0, c_v, &a);
        to.t = t;
        Ok(StepReport::default())
    }

    fn commit(&mut self) {
        self.past = self.next.clone();
    }

    fn samples(
        &mut self,
        _: &State,
        _: &State,
        _visit: &mut dyn FnMut(march::ledger::PowerSample),
    ) {
    }

    fn save_into(&self, memory: &mut MethodMemory) {
        *memory = self.past.clone();
    }

    fn restore(&mut self, memory: &MethodMemory) -> bool {
        self.past = memory.clone();
        matches!(
            memory,
            MethodMemory::None | MethodMemory::PreviousState { .. }
        )
    }

    fn restart(&mut self) {
        self.past = MethodMemory::None;
    }
}

#[test]
fn bdf2_does_not_survive_a_coefficient_wrong_by_one_percent() {
    let right = [4.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
    let claims = Claims::of(&find("bdf2").unwrap(), &Parameters::default());
    claims.check(&mut Bdf2Formula::new(right), None).unwrap();
    // The numbers are those of the registry's method.
    let mut theirs = find("bdf2")
        .unwrap()
        .stepper(&Parameters::default(), Newton::Minimise)
        .unwrap();
    for hw in [0.3, 1.0, 7.0] {
        let [a, b] = [
            modes::mode_response(theirs.as_mut(), hw).unwrap(),
            modes::mode_response(&mut Bdf2Formula::new(right), hw).unwrap(),
        ];
        assert!(
            (a.damping - b.damping).abs() < 1e-13
                && (a.frequency_error - b.frequency_error).abs() < 1e-13
        );
    }
    for k in 0..3 {
        let mut wrong = right;
        wrong[k] *= 1.01;
        let why = claims
            .check(&mut Bdf2Formula::new(wrong), None)
            .expect_err("a wrong formula passes");
        println!("bdf2 {k}: {why}");
    }
}
