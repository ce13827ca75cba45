//! A thousand random scenes, methods and controls: all end, and none takes a step below the smallest without an error.

use base::random::Random;
use scene::build::build;
use scene::session::SessionError;
use scene::spec::parse;

fn pick<'a, T>(random: &mut Random, all: &'a [T]) -> &'a T {
    &all[random.below(all.len())]
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

fn scene(random: &mut Random, method: &str, kind: &str) -> (String, f64) {
    let until = random.log_between(0.02, 0.2);
    let (min, max) = (
        random.log_between(1e-4, 1e-3),
        random.log_between(1e-2, 1.0),
    );
    let tolerance = random.log_between(1e-5, 1e-1);
    let keys = match kind {
        "retreat" => format!("min = {min:?}"),
        _ => format!("tolerance = {tolerance:?}, min = {min:?}, max = {max:?}"),
    };
    let step = match random.unit() < 0.5 || kind == "retreat" {
        true => format!("step = {:?}\n", random.log_between(1e-3, 5e-2)),
        false => String::new(),
    };
    let stabilise = match random.unit() < 0.15 {
        true => "stabilise = { tolerance = 0.01 }\n",
        false => "",
    };
    let time = format!(
        "[time]\nmethod = \"{method}\"\n{step}until = {until:?}\n{stabilise}control = {{ kind = \"{kind}\", {keys} }}\n"
    );
    let stiffness = random.log_between(1.0, 1e6);
    let body = match random.unit() < 0.15 {
        true => format!(
            "[[body]]\nmesh = {{ box = {{ size = [0.3, 0.1, 0.1], cells = [2, 1, 1] }} }}\n\
             material = {{ law = \"{}\", young = {stiffness:?}, poisson = 0.3, density = 1000 }}\n\
             velocity = {{ linear = [0.0, {:?}, 0.0] }}\n[[body.fix]]\nwhere = {{ x = 0.0 }}\n",
            pick(
                random,
                &["stable-neo-hookean", "neo-hookean", "stvk", "corotated"]
            ),
            random.log_between(0.01, 10.0)
        ),
        false => format!(
            "[[particle]]\nposition = [{:?}, 0.0, 0.0]\nvelocity = [0.0, {:?}, 0.0]\nmass = {:?}\n\
             [[spring]]\na = 0\nb = [0.0, 0.0, 0.0]\nlaw = \"{}\"\nstiffness = {stiffness:?}\nrest = {:?}\ndamping = {:?}\n",
            random.log_between(0.1, 3.0),
            random.log_between(0.01, 10.0),
            random.log_between(0.1, 10.0),
            pick(random, &["hooke", "squared", "cubic"]),
            random.unit(),
            random.unit(),
        ),
    };
    (format!("{time}{body}"), min)
}

#[test]
fn no_scene_hangs_and_no_step_is_below_the_shortest() {
    let mut random = Random::new(7);
    let methods: Vec<String> = march::methods::names()
        .into_iter()
        .filter(|m| !m.ends_with("dirk") && !m.ends_with("rosenbrock"))
        .collect();
    let (mut ended, mut failed, mut refused) = (0, 0, 0);
    for _ in 0..1000 {
        let method = pick(&mut random, &methods).clone();
        let kind = *pick(&mut random, &KINDS);
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
            // A step that ends the run, or that a halved interval leaves over, may be shorter.
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
