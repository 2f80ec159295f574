//! Parallel computation on two threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Number of threads that work at once.
pub const WORKERS: u32 = 2;

/// Maps items on two threads; each thread takes the next item when it is free. Returns the results in the order of the
/// items.
pub fn parallel_map<T: Send, R: Send>(items: Vec<T>, map: impl Fn(T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(map).collect();
    }
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || std::iter::from_fn(next).map(|(index, item)| (index, map(item))).collect::<Vec<_>>();
    let mut results = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut results = work();
        results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_results_in_the_order_of_the_items() {
        for count in [0, 1, 2, 1_000] {
            let squares: Vec<u64> = (0..count).map(|n| n * n).collect();
            assert_eq!(parallel_map((0..count).collect(), |n| n * n), squares);
        }
    }
}
