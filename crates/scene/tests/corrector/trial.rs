use super::*;

#[test]
fn trial() {
    let only = std::env::var("TRIAL").unwrap_or_default();
    for (method, step, contact) in [
        ("sdirk2", "0.005", ""),
        ("sdirk2", "0.005", "rows = \"velocity\"\n"),
        ("sdirk2", "0.005", "iterations = 8\n"),
        ("sdirk2", "0.005", "rows = \"velocity\"\niterations = 8\n"),
        ("backward-euler", "0.005", ""),
        ("backward-euler", "0.005", "rows = \"velocity\"\n"),
    ] {
        if !only.is_empty() && !only.split(',').any(|o| o == method) {
            continue;
        }
        let text = contract_ball(method, 1.2, "", contact).unwrap().replace("step = 0.005", &format!("step = {step}"));
        let start = std::time::Instant::now();
        let mut s = session(&text);
        let e0 = s.energies().total();
        let (mut least, mut worst, mut contact_sum) = (f64::INFINITY, 0.0f64, 0.0);
        let mut flight = 0.0;
        let (mut factors, mut solves, mut corrected) = (0, 0, 0);
        run(&mut s, |s| {
            least = least.min(lowest(s));
            let e = s.row().entry;
            let booked = e.damping + e.friction + e.contact + e.numerical + e.residual + e.work;
            worst = worst.max((e.change - booked).abs());
            contact_sum += e.contact;
            if e.contact != 0.0 { corrected += 1; factors += s.row().work.factorizations; solves += s.row().work.solves; }
            if s.t() < 0.77 { flight = 1.0 - s.energies().total() / e0; }
        });
        let e1 = s.energies();
        println!("{method} {step} {contact:?}: least {least:.4} E1/E0 {:.4} flight loss {flight:.5} contact {:.4} ledger {worst:.1e} corrected {corrected} factors {factors} solves {solves} time {:.1}s {:?}", e1.total() / e0, contact_sum / e0, start.elapsed().as_secs_f64(), e1);
    }
}
