//! Conversion of domain types to responses.

use prost_types::Timestamp;
use rpc::broker_account::to_wire_account_number;
use rpc::trades::v1 as wire;
use time::OffsetDateTime;

use crate::contract::{Contract, ContractKind};
use crate::store::{Change, ChangeKind, ImportOutcome, ImportSummary, LogHead, LoggedTrade, UncoveredSale};
use crate::trade::{Book, Exchange, Notes, Segment, Side, TimePrecision};

pub(super) fn to_wire_head(head: LogHead, unchanged: bool) -> wire::TradesHead {
    wire::TradesHead {
        version: head.version,
        unchanged,
        total: head.total,
        last_book: head.last_book.map(to_wire_book),
        broker_accounts_version: head.broker_accounts_version,
    }
}

/// Hides the middle of a client code.
pub(super) fn mask_client_code(code: &str) -> String {
    match code.len() {
        0 => String::new(),
        1..=4 => "••".to_owned(),
        len => format!("{}••{}", &code[..2], &code[len - 2..]),
    }
}

pub(super) fn to_wire_book(book: Book) -> wire::Book {
    let broker = book.broker_account.broker.to_wire();
    let segment = match book.segment {
        Segment::Equity => wire::Segment::Equity,
        Segment::Fno => wire::Segment::Fno,
    };
    wire::Book {
        broker: broker.into(),
        segment: segment.into(),
        broker_account: to_wire_account_number(book.broker_account.number),
    }
}

pub(super) const fn to_wire_side(side: Side) -> wire::Side {
    match side {
        Side::Buy => wire::Side::Buy,
        Side::Sell => wire::Side::Sell,
    }
}

pub(super) const fn to_wire_precision(precision: TimePrecision) -> wire::TimePrecision {
    match precision {
        TimePrecision::Second => wire::TimePrecision::Second,
        TimePrecision::Minute => wire::TimePrecision::Minute,
        TimePrecision::Day => wire::TimePrecision::Day,
    }
}

pub(super) const fn to_wire_exchange(exchange: Exchange) -> wire::Exchange {
    match exchange {
        Exchange::Nse => wire::Exchange::Nse,
        Exchange::Bse => wire::Exchange::Bse,
    }
}

pub(super) fn to_wire_trade(trade: LoggedTrade) -> wire::Trade {
    wire::Trade {
        id: trade.trade_id,
        book: Some(to_wire_book(trade.book)),
        side: to_wire_side(trade.side).into(),
        symbol: trade.symbol,
        quantity: trade.quantity.normalize().to_string(),
        price: trade.price.normalize().to_string(),
        value: trade.value.normalize().to_string(),
        executed_at: Some(to_timestamp(trade.executed_at)),
        time_precision: to_wire_precision(trade.time_precision).into(),
        exchange: to_wire_exchange(trade.exchange).into(),
        order_id: trade.order_id.unwrap_or_default(),
        isin: trade.isin.unwrap_or_default(),
        series: trade.series.unwrap_or_default(),
        auction: trade.auction,
        notes: trade.notes.map(|notes| to_wire_notes(*notes)),
        pair_id: trade.pair_id.unwrap_or_default(),
        imported: trade.imported,
        source_key: trade.source_key.unwrap_or_default(),
        edited: trade.edited,
        contract: trade.contract.map(|contract| to_wire_contract(*contract)),
    }
}

pub(super) fn to_wire_contract(contract: Contract) -> wire::Contract {
    let kind = match contract.kind {
        ContractKind::Future => wire::ContractKind::Future,
        ContractKind::Call => wire::ContractKind::Call,
        ContractKind::Put => wire::ContractKind::Put,
    };
    wire::Contract {
        underlying: contract.underlying,
        expiry: contract.expiry,
        kind: kind.into(),
        strike: contract.strike.map(|strike| strike.normalize().to_string()).unwrap_or_default(),
    }
}

fn to_wire_notes(notes: Notes) -> wire::Notes {
    let Notes { stock_name, notes, psychology, market_outlook, stop_loss } = notes;
    let stop_loss = stop_loss.map(|price| price.normalize().to_string()).unwrap_or_default();
    wire::Notes { stock_name, notes, psychology, market_outlook, stop_loss }
}

pub(super) fn to_wire_import(imported: &ImportOutcome) -> wire::ImportTradesResponse {
    wire::ImportTradesResponse {
        change_id: imported.change_id,
        replayed: imported.replayed,
        import_id: imported.import_id,
        added: imported.added,
        duplicates: imported.duplicates,
        head: Some(to_wire_head(imported.head, false)),
        first_executed_at: imported.first_executed_at.map(to_timestamp),
        last_executed_at: imported.last_executed_at.map(to_timestamp),
        conflicts: imported.conflicts,
        corrected: imported.corrected,
        warnings: imported.uncovered_sales.listed.iter().map(to_wire_warning).collect(),
        warning_count: imported.uncovered_sales.count,
        book: Some(to_wire_book(imported.book)),
    }
}

/// Returns the warning about a sale without a purchase.
pub(super) fn to_wire_warning(sale: &UncoveredSale) -> wire::Issue {
    let UncoveredSale { symbol, day, quantity } = sale;
    let params = [("day", day.to_string()), ("quantity", quantity.normalize().to_string()), ("symbol", symbol.clone())];
    wire::Issue {
        value: symbol.clone(),
        code: "sale_without_purchase".to_owned(),
        params: params.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Default::default()
    }
}

pub(super) fn to_timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}

pub(super) fn to_wire_change(change: Change) -> wire::Change {
    let kind = match change.kind {
        ChangeKind::Import => wire::ChangeKind::Import,
        ChangeKind::Entry => wire::ChangeKind::Entry,
        ChangeKind::Replace => wire::ChangeKind::Replace,
        ChangeKind::Edit => wire::ChangeKind::Edit,
        ChangeKind::Delete => wire::ChangeKind::Delete,
    };
    wire::Change {
        id: change.change_id,
        book: Some(to_wire_book(change.book)),
        kind: kind.into(),
        made_at: Some(to_timestamp(change.made_at)),
        added: change.added,
        removed: change.removed,
        symbol: change.symbol.unwrap_or_default(),
        import: change.import.map(to_wire_import_summary),
        undone_at: change.undone_at.map(to_timestamp),
        undo_until: change.undo_until.map(to_timestamp),
        newer_changes: change.newer_changes,
    }
}

fn to_wire_import_summary(import: ImportSummary) -> wire::ImportSummary {
    wire::ImportSummary {
        import_id: import.import_id,
        file_name: import.file_name,
        file_sha256: import.file_sha256,
        format: import.format,
        duplicates: import.duplicates,
        first_executed_at: import.first_executed_at.map(to_timestamp),
        last_executed_at: import.last_executed_at.map(to_timestamp),
        rows: import.rows,
        errors: import.errors,
        warnings: import.warnings,
        conflicts: import.conflicts,
        corrected: import.corrected,
        duration_ms: import.duration_ms,
    }
}
