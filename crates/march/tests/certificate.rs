//! Certificates of every method of the registry hold what the registry claims.

use march::analysis::{Certificate, Claims, embedded};
use march::methods::{Choice, Family, Stability, names};
use march::{Newton, Parameters, find};

fn choices() -> Vec<Choice> {
    let own = |c: &Choice| matches!(c.method.family, Family::OwnRungeKutta | Family::OwnRosenbrock);
    names().iter().map(|n| find(n).unwrap()).filter(|c| !own(c)).collect()
}

#[test]
fn table() {
    let p = Parameters::default();
    for choice in choices() {
        let c = Certificate::measure(&choice, &p);
        let Ok(c) = c else { println!("{} {c:?}", choice.name()); continue };
        let o = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.3}"));
        println!("{:20} {} lin {} non {} stiff {} emb {} {:?} rinf {} A{} L{} SA{} lim {} | d1 {:.5} e1 {:.5} | E {} | {:.2} {:.2} {:.2} {:.2}", c.name, c.order.declared, o(c.order.linear),o(c.order.nonlinear),o(c.order.stiff),o(c.order.embedded),c.order.embedded_declared,
        c.stability.r_inf.map_or("-".into(), |x| format!("{x:.2e}")), c.stability.a_stable as u8, c.stability.l_stable as u8, c.stability.stiffly_accurate as u8, o(c.stability.limit), c.modes[7].d, c.modes[7].e, o(c.drift.end), c.cost.factorizations, c.cost.solves, c.cost.least_factorizations, c.cost.least_solves);
    }
}
