//! Parses randomly damaged symbols: nothing panics, and every parsed contract is valid.
//!
//! `FUZZ_ROUNDS=100000 cargo test -p instrument fuzz` runs longer; `FUZZ_SEED` selects other inputs. Add an input that
//! fails to `corpus/`, which every run parses.

// Shared with the fuzz test of broker files.
#[path = "../../../import/src/tests/fixtures/mutation.rs"]
mod mutation;

use std::panic::catch_unwind;
use std::path::Path;

use rust_decimal::Decimal;
use time::macros::date;

use self::mutation::{Rng, env_number, mutate};
use crate::{Contract, Kind, parse_contract, parse_symbol};

/// Checks the limits of the trade log.
fn assert_valid(contract: &Contract) {
    assert!(!contract.underlying.is_empty() && contract.underlying.len() <= 64);
    assert!(matches!(contract.expiry.len(), 7 | 10) && contract.expiry.starts_with("20"));
    match (contract.kind, contract.strike) {
        (Kind::Future, strike) => assert_eq!(strike, None),
        (Kind::Call | Kind::Put, strike) => {
            let strike = strike.unwrap();
            assert!(strike > Decimal::ZERO && strike.scale() <= 4);
        }
    }
}

fn parse_one(input: &[u8]) {
    let symbol = String::from_utf8_lossy(input);
    let traded = date!(2025 - 06 - 03);
    let result = catch_unwind(|| {
        parse_contract(&symbol, traded).iter().for_each(assert_valid);
        for expiry in [date!(2025 - 06 - 26), date!(2025 - 06 - 05)] {
            parse_symbol(&symbol, traded, Some(expiry)).iter().for_each(assert_valid);
        }
    });
    assert!(result.is_ok(), "{symbol:?}");
}

#[test]
fn fuzz_symbols() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/corpus");
    let mut corpus: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    corpus.sort();
    assert!(!corpus.is_empty());
    let seeds = ["NIFTY2560524750PE", "BANKNIFTY24FEBFUT", "M&M25JUN3000.5CE", "NIFTY 16 JUN 26 23900 Call"];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec());
    let inputs: Vec<_> = seeds.chain(corpus.iter().map(|path| std::fs::read(path).unwrap())).collect();
    inputs.iter().for_each(|input| parse_one(input));
    let mut rng = Rng(env_number("FUZZ_SEED", 1));
    for _ in 0..env_number("FUZZ_ROUNDS", 3_000) {
        let input = rng.choose(&inputs).clone();
        parse_one(&mutate(input, &inputs, &mut rng));
    }
}
