//! `supple modes` from the command line.

use super::Workspace;

/// A bar of ten linear elements that moves along its axis only, clamped at one end.
const AXIAL: &str = r#"
[time]
method = "sdirk2"
step = 0.01
until = 0.1

[[body]]
mesh = { box = { size = [1.0, 0.1, 0.1], cells = [10, 1, 1], element = "hex8" } }
material = { law = "linear", young = 1e6, poisson = 0.0, density = 1000 }
FIX
[[body.fix]]
where = "all"
axes = "yz"
"#;

/// Reads a column of `modes.csv`.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let k = header.iter().position(|h| *h == name).unwrap();
    lines.map(|row| row[k].parse().unwrap()).collect()
}

/// The modes of linear elements that are uniform over the section: 6 (1 − c)/(2 + c) with c = cos(kh).
#[test]
fn a_bar_has_its_frequencies_and_masses() {
    let w = Workspace::new();
    w.write(
        "axial.toml",
        &AXIAL.replace("FIX", "[[body.fix]]\nwhere = { x = 0.0 }"),
    );
    let out = w
        .supple(&["modes", "axial.toml", "--count", "40", "--pictures", "1"])
        .success();
    assert!(out.contains("1 factorization"), "{out}");
    let table = w.read("out/axial-modes/modes.csv");
    assert!(table.starts_with("mode,frequency_hz,"), "{table}");
    let hz = column(&table, "frequency_hz");
    assert_eq!(hz.len(), 40);
    for m in 0..3 {
        let angle = (2.0 * f64::from(m) + 1.0) * std::f64::consts::FRAC_PI_2 * 0.1;
        let square = 6.0 * (1.0 - angle.cos()) / (2.0 + angle.cos());
        let want = 1000f64.sqrt() / 0.1 * square.sqrt() / std::f64::consts::TAU;
        let nearest = hz.iter().map(|f| (f / want - 1.0).abs());
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-10, "{want} Hz is missing: {hz:?}");
    }
    // All 40 modes together carry the mass of the moving nodes: 10 kg less the held row sum 1/20 and its coupling 1/60.
    let mass: f64 = column(&table, "effective_mass_x").iter().sum();
    let want = 10.0 * (1.0 - (1.0 / 3.0 + 2.0 / 6.0) / 10.0);
    assert!((mass - want).abs() < 1e-9, "{mass} kg, {want} kg");
    for name in [
        "modes.npz",
        "modes.html",
        "series.pvd",
        "frames/00040.vtu",
        "mode-01.gif",
    ] {
        let path = w.path("out/axial-modes").join(name);
        assert!(path.exists(), "{name} is missing");
    }
    let bytes = std::fs::read(w.path("out/axial-modes/modes.npz")).unwrap();
    assert!(bytes.starts_with(b"PK\x03\x04") && bytes[30..].starts_with(b"frequency_hz.npy"));
}

#[test]
fn rigid_motions_and_few_unknowns() {
    let w = Workspace::new();
    w.write("free.toml", &AXIAL.replace("FIX", ""));
    let arguments = [
        "modes",
        "free.toml",
        "--count",
        "100",
        "--pictures",
        "0",
        "-o",
        "m",
    ];
    let out = w.supple(&arguments).success();
    assert!(out.contains("only 44 unknowns"), "{out}");
    let hz = column(&w.read("m/modes.csv"), "frequency_hz");
    assert_eq!(hz.len(), 44);
    assert_eq!(hz[0].to_bits(), 0);
    assert!(hz[1] > 1.0);
    w.supple(&["modes", "free.toml", "--count", "0"])
        .refuses(2, &["--count 0", "44 unknowns"]);
}
