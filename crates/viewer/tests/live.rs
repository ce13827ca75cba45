//! Live sessions through their server: pulls, changes, lock-step, sessions that fail, and pages that misbehave.

mod served;

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};
use served::page::{Page, balance};
use tungstenite::{Message, WebSocket};

const SCENE: &str = r#"
[time]
method = "implicit-midpoint"
step = 0.01
until = 1
[[body]]
name = "cube"
mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3], element = "tet4" } }
material = { young = 2e4, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { y = 0 }
"#;

/// A vertex at the top of the cube.
const TOP: u32 = 55;

#[test]
fn a_pull_adds_energy_that_the_ledger_explains_and_without_it_there_is_none() {
    let mut pulled = Page::open(SCENE, &[], false);
    pulled.steps(3);
    pulled.until(json!({ "type": "grab", "vertex": TOP }), |s| {
        s["held"] == json!([TOP])
    });
    for k in 1..20 {
        let to = [1.0 + 0.03 * f64::from(k), 1.2, 1.0];
        pulled.send(json!({ "type": "drag", "to": to }));
        pulled.steps(1);
    }
    pulled.until(json!({ "type": "release" }), |s| s["held"] == json!([]));
    let state = pulled.steps(5);
    let (open, work) = balance(&state["sessions"][0]);
    assert!(work > 10.0, "{work}");
    assert!(open < 1e-9 * work, "{open} of {work}");
    let mut left = Page::open(SCENE, &[], false);
    let state = left.steps(27);
    let (open, work) = balance(&state["sessions"][0]);
    assert_eq!(work, 0.0);
    assert!(open < 1e-9);
}

/// Takes a step and returns an array of its frame.
fn stepped(page: &mut Page, name: &str) -> Option<Vec<f32>> {
    let before = page.state()["t"].as_f64();
    let (_, bytes) = page.until(json!({ "type": "step" }), |s| s["t"].as_f64() > before);
    page.array(&bytes, name)
}

#[test]
fn sessions_compute_the_fields_that_pages_show() {
    let scene = SCENE.replace("y = 0", "y = 1");
    let mut page = Page::open(&scene, &["sdirk2", "backward-euler"], false);
    let (_, about) = page
        .served
        .request(&page.served.with_token("/api/page"), &[]);
    let about = String::from_utf8_lossy(&about).into_owned();
    assert!(about.contains("von Mises stress, Pa"), "{about}");
    assert!(!about.contains("contact force, N"), "{about}");
    assert_eq!(stepped(&mut page, "stress0"), None);
    // Shown while the clock stands: the frame of the message has it.
    page.send(json!({ "type": "show", "field": "stress" }));
    page.steps(60);
    for session in ["stress0", "stress1"] {
        let stress = stepped(&mut page, session).unwrap();
        assert_eq!(stress.len(), 56);
        // A cube that hangs weighs ρ g h at its top, and little below; sideways contraction is held there.
        let most = stress.iter().copied().fold(0.0, f32::max);
        assert!((2e3..4e4).contains(&most), "{most} Pa");
        assert!(stress.iter().all(|x| (0.0..=most).contains(x)));
    }
    assert_eq!(stepped(&mut page, "energy0"), None);
    // Another page shows another field; both get both. When it leaves, only the first is computed.
    let mut other = page.served.socket();
    let show = json!({ "type": "show", "field": "energy" }).to_string();
    other.send(Message::Text(show.into())).unwrap();
    page.until(json!({ "type": "step" }), |_| true);
    while stepped(&mut page, "energy1").is_none() {}
    drop(other);
    while stepped(&mut page, "energy1").is_some() {}
    assert!(stepped(&mut page, "stress1").is_some());
    page.send(json!({ "type": "show", "field": "contact" }));
    let answer = page.answer();
    assert!(answer.contains("stress, energy"), "{answer}");
    page.send(json!({ "type": "show" }));
    assert_eq!(stepped(&mut page, "stress0"), None);
}

#[test]
fn two_sessions_stay_at_the_same_time_and_feel_the_same_hand() {
    let mut page = Page::open(SCENE, &["backward-euler", "implicit-midpoint"], false);
    page.send(json!({ "type": "grab", "vertex": TOP }));
    page.send(json!({ "type": "drag", "to": [1.4, 1.5, 1.0] }));
    page.send(json!({ "type": "run" }));
    let mut last = 0.0;
    while last < 0.3 {
        let (state, _) = page.frame();
        let times: Vec<f64> = (0..2)
            .map(|k| state["sessions"][k]["t"].as_f64().unwrap())
            .collect();
        assert_eq!(times[0], times[1]);
        last = times[0];
    }
    let (state, bytes) = page.until(json!({ "type": "pause" }), |s| s["running"] == false);
    for k in 0..2 {
        assert!(balance(&state["sessions"][k]).1 > 1.0);
    }
    let lost = |k: usize| {
        state["sessions"][k]["ledger"]["numerical"]
            .as_f64()
            .unwrap()
    };
    assert!(lost(0) < lost(1), "backward Euler loses more");
    // 56 drawn vertices, two sessions.
    assert_eq!(bytes.len(), 2 * 56 * 12);
}

#[test]
fn a_method_switch_keeps_the_state_and_refusals_are_sentences() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(10);
    let (_, before) = page.until(json!({ "type": "speed", "value": 0.5 }), |s| {
        s["speed"] == 0.5
    });
    let switch = json!({ "type": "set", "session": 0, "set": { "method": "bdf2" } });
    let (state, after) = page.until(switch, |s| s["sessions"][0]["method"] == "bdf2");
    assert_eq!(before, after);
    assert!((state["t"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    for (message, wanted) in [
        (
            json!({ "type": "set", "set": { "method": "bdf9" } }),
            "bdf9",
        ),
        (
            json!({ "type": "set", "set": { "friction": 0.5 } }),
            "no [contact]",
        ),
        (
            json!({ "type": "set", "session": 3, "set": { "step": 0.1 } }),
            "no session 3",
        ),
        (
            json!({ "type": "grab", "vertex": 4_000_000 }),
            "does not exist",
        ),
        (json!({ "type": "grab", "vertex": 1, "grip": 1e9 }), "grip"),
        (json!({ "type": "unpin", "vertex": 1 }), "not pinned"),
        (json!({ "type": "speed", "value": -1 }), "speed"),
        (json!({ "type": "drag", "to": [0, 1] }), "refused"),
        (json!({ "type": "jump" }), "refused"),
    ] {
        page.send(message);
        let answer = page.answer();
        assert!(answer.contains(wanted), "{wanted}: {answer}");
    }
    let state = page.until(json!({ "type": "reset" }), |s| s["t"] == 0.0).0;
    assert_eq!(state["sessions"][0]["method"], "implicit-midpoint");
}

/// Under a hard pull the midpoint rule ends steps beyond states of infinite energy; backward Euler does not.
const HARD: &str = r#"
[time]
step = 0.02
until = 1
[[body]]
mesh = { box = { size = [1, 1, 1], cells = [3, 3, 3], element = "tet4" } }
material = { law = "neo-hookean", young = 2e4, poisson = 0.3, density = 1000 }
[[body.fix]]
where = { y = 0 }
"#;

#[test]
fn a_session_that_fails_says_why_and_the_others_go_on() {
    let mut page = Page::open(HARD, &["implicit-midpoint", "backward-euler"], false);
    page.send(json!({ "type": "grab", "vertex": TOP, "grip": 4 }));
    page.send(json!({ "type": "drag", "to": [4.0, 3.0, 1.0] }));
    let (state, _) = page.until(json!({ "type": "run" }), |s| {
        s["sessions"][0]["failed"] == true && s["t"].as_f64() > Some(0.2)
    });
    let (failed, sound) = (&state["sessions"][0], &state["sessions"][1]);
    assert!(failed["t"].as_f64() < Some(0.1), "{failed}");
    let why = failed["error"].as_str().unwrap();
    assert!(why.contains("infinite energy"), "{why}");
    assert_eq!(
        (&sound["error"], &sound["failed"]),
        (&Value::Null, &false.into())
    );
    assert!(balance(sound).0 < 1e-9 * balance(sound).1);
    // Another method: it steps again, and catches up.
    let method = json!({ "method": "backward-euler" });
    let change = json!({ "type": "set", "session": 0, "set": method });
    let (state, _) = page.until(change, |s| {
        s["sessions"][0]["t"] == s["sessions"][1]["t"] && s["sessions"][0]["failed"] == false
    });
    assert_eq!(state["running"], true);
    assert_eq!(state["sessions"][0]["error"], Value::Null);
    assert!(
        balance(&state["sessions"][0]).1 > 1.0,
        "the hand pulls it too"
    );
}

#[test]
fn when_no_session_can_step_the_clock_stops() {
    let mut page = Page::open(HARD, &["implicit-midpoint"], false);
    page.send(json!({ "type": "grab", "vertex": TOP, "grip": 4 }));
    page.send(json!({ "type": "drag", "to": [4.0, 3.0, 1.0] }));
    let stopped = |s: &Value| s["sessions"][0]["failed"] == true && s["running"] == false;
    page.until(json!({ "type": "run" }), stopped);
    let state = page.until(json!({ "type": "reset" }), |s| s["t"] == 0.0).0;
    assert_eq!(state["sessions"][0]["error"], Value::Null);
    assert_eq!(state["sessions"][0]["failed"], false);
}

#[test]
fn pages_are_told_what_others_changed() {
    let mut page = Page::open(SCENE, &[], false);
    let set = |set: Value| json!({ "type": "set", "set": set });
    page.until(set(json!({ "gravity": [0, -2, 0] })), |s| {
        s["set"]["gravity"] == json!([0.0, -2.0, 0.0])
    });
    page.until(set(json!({ "stiffness": 2 })), |s| {
        s["set"] == json!({ "gravity": [0.0, -2.0, 0.0], "stiffness": 2.0 })
    });
    page.until(json!({ "type": "reset" }), |s| s["set"] == json!({}));
}

#[test]
fn a_page_gets_one_frame_at_a_time_and_the_newest() {
    let mut page = Page::open(SCENE, &[], false);
    let mut slow = page.served.socket();
    let number = |message: Message| {
        let bytes = message.into_data();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        header["state"]["frame"].as_u64().unwrap()
    };
    let first = number(slow.read().unwrap());
    page.steps(30);
    let newest = page.state()["frame"].as_u64().unwrap();
    assert!(newest >= first + 30);
    // 30 frames were published. None waits for the page until it acknowledges the first; then it gets the last.
    let brief = Some(std::time::Duration::from_millis(300));
    slow.get_ref().set_read_timeout(brief).unwrap();
    assert!(slow.read().is_err(), "no frame without acknowledgement");
    let ack = json!({ "type": "ack", "frame": first }).to_string();
    slow.send(Message::Text(ack.into())).unwrap();
    let long = Some(std::time::Duration::from_secs(20));
    slow.get_ref().set_read_timeout(long).unwrap();
    // A frame more may have been published since.
    let (received, now) = (number(slow.read().unwrap()), page.state()["frame"].as_u64());
    assert!(
        received >= newest && received <= now.unwrap(),
        "{received} of {newest}"
    );
}

#[test]
fn results_are_kept() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(20);
    let (_folder, out) = page.end();
    let report: Value =
        serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["steps"], 20);
    assert_eq!(
        viewer::Playback::open(&[out])
            .unwrap()
            .result(0)
            .unwrap()
            .frames(),
        7
    );
}

#[test]
fn eight_pages_fight_over_one_vertex_and_vanish() {
    let mut page = Page::open(SCENE, &[], false);
    let mut others: Vec<WebSocket<TcpStream>> = (0..8).map(|_| page.served.socket()).collect();
    for (k, socket) in others.iter_mut().enumerate() {
        let grab = json!({ "type": "grab", "vertex": TOP, "grip": 0.05 }).to_string();
        socket.send(Message::Text(grab.into())).unwrap();
        let drag = json!({ "type": "drag", "to": [1.0 + 0.02 * k as f64, 1.1, 1.0] }).to_string();
        socket.send(Message::Text(drag.into())).unwrap();
    }
    page.until(json!({ "type": "run" }), |s| {
        s["held"].as_array().unwrap().len() == 8
    });
    let state = page
        .until(json!({ "type": "pause" }), |s| s["running"] == false)
        .0;
    assert_eq!(state["sessions"][0]["error"], Value::Null);
    // They vanish in the middle of a message; their hands open.
    for socket in others {
        let mut stream = socket.into_inner();
        stream
            .write_all(&[0x82, 0xfe, 0x03, 0xe8, 1, 2, 3])
            .unwrap();
    }
    page.until(json!({ "type": "run" }), |s| s["held"] == json!([]));
    assert!(page.served.is_alive());
}

#[test]
fn floods_and_huge_messages_do_not_fill_memory() {
    let mut page = Page::open(SCENE, &[], false);
    page.steps(1);
    let before = resident_bytes();
    // This page never acknowledges a frame and sends as fast as it can.
    let mut rude = page.served.socket();
    for k in 0..20_000 {
        let drag = json!({ "type": "drag", "to": [f64::from(k), 0.0, 0.0] }).to_string();
        rude.send(Message::Text(drag.into())).unwrap();
    }
    for _ in 0..50 {
        rude.send(Message::Text("{".into())).unwrap();
    }
    let _ = rude.send(Message::Binary(vec![0; 100 << 20].into()));
    page.steps(20);
    assert!(page.served.is_alive());
    drop(rude);
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 160 << 20, "{} MB", grown >> 20);
}

fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok());
    4096 * pages.unwrap_or(0)
}
