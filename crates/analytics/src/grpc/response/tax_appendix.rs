//! Appendix of the tax pack: open positions at the end of the year, and charges by component.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use time::Date;

use crate::analysis::Analysis;
use crate::charges::Charges;
use crate::fill::Fill;
use crate::grpc::response::charges_and_taxes::to_component_sums;
use crate::grpc::response::closed_trades::to_open_position;
use crate::grpc::values::{format_day, format_decimal, to_count};
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::OpenPosition;
use crate::rates_version::rates_version;
use crate::tax::{DividendLine, FinancialYear, TaxAccounts, TaxEntry, YearCharges, dividend_lines};

/// Positions at the end of a year, which fit into one message.
const MAX_YEAR_END_POSITIONS: usize = 5_000;

/// Returns the appendix of a year that ends after `today` as of `today`.
pub fn to_tax_appendix(
    analysis: &Analysis,
    year: FinancialYear,
    accounts: &TaxAccounts,
    entries: &[TaxEntry],
    today: Date,
) -> wire::GetTaxAppendixResponse {
    let day = year.last_day().min(today);
    let on_day = analysis.open_on(day, |account| accounts.contain(account));
    // Opening holdings of other accounts are matched with the adjustments.
    let mut positions: Vec<(&OpenPosition, &Fill)> = on_day
        .ledgers()
        .flat_map(InstrumentLedger::positions)
        .filter(|(_, fill)| accounts.contain(fill.account))
        .collect();
    positions.sort_by_cached_key(|(position, fill)| {
        (fill.account, position.instrument.is_contract(), position.instrument.symbol.clone(), fill.day)
    });
    let first = positions.iter().take(MAX_YEAR_END_POSITIONS);
    let charges = YearCharges::new(analysis, year, accounts, entries);
    wire::GetTaxAppendixResponse {
        day: format_day(day),
        positions: first.map(|(position, fill)| to_open_position(position, fill)).collect(),
        positions_total: to_count(positions.len()),
        speculative: Some(to_charge_sums(&charges.speculative)),
        non_speculative: Some(to_charge_sums(&charges.non_speculative)),
        capital_gains: Some(to_charge_sums(&charges.capital_gains)),
        rates_version: rates_version().to_owned(),
        dividends: dividend_lines(analysis, year, accounts, entries).iter().map(to_dividend_line).collect(),
    }
}

fn to_charge_sums(charges: &Charges) -> wire::ChargeSums {
    wire::ChargeSums { components: to_component_sums(charges), stated: format_decimal(charges.stated) }
}

fn to_dividend_line(line: &DividendLine) -> wire::DividendLine {
    wire::DividendLine {
        day: format_day(line.day),
        name: line.name.clone(),
        broker: line.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(line.account.number),
        amount: format_decimal(line.amount),
        tax_deducted: format_decimal(line.tax_deducted),
        is_buyback: line.is_buyback,
    }
}
