//! Work that two processors share.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many work at once.
pub const WORKERS: u32 = 2;

/// Does the same with each of the items, whoever is free the next one; what comes of them, in their order.
pub fn shared<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(work).collect();
    }
    let items = Mutex::new(items.into_iter().enumerate());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || std::iter::from_fn(next).map(|(place, item)| (place, work(item))).collect::<Vec<_>>();
    let mut done = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut done = work();
        done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shared_comes_back_in_order() {
        for count in [0, 1, 2, 1_000] {
            let squares: Vec<u64> = (0..count).map(|n| n * n).collect();
            assert_eq!(shared((0..count).collect(), |n| n * n), squares);
        }
    }
}
