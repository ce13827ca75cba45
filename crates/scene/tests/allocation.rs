//! After its first two steps a simulation does not allocate, for any method and number of threads.
//!
//! Takes about 15 s: the counter sees every thread of the process, so the cases run one after another.

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use scene::build::build;
use scene::session::Session;
use scene::spec::parse;

/// Allocator that counts the allocations of all threads.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        unsafe { Heap.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SCENE: &str = r#"
[time]
method = "{method}"
step = 0.001
until = 1.0

[[body]]
name = "bar"
mesh = { box = { size = [1.2, 0.4, 0.4], cells = [12, 4, 4], element = "hex8" } }
material = { law = "{law}", young = 1e5, poisson = 0.4, density = 1000 }
damping = { mass = 0.5, stiffness = 1e-4 }

[[body.fix]]
where = { x = 0.0 }
motion = { shake = { axis = "y", amplitude = 0.01, frequency = 9.0 } }
"#;

const WIND: &str = "[[wind]]\nvelocity = [6.0, 0.0, 3.0]\ndrag = 1.2\ngust = { amplitude = 0.5, frequency = 0.7 }\n";

const TETHERED: &str = "[[body.tether]]\nwhere = { x = 1.2 }\nstiffness = 100.0\nmotion = { keys = [{ t = 0.0 }, { t = 1.0, rotate-deg = [90.0, 0.0, 0.0] }] }\n";

fn simulation(text: &str) -> Session {
    let (scene, source) = parse("scene.toml", text).unwrap();
    build(scene, &source).unwrap()
}

/// Counts the allocations of steps three to seven.
fn allocations(text: &str) -> usize {
    let mut sim = simulation(text);
    let mut step = || {
        sim.step().unwrap();
    };
    step();
    step();
    let before = ALLOCATIONS.load(Relaxed);
    (0..5).for_each(|_| step());
    ALLOCATIONS.load(Relaxed) - before
}

/// Counts the allocations of ten steps after ten others; every second attempt is rejected.
fn allocations_with_rejections(text: &str) -> usize {
    let mut sim = simulation(text);
    let mut attempts = 0u32;
    sim.set_veto(Some(Box::new(move |_| {
        attempts += 1;
        attempts % 2 == 1
    })));
    let mut step = || {
        sim.step().unwrap();
    };
    (0..10).for_each(|_| step());
    let before = ALLOCATIONS.load(Relaxed);
    (0..10).for_each(|_| step());
    ALLOCATIONS.load(Relaxed) - before
}

/// One test for all: the counter sees every thread of the process.
#[test]
fn a_step_allocates_nothing() {
    let methods = [
        "backward-euler",
        "sdirk2",
        "bdf2",
        "newmark",
        "generalized-alpha",
        "ros3p",
        "rk4",
        "symplectic-euler",
        "central-difference",
        "implicit-midpoint",
        "trapezoid",
        "s-backward-euler",
    ];
    let plain = |method: &str, law: &str| SCENE.replace("{method}", method).replace("{law}", law);
    let mut cases: Vec<(String, String)> = methods
        .iter()
        .map(|m| (m.to_string(), plain(m, "stable-neo-hookean")))
        .collect();
    for law in [
        "neo-hookean",
        "stvk",
        "linear",
        "corotated",
        "corotated-frozen",
        "arap",
        "mooney-rivlin",
    ] {
        cases.push((
            format!("backward-euler, {law}"),
            plain("backward-euler", law),
        ));
    }
    for (what, more) in [
        ("wind", WIND),
        ("tethers", TETHERED),
        ("CG", "[solver]\nlinear = \"cg\"\n"),
        ("LU", "[solver]\nlinear = \"lu\"\n"),
    ] {
        cases.push((
            format!("sdirk2, {what}"),
            plain("sdirk2", "stable-neo-hookean") + more,
        ));
    }
    // The tolerance is so small that every step is blended.
    for base in [
        "implicit-midpoint",
        "sdirk2",
        "newmark",
        "bdf2",
        "symplectic-euler",
    ] {
        for kind in ["blend", "project", "fepr", "multiplier"] {
            cases.push((
                format!("{base}, tracked by {kind}"),
                plain(base, "stable-neo-hookean")
                    + &format!("[time.stabilise]\ntolerance = 1e-12\nkind = \"{kind}\"\n"),
            ));
        }
    }
    cases.push((
        "implicit-midpoint, tracked, local-global".into(),
        plain("implicit-midpoint", "arap")
            + "[time.stabilise]\ntolerance = 1e-12\n[solver]\nnewton = \"local-global\"\n",
    ));
    let held = plain("implicit-midpoint", "arap");
    let (free, _) = held.split_once("[[body.fix]]").unwrap();
    cases.push((
        "implicit-midpoint, tracked and turned back".into(),
        free.to_string()
            + "velocity = { angular = [0.0, 3.0, 9.0] }\n[time.stabilise]\ntolerance = 1e-12\n",
    ));
    cases.push((
        "ros3p, wind".into(),
        plain("ros3p", "stable-neo-hookean") + WIND,
    ));
    cases.push((
        "sdirk2, tet4".into(),
        plain("sdirk2", "stable-neo-hookean").replace("hex8", "tet4"),
    ));
    let mut found = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        for (what, text) in &cases {
            let count = pool.install(|| allocations(text));
            let rejected = pool.install(|| allocations_with_rejections(text));
            if count + rejected > 0 {
                found.push(format!(
                    "{what} on {threads} threads: {count} allocations in 5 steps, {rejected} in 10 with rejections"
                ));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
