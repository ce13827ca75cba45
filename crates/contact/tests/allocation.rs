//! After the first call neither the broad phase nor continuous collision detection allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use contact::broad::{BroadPhase, Candidates};
use contact::ccd::{CcdOptions, free_fraction};
use contact::{CollisionSurface, Point};
use meshing::shapes::{Ball, ElementKind};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn detection_allocates_nothing_after_the_first_call() {
    let ball = Ball {
        radius: 0.5,
        cells: 16,
        element: ElementKind::Tet4,
    };
    let mesh = ball.mesh().unwrap();
    let surface = CollisionSurface::from_mesh(&mesh, &Default::default());
    let p = &surface.primitives;
    let squeezed = |s: f64| -> Vec<Point> {
        let flat = |q: &Point| [q[0], q[1], s * q[2]];
        mesh.points.iter().map(flat).collect()
    };
    let (start, end) = (squeezed(1.0), squeezed(0.95));
    let (mut near, mut swept) = (Candidates::default(), Candidates::default());
    let mut broad = BroadPhase::new();
    let mut run = |start: &[Point], end: &[Point]| {
        broad.swept_candidates(p, start, end, 0.01, |_, _| true, &mut swept);
        broad.static_candidates(p, start, 0.01, |_, _| true, &mut near);
        let options = CcdOptions::default();
        free_fraction(p, &swept, start, end, &options).map(|b| b.fraction)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let first = run(&start, &end);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..3 {
            assert_eq!(run(&start, &end), first);
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
        assert!(p.edges.len() > 1000, "{}", p.edges.len());
    });
    assert!(near.len() > 100 && swept.len() > 100);
}
