//! Names in reports and tables.

use march::ledger::CHANNELS;
use scene::build::build;
use scene::check::check;
use scene::run::{Flow, Report, RunOptions, run};
use scene::session::Session;
use scene::spec::{Scene, Source, parse};

/// A particle on a spring under this method.
fn spring(method: &str) -> String {
    format!(
        "gravity = [0, 0, 0]\n[time]\nmethod = \"{method}\"\nstep = 0.01\nuntil = 0.2\n\
         [[particle]]\nposition = [1, 0, 0]\nmass = 1\n\
         [[spring]]\na = 0\nb = [0, 0, 0]\nstiffness = 100\nrest = 0.5\n"
    )
}

fn session(file: &str, text: &str) -> Session {
    let (scene, source) = parse(file, text).unwrap_or_else(|e| panic!("{e}"));
    build(scene, &source).unwrap_or_else(|e| panic!("{e}"))
}

fn finished(session: &mut Session) -> (Report, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let options = RunOptions {
        out: dir.path().into(),
        resume: None,
    };
    (run(session, &options, &mut |_| Flow::On).unwrap(), dir)
}

#[test]
fn a_scene_without_a_title_is_named_by_its_file() {
    let text = spring("backward-euler");
    let (report, dir) = finished(&mut session("some/where/bounce.toml", &text));
    assert_eq!(report.scene, "bounce.toml");
    let json = std::fs::read_to_string(dir.path().join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["scene"], "bounce.toml");
    let titled = format!("title = \"A bounce\"\n{text}");
    let mut titled = session("some/where/bounce.toml", &titled);
    assert_eq!(finished(&mut titled).0.scene, "A bounce");
    assert_eq!(check(&mut titled).unwrap().scene, "A bounce");
}

#[test]
fn unnamed_bodies_have_one_name_everywhere() {
    let body = "[[body]]\nmesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }\n\
                material = { young = 1e4, poisson = 0.3, density = 1000 }\n\
                damping = { stiffness = 0.01 }\ndisturb = { scatter = 0.1 }\n";
    let text = format!("[time]\nstep = 0.01\nuntil = 0.02\n{body}{body}");
    let bodies = ["body-0", "body-1"];
    let parsed = session("two.toml", &text);
    assert_eq!(parsed.output_mesh.bodies, bodies);
    for name in bodies {
        let named = parsed
            .notices
            .iter()
            .any(|n| n.starts_with(&format!("{name}: ")));
        assert!(named, "{:?}", parsed.notices);
    }
    // A program may leave the names out.
    let source = Source::new("two.toml", &text).unwrap();
    let mut scene: Scene = source.scene().unwrap();
    scene.body.iter_mut().for_each(|b| b.name.clear());
    assert_eq!(build(scene, &source).unwrap().output_mesh.bodies, bodies);
}

/// The numerical dissipation or gain has a name and a magnitude without a sign.
#[test]
fn numerical_dissipation_has_a_name_instead_of_a_sign() {
    for (method, name) in [
        ("backward-euler", "numerical dissipation"),
        ("forward-euler", "numerical gain"),
    ] {
        let (report, _) = finished(&mut session("spring.toml", &spring(method)));
        let share = report.integrator_share();
        assert_eq!(share.name, name, "{method}");
        let joules = report.ledger.numerical.abs();
        assert!((share.joules - joules).abs() <= 1e-12 * joules, "{share:?}");
        let percent = share.percent.flatten().unwrap();
        let signed = report.integrator_percent.unwrap();
        assert_eq!(signed > 0.0, name == "numerical dissipation");
        assert!(!percent.contains(['-', '−']), "{percent}");
    }
}

/// The columns of the contract keep their places; later ones are appended. Every channel is in every list.
#[test]
fn ledger_channels_are_columns_of_the_table_and_keys_of_the_report() {
    let (report, dir) = finished(&mut session("spring.toml", &spring("backward-euler")));
    let table = std::fs::read_to_string(dir.path().join("ledger.csv")).unwrap();
    let header = table.lines().next().unwrap();
    assert!(header.starts_with("t,change,damping,friction,contact,numerical,residual,work"));
    let names: Vec<&str> = CHANNELS.iter().map(|c| c.name).collect();
    assert_eq!(header, format!("t,{}", names.join(",")));
    let ledger = serde_json::to_value(report).unwrap()["ledger"].clone();
    for (k, channel) in CHANNELS.iter().enumerate() {
        let column = table
            .lines()
            .skip(1)
            .map(|l| l.split(',').nth(k + 1).unwrap());
        let sum: f64 = column.map(|x| x.parse::<f64>().unwrap()).sum();
        let reported = ledger[channel.name].as_f64().unwrap();
        assert!(
            (sum - reported).abs() <= 1e-12 * (1.0 + sum.abs()),
            "{}",
            channel.name
        );
    }
    assert!(ledger["numerical"].as_f64().unwrap() < 0.0);
}
