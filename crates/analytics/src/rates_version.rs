//! Version of the rates and rules, by which two tax packs can be compared.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// Files on which a tax pack depends.
const FILES: [&str; 25] = [
    include_str!("../rates/advance-tax.csv"),
    include_str!("../rates/broker-groww.csv"),
    include_str!("../rates/broker-zerodha.csv"),
    include_str!("../rates/buyback.csv"),
    include_str!("../rates/capital-gains.csv"),
    include_str!("../rates/cess.csv"),
    include_str!("../rates/cost-inflation.csv"),
    include_str!("../rates/exchange.csv"),
    include_str!("../rates/expiry-weekdays.csv"),
    include_str!("../rates/funds.csv"),
    include_str!("../rates/gst.csv"),
    include_str!("../rates/income-tax-slabs.csv"),
    include_str!("../rates/indices.csv"),
    include_str!("../rates/ipft.csv"),
    include_str!("../rates/losses.csv"),
    include_str!("../rates/rebate.csv"),
    include_str!("../rates/return-due.csv"),
    include_str!("../rates/return-lines.csv"),
    include_str!("../rates/sebi.csv"),
    include_str!("../rates/series.csv"),
    include_str!("../rates/stamp-duty.csv"),
    include_str!("../rates/stt.csv"),
    include_str!("../rates/surcharge.csv"),
    include_str!("../rates/trading-holidays.csv"),
    include_str!("../rates/weekly-contracts.csv"),
];

/// Digits of the version.
const VERSION_DIGITS: usize = 12;

/// Returns the first digits of the SHA-256 of all files.
pub fn rates_version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut digest = Sha256::new();
        FILES.iter().for_each(|file| digest.update(file));
        hex::encode(digest.finalize()).chars().take(VERSION_DIGITS).collect()
    });
    &VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_covers_all_rate_files() {
        assert_eq!(std::fs::read_dir("rates").unwrap().count(), FILES.len(), "add a new file to the list");
        assert_eq!(rates_version().len(), VERSION_DIGITS);
    }
}
