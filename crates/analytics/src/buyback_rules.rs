//! Taxation of buybacks by date, from `rates/buyback.csv`.

use std::sync::LazyLock;

use serde::Deserialize;
use time::Date;
use time::macros::format_description;

/// Taxation of the payment for shares that the company bought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuybackTreatment {
    /// Like a sale.
    CapitalGains,
    /// Not taxed, because the company paid the tax.
    Exempt,
    /// A dividend; the cost of the shares is a capital loss.
    Dividend,
}

#[derive(Deserialize)]
struct Row {
    from: String,
    treatment: BuybackTreatment,
}

/// Treatments with their first days, the newest first.
static TREATMENTS: LazyLock<Vec<(Date, BuybackTreatment)>> = LazyLock::new(|| {
    // The tests load the file, so a row that cannot be parsed fails there.
    let mut reader = csv::Reader::from_reader(include_str!("../rates/buyback.csv").as_bytes());
    let parse = |row: Row| {
        let from = Date::parse(&row.from, format_description!("[year]-[month]-[day]")).ok()?;
        Some((from, row.treatment))
    };
    let mut treatments: Vec<_> = reader.deserialize().flatten().filter_map(parse).collect();
    treatments.sort_by_key(|(from, _)| std::cmp::Reverse(*from));
    treatments
});

impl BuybackTreatment {
    /// Returns the treatment of a buyback that was paid on this day.
    pub fn on(day: Date) -> Self {
        TREATMENTS.iter().find(|(from, _)| *from <= day).map_or(Self::CapitalGains, |(_, treatment)| *treatment)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn treatment_by_date() {
        for (day, treatment) in [
            (date!(2019 - 07 - 04), BuybackTreatment::CapitalGains),
            (date!(2019 - 07 - 05), BuybackTreatment::Exempt),
            (date!(2024 - 09 - 30), BuybackTreatment::Exempt),
            (date!(2024 - 10 - 01), BuybackTreatment::Dividend),
            (date!(2026 - 03 - 31), BuybackTreatment::Dividend),
            (date!(2026 - 04 - 01), BuybackTreatment::CapitalGains),
        ] {
            assert_eq!(BuybackTreatment::on(day), treatment, "{day}");
        }
    }
}
