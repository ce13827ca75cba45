//! A free-standing stack of ten blocks stands by friction, and falls without.

use scene::spec::Source;
use testdata::repository;

use super::run_until;

/// Heights of the centre of mass at 0.2 s and at a later time, and the largest mean sliding speed then.
fn tower(friction: f64, until: f64) -> ([f64; 2], f64) {
    let mut source = Source::read(&repository().join("scenes/tower.toml")).unwrap();
    source
        .set("contact.friction", &format!("{friction:?}"))
        .unwrap();
    let mut tower = scene::build::build(source.scene().unwrap(), &source).unwrap();
    let height = |s: &scene::session::Session| s.energies().gravitational / (80.0 * 9.81);
    run_until(&mut tower, 0.2, |_| {});
    let early = height(&tower);
    run_until(&mut tower, until, |_| {});
    let slips = tower.contacts()[1].iter().map(|p| p.slip);
    let slip = slips.fold(0.0, f64::max);
    assert_eq!(tower.totals().unconverged_friction, 0);
    ([early, height(&tower)], slip)
}

#[test]
fn a_tower_of_ten_stands_for_a_minute_by_friction() {
    let ([early, late], slip) = tower(0.5, 60.0);
    assert!(
        (early - late).abs() < 1e-5,
        "it sinks by {} m",
        early - late
    );
    assert!(slip < 1e-4, "a pair slides with {slip} m/s");
    let ([early, late], _) = tower(0.0, 2.0);
    assert!(
        early - late > 0.02,
        "without friction it sinks by {} m",
        early - late
    );
}
