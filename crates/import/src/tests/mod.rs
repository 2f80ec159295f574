//! Parses whole files in the test process. `tests/sandbox` tests them with a real parser process.

mod angelone_trades;
mod contract_notes;
mod dhan;
mod fivepaisa_transactions;
mod fixtures;
mod fuzz;
mod fyers_tradebook;
mod groww_fno_pnl;
mod groww_stock_orders;
mod hdfcsecurities_trades;
mod icicidirect;
mod kotak_transactions;
mod layouts;
mod ledgers;
mod mapped_table;
mod note_layouts;
mod note_workbooks;
mod ole_check;
mod parser_process;
mod paytmmoney_tradebook;
mod pdf_fixtures;
mod profit_report;
mod property;
mod rejected_files;
mod sheet;
mod signature_fixtures;
mod signatures;
mod tax_report;
mod trade_warnings;
mod upstox_trades;
mod zerodha_tradebook;
mod zerodha_tradebook_fno;
mod zip_check;

use std::io::Write;

use rpc::imports::v1::FileIssue;
use rpc::trades::v1::{Contract, ContractKind, ContractNote, Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use rpc::failure::Failure as _;

use crate::error::{Error, Rejection, RejectionReason};
use crate::file_parser;
use crate::formats;
use crate::protocol::{Event, FileSummary, ParserOptions, RejectedFile};

#[test]
fn the_names_of_a_format_start_with_its_broker() {
    for format in formats::ALL {
        let broker = rpc::broker::Broker::from_wire(format.broker()).unwrap();
        assert!(format.name().starts_with(&format!("{}-", broker.name())), "{}", format.name());
        let title = texts::text("import", &format!("format.{}", format.name()), &texts::Params::new()).unwrap();
        assert!(title.starts_with(broker.title()), "{title}");
    }
}

/// Events of a parsed file.
#[derive(Default)]
struct Outcome {
    format: Option<(String, Segment)>,
    trades: Vec<ImportedTrade>,
    summary: Option<FileSummary>,
    rejection: Option<(RejectionReason, String)>,
    /// Number of the mapping with which the file was read.
    mapping: Option<u32>,
}

impl Outcome {
    /// Returns the number, quantity and value of the trades of one side.
    fn sum(&self, side: Side) -> (usize, Decimal, Decimal) {
        let trades = self.trades.iter().filter(|trade| trade.side() == side);
        trades.fold((0, Decimal::ZERO, Decimal::ZERO), |(count, quantity, value), trade| {
            let number = |text: &str| text.parse::<Decimal>().unwrap();
            let trade_value = match trade.value.as_str() {
                "" => number(&trade.quantity) * number(&trade.price),
                value => number(value),
            };
            (count + 1, quantity + number(&trade.quantity), value + trade_value)
        })
    }

    fn error_issues(&self) -> &[FileIssue] {
        self.summary.as_ref().map_or(&[], |summary| &summary.errors)
    }

    /// Returns row, column and code of every error.
    fn errors(&self) -> Vec<(i64, &str, &str)> {
        self.error_issues().iter().map(|p| (p.row, p.column.as_str(), p.code.as_str())).collect()
    }

    /// Returns row, column and code of every warning.
    fn warnings(&self) -> Vec<(i64, &str, &str)> {
        let warnings = self.summary.as_ref().map_or(&[][..], |summary| &summary.warnings);
        warnings.iter().map(|p| (p.row, p.column.as_str(), p.code.as_str())).collect()
    }

    /// Returns day, turnover and charges of each day whose charges the file states: brokerage, STT, exchange charges, SEBI
    /// fee, IPFT, stamp duty and GST.
    fn stated_charges(&self) -> Vec<(&str, &str, [&str; 7])> {
        let notes = self.summary.as_ref().map_or(&[][..], |summary| &summary.contract_notes);
        notes
            .iter()
            .inspect(|note| assert!(note.from_tradebook && note.number.is_empty(), "{note:?}"))
            .map(|note| {
                let ContractNote { brokerage, stt, exchange, sebi, ipft, stamp_duty, gst, .. } = note;
                let charges = [brokerage, stt, exchange, sebi, ipft, stamp_duty, gst].map(String::as_str);
                (note.date.as_str(), note.turnover.as_str(), charges)
            })
            .collect()
    }

    /// Returns the numbers of rows, trades, errors, warnings and skipped rows.
    fn counts(&self) -> (i64, i64, i64, i64, i64) {
        let summary = self.summary.as_ref().unwrap();
        (summary.rows, summary.trades, summary.error_count, summary.warning_count, summary.skipped)
    }

    /// Checks that the trade log accepts every trade, and that the counts agree. A rejected file passes.
    #[track_caller]
    fn assert_valid(&self) {
        if self.rejection.is_some() {
            return;
        }
        let summary = self.summary.as_ref().unwrap();
        let rows_with_trades = summary.rows - summary.error_count - summary.skipped;
        assert!((rows_with_trades..=2 * rows_with_trades).contains(&summary.trades), "{summary:?}");
        assert_eq!(usize::try_from(summary.trades).unwrap(), self.trades.len());
        assert!(summary.errors.len() <= 1_000 && summary.warnings.len() <= 1_000);
        let limit = Decimal::from(100_000_000_000_u64);
        for trade in &self.trades {
            let (quantity, price) = (decimal(&trade.quantity), decimal(&trade.price));
            assert!(quantity > Decimal::ZERO && quantity < limit && quantity.fract().is_zero(), "{trade:?}");
            assert!(price > Decimal::ZERO && price < limit && price.normalize().scale() <= 4, "{trade:?}");
            let value = match trade.value.as_str() {
                "" => (quantity * price).round_dp(4),
                value => decimal(value),
            };
            assert!(value > Decimal::ZERO && value < limit && value.normalize().scale() <= 4, "{trade:?}");
            assert!(!trade.symbol.is_empty() && trade.symbol.chars().count() <= 64, "{trade:?}");
            assert!(!trade.source_key.is_empty() && trade.source_key.chars().count() <= 120, "{trade:?}");
            assert!(!trade.symbol.chars().chain(trade.source_key.chars()).any(char::is_control), "{trade:?}");
            assert!(trade.side() != Side::Unspecified && trade.exchange() != Exchange::Unspecified, "{trade:?}");
            assert!(trade.executed_at.is_some() && trade.time_precision() != TimePrecision::Unspecified, "{trade:?}");
            if let Some(contract) = &trade.contract {
                assert_contract(contract);
            }
        }
    }

    fn keys(&self) -> Vec<&str> {
        self.trades.iter().map(|trade| trade.source_key.as_str()).collect()
    }
}

/// Parses a file; of a file with trades of both segments, the shares.
fn read(content: &[u8]) -> Outcome {
    read_segment(content, Segment::Equity)
}

/// Parses a file; of a file with trades of both segments, those of `segment`.
fn read_segment(content: &[u8], segment: Segment) -> Outcome {
    read_with(content, segment, &ParserOptions::default())
}

/// Parses a file; a table without a known format with one of the mappings of `options`.
fn read_with(content: &[u8], segment: Segment, options: &ParserOptions) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut outcome = Outcome::default();
    file_parser::parse_trades(file, segment, options, &mut |event| {
        match event {
            Event::Format(file) => {
                outcome.format = Some((file.format.clone(), file.segment()));
                outcome.mapping = file.mapping;
            }
            Event::Batch(batch) => outcome.trades.extend(batch.trades),
            Event::Summary(summary) => {
                summary.errors.iter().chain(&summary.warnings).for_each(|issue| drop(issue_text(issue)));
                outcome.summary = Some(summary);
            }
            Event::Rejected(file) => outcome.rejection = Some((file.reason(), rejection_text(file))),
            Event::ProfitReport(_) | Event::TaxReport(_) | Event::Table(_) | Event::Ledger(_) | Event::Layout(_) => {
                panic!("a list of trades is expected")
            }
        }
        Ok(())
    })
    .unwrap();
    outcome
}

/// Returns the text for people of a rejection.
fn rejection_text(file: RejectedFile) -> String {
    let reason = file.reason();
    let params = Rejection::PARAMS.into_iter().filter_map(|name| Some((name, file.params.get(name)?.clone())));
    error_text(&Rejection { reason, params: params.collect() }.into())
}

/// Returns the text for people of an error. Fails if a value is missing.
fn error_text(error: &Error) -> String {
    let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let text = texts::error("import", error.reason(), &params).unwrap_or_else(|| panic!("{error} has no text"));
    assert!(!text.replace("for … from … to …", "").contains('…'), "{text}");
    text
}

/// Returns the text for people of an issue. Fails if a value is missing.
fn issue_text(issue: &FileIssue) -> String {
    let mut params = issue.params.clone();
    params.insert("sheet".to_owned(), issue.sheet.clone());
    let text = texts::text("import", &format!("issue.{}", issue.code), &params);
    let text = text.unwrap_or_else(|| panic!("{} has no text", issue.code));
    assert!(!text.contains('…'), "{text}");
    text
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Checks that the trade log accepts the contract.
#[track_caller]
fn assert_contract(contract: &Contract) {
    assert!(!contract.underlying.is_empty() && contract.underlying.len() <= 64, "{contract:?}");
    assert!(matches!(contract.expiry.len(), 7 | 10) && contract.expiry.starts_with("20"), "{contract:?}");
    match contract.kind() {
        ContractKind::Unspecified => panic!("{contract:?}"),
        ContractKind::Future => assert_eq!(contract.strike, ""),
        ContractKind::Call | ContractKind::Put => {
            let strike = decimal(&contract.strike);
            assert!(strike > Decimal::ZERO && strike.normalize().scale() <= 4, "{contract:?}");
        }
    }
}

/// Returns the header of a tradebook as a line of CSV.
fn tradebook_header() -> String {
    fixtures::tradebook_csv().lines().next().unwrap().to_owned()
}

#[test]
fn the_texts_of_the_limits_have_their_values() {
    let number = |limit: u64| texts::format_number(&limit.to_string());
    let max_rows = number(crate::protocol::MAX_ROWS.unsigned_abs());
    for (reason, values) in [
        ("FILE_UNREADABLE.XLS_TOO_LARGE", vec![format!("{} MB", crate::ole_check::MAX_FILE_BYTES >> 20)]),
        ("TOO_MANY_ROWS", vec![max_rows.clone()]),
        ("TOO_MANY_ROWS.CELLS", vec![number(crate::sheet::MAX_CELLS)]),
        ("TOO_MANY_ROWS.LEDGER", vec![number(crate::protocol::MAX_LEDGER_ENTRIES as u64)]),
        ("TOO_MANY_ROWS.PNL_REPORT", vec![number(crate::protocol::MAX_REPORT_ROWS as u64), max_rows]),
        ("TOO_MANY_ROWS.XLS_RANGE", vec![number(crate::ole_check::MAX_CELLS)]),
    ] {
        let text = texts::error("import", reason, &texts::Params::new()).unwrap();
        assert!(values.iter().all(|value| text.contains(value)), "{text}");
    }
}
