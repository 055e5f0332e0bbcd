//! The system's allocator, with a count for each thread.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    // Constant and without a destructor, so that the counter itself needs no memory.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    COUNT.set(COUNT.get() + 1);
}

// SAFETY: every method passes its arguments unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Runs `work`, which may not allocate on this thread.
pub(crate) fn without_allocating<R>(what: &str, work: impl FnOnce() -> R) -> R {
    let before = COUNT.get();
    let result = work();
    let allocations = COUNT.get() - before;
    assert_eq!(allocations, 0, "allocations: {what}");
    result
}

#[test]
fn the_counter_counts() {
    let allocations = |work: fn()| {
        let before = COUNT.get();
        work();
        COUNT.get() - before
    };
    assert_eq!(allocations(|| drop(black_box(Box::new(7)))), 1);
    assert_eq!(allocations(|| drop(black_box(vec![0u8; 9]))), 1);
    assert_eq!(
        allocations(|| {
            let mut bytes = black_box(Vec::<u8>::with_capacity(1));
            bytes.reserve_exact(100);
            drop(black_box(bytes));
        }),
        2
    );
    assert_eq!(allocations(|| drop(black_box(7.to_string()))), 1);
    assert_eq!(allocations(|| _ = black_box([0u8; 64])), 0);
}

#[test]
#[should_panic(expected = "allocations: a box")]
fn an_allocation_fails_its_test() {
    without_allocating("a box", || black_box(Box::new(7)));
}
