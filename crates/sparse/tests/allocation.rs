//! After the first factorization on a pattern neither factoring nor solving allocates.

use sparse::{Backend, solver};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

mod common;
use common::{Random, elastic_block};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|a| a.set(a.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|a| a.set(a.get() + 1));
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn factoring_again_and_solving_allocate_nothing() {
    for size in [(3, 2, 1), (12, 12, 12), (40, 40, 2)] {
        for backend in [Backend::Cholesky, Backend::Lu, Backend::Cg] {
            let mut a = elastic_block(size.0, size.1, size.2, 3.0);
            let mut solver = solver(backend);
            let mut x = Random::new(1).vector(a.n());
            solver.factor(&a).unwrap();
            solver.solve(&mut x).unwrap();
            a.add_diagonal(0.5);
            let before = ALLOCATIONS.get();
            for _ in 0..3 {
                solver.factor(&a).unwrap();
                solver.solve(&mut x).unwrap();
                solver.solve(&mut x).unwrap();
            }
            assert_eq!(ALLOCATIONS.get() - before, 0, "{backend:?} on {size:?}");
        }
    }
}
