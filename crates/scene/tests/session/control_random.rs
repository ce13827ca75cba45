//! A thousand random scenes, methods and controls: all end, and none takes a step below the smallest without an error.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use scene::build::build;
use scene::session::SessionError;
use scene::spec::parse;

struct RandomSource(Pcg64Mcg);

impl RandomSource {
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number between two positive numbers, uniform on a logarithmic scale.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[(self.0.next_u64() % all.len() as u64) as usize]
    }
}

const KINDS: [&str; 7] = [
    "auto",
    "embedded",
    "doubling",
    "force-error",
    "speed",
    "stretch",
    "retreat",
];

fn scene(random: &mut RandomSource, method: &str, kind: &str) -> (String, f64) {
    let until = random.between(0.02, 0.2);
    let (min, max) = (random.between(1e-4, 1e-3), random.between(1e-2, 1.0));
    let tolerance = random.between(1e-5, 1e-1);
    let keys = match kind {
        "retreat" => format!("min = {min:?}"),
        _ => format!("tolerance = {tolerance:?}, min = {min:?}, max = {max:?}"),
    };
    let step = match random.unit() < 0.5 || kind == "retreat" {
        true => format!("step = {:?}\n", random.between(1e-3, 5e-2)),
        false => String::new(),
    };
    let stabilise = match random.unit() < 0.15 {
        true => "stabilise = { tolerance = 0.01 }\n",
        false => "",
    };
    let time = format!(
        "[time]\nmethod = \"{method}\"\n{step}until = {until:?}\n{stabilise}control = {{ kind = \"{kind}\", {keys} }}\n"
    );
    let stiffness = random.between(1.0, 1e6);
    let body = match random.unit() < 0.15 {
        true => format!(
            "[[body]]\nmesh = {{ box = {{ size = [0.3, 0.1, 0.1], cells = [2, 1, 1] }} }}\n\
             material = {{ law = \"{}\", young = {stiffness:?}, poisson = 0.3, density = 1000 }}\n\
             velocity = {{ linear = [0.0, {:?}, 0.0] }}\n[[body.fix]]\nwhere = {{ x = 0.0 }}\n",
            random.pick(&["stable-neo-hookean", "neo-hookean", "stvk", "corotated"]),
            random.between(0.01, 10.0)
        ),
        false => format!(
            "[[particle]]\nposition = [{:?}, 0.0, 0.0]\nvelocity = [0.0, {:?}, 0.0]\nmass = {:?}\n\
             [[spring]]\na = 0\nb = [0.0, 0.0, 0.0]\nlaw = \"{}\"\nstiffness = {stiffness:?}\nrest = {:?}\ndamping = {:?}\n",
            random.between(0.1, 3.0),
            random.between(0.01, 10.0),
            random.between(0.1, 10.0),
            random.pick(&["hooke", "squared", "cubic"]),
            random.unit(),
            random.unit(),
        ),
    };
    (format!("{time}{body}"), min)
}

#[test]
fn random_scenes_end_and_respect_the_smallest_step() {
    let mut random = RandomSource(Pcg64Mcg::new(7));
    let methods: Vec<String> = march::methods::names()
        .into_iter()
        .filter(|m| !m.ends_with("dirk") && !m.ends_with("rosenbrock"))
        .collect();
    let (mut ended, mut failed, mut refused) = (0, 0, 0);
    for _ in 0..1000 {
        let method = random.pick(&methods).clone();
        let kind = *random.pick(&KINDS);
        let (text, min) = scene(&mut random, &method, kind);
        let (scene, source) = parse("scene.toml", &text).unwrap();
        let mut session = match build(scene, &source) {
            Ok(session) => session,
            Err(errors) => {
                assert!(
                    errors.to_string().contains("is explicit"),
                    "{text}\n{errors}"
                );
                refused += 1;
                continue;
            }
        };
        let until = session.scene.time.until;
        let most = (until / min).ceil() as u64 + 1;
        let mut attempts = 0;
        loop {
            match session.step_towards(until) {
                Ok(true) => {}
                Ok(false) => {
                    assert_eq!(session.t(), until, "{text}");
                    ended += 1;
                    break;
                }
                Err(SessionError::Step(failure)) => {
                    assert!(!failure.to_string().is_empty());
                    failed += 1;
                    break;
                }
                Err(other) => panic!("{text}\n{other}"),
            }
            let row = *session.row();
            // The last step of the run, or the remainder of a halved interval, may be shorter.
            let last = row.t >= until - 1e-9;
            let shortest = if kind == "retreat" { 0.0 } else { min };
            assert!(
                row.h >= shortest * (1.0 - 1e-6) || last,
                "{} {min}\n{text}",
                row.h
            );
            let found = session.positions();
            assert!(found.as_flattened().iter().all(|x| x.is_finite()), "{text}");
            attempts += 1 + row.rejected;
            assert!(
                row.rejected < 2000,
                "{} rejections at {} s\n{text}",
                row.rejected,
                row.t
            );
            assert!(
                session.totals().steps <= 70 * most && attempts < 2_000_000,
                "{text}"
            );
        }
    }
    assert!(
        ended > 600 && failed > 0 && refused > 5,
        "{ended} {failed} {refused}"
    );
}
