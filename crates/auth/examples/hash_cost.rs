//! Measures the cost of one password hash on this machine, with the production parameters.

use std::time::Instant;

use argon2::{Algorithm, Argon2, Params, Version};

const ROUNDS: usize = 20;

fn main() -> Result<(), argon2::Error> {
    let settings = auth::Settings::default();
    let params = Params::new(settings.hash_memory_kib, settings.hash_passes, 1, Some(32))?;
    let mut memory = vec![argon2::Block::default(); params.block_count()];
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut hash = [0; 32];
    let mut millis: Vec<f64> = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let started = Instant::now();
        argon2.hash_password_into_with_memory(b"correct horse battery", &[7; 16], &mut hash, &mut memory)?;
        millis.push(started.elapsed().as_secs_f64() * 1e3);
    }
    millis.sort_by(f64::total_cmp);
    println!(
        "argon2id, m = {} KiB, t = {}, p = 1: {:.1} ms per password (median of {ROUNDS}); {} concurrent hashes",
        settings.hash_memory_kib,
        settings.hash_passes,
        millis.get(ROUNDS / 2).copied().unwrap_or_default(),
        settings.max_concurrent_hashes
    );
    Ok(())
}
