//! `supple method`: keys, orders and plot of a certificate.

use std::process::{Command, Output};

use serde_json::Value;

fn supple(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_supple");
    Command::new(program)
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn certificate(method: &str) -> Value {
    let output = supple(&["method", method, "--json"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

#[test]
fn the_certificate_has_the_keys_of_the_contract() {
    let c = certificate("tr-bdf2");
    for path in [
        "/name",
        "/provenance",
        "/cite",
        "/order/declared",
        "/order/linear",
        "/order/nonlinear",
        "/order/stiff",
        "/order/fem",
        "/order/viscous",
        "/order/embedded",
        "/stability/r_inf",
        "/stability/a_stable",
        "/stability/l_stable",
        "/stability/stiffly_accurate",
        "/cost/factorizations",
        "/cost/solves",
    ] {
        assert!(c.pointer(path).is_some_and(|x| !x.is_null()), "{path}");
    }
    for (list, key) in [("damping", "d"), ("dispersion", "e")] {
        for hw in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0] {
            let entries = c[list].as_array().expect("a list");
            let at = entries.iter().find(|x| x["hw"] == hw);
            assert!(
                at.is_some_and(|x| x[key].is_number()),
                "{list} at hw = {hw}"
            );
        }
    }
    let fem = c["order"]["fem"].as_f64().expect("a number");
    assert!((fem - 2.0).abs() < 0.15, "order {fem} on the body");
}

#[test]
fn methods_keep_their_order_under_viscous_damping() {
    for (method, order) in [
        ("backward-euler", 1.0),
        ("sdirk2", 2.0),
        ("sdirk3", 3.0),
        ("rodas4", 4.0),
        ("s-tr-bdf2", 2.0),
    ] {
        let found = certificate(method)["order"]["viscous"]
            .as_f64()
            .expect("a number");
        assert!((found - order).abs() < 0.2, "{method}: order {found}");
    }
}

#[test]
fn methods_keep_their_order_with_a_moving_boundary() {
    let cases = [
        ("rk4", 4.0),
        ("backward-euler", 1.0),
        ("sdirk3", 3.0),
        ("rodas4", 4.0),
        ("s-bdf2", 2.0),
        ("{ name = \"generalized-alpha\", rho-inf = 0.3 }", 2.0),
        ("{ name = \"dirk\", A = [[0.5]], b = [1.0] }", 2.0),
    ];
    for (method, want) in cases {
        let found = certificate(method)["order"]["fem"]
            .as_f64()
            .expect("a number");
        assert!((found - want).abs() < 0.15, "{method}: {found}");
    }
}

#[test]
fn wrong_names_and_tables_are_refused_with_a_suggestion() {
    let cases = [
        ("sdrik2", "did you mean \"sdirk2\"?"),
        ("s-rk4", "leave the prefix out"),
        ("dirk", "supple method '{ name = \"dirk\", A = ..."),
        ("{ name = \"dirk\", A = [[0.5]], b = [0.9] }", "order 0"),
        (
            "{ name = \"generalized-alpha\", rho-in = 0.5 }",
            "did you mean \"rho-inf\"?",
        ),
        ("{ name = ", "method:"),
    ];
    for (method, help) in cases {
        let output = supple(&["method", method]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{method}: {said}");
        assert!(said.contains(help), "{method}: {said}");
    }
}

#[test]
fn the_plot_is_a_reproducible_svg() {
    let folder = std::env::temp_dir().join(format!("supple-method-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let draw = |name: &str| {
        let path = folder.join(name);
        let text = path.to_string_lossy().into_owned();
        let output = supple(&["method", "sdirk2", "--plot", &text]);
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("stiffly accurate yes"));
        std::fs::read_to_string(path).expect("a picture")
    };
    let (first, second) = (draw("a.svg"), draw("b.svg"));
    assert_eq!(first, second);
    assert!(first.starts_with("<svg") && first.trim_end().ends_with("</svg>"));
    assert_eq!(
        first.matches("<polyline").count(),
        4,
        "two curves in two panels"
    );
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
