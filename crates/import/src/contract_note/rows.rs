//! Fills of a note as rows of a table, which `formats::contract_note` reads like that of any other file.

use std::collections::BTreeMap;

use rpc::trades::v1::{Broker, Exchange, Side};
use rust_decimal::Decimal;
use time::Date;

use super::fills::Fill;
use super::layout::Layout;
use crate::cell_value::format_decimal;
use crate::file_owner::FileOwner;

/// Columns of the table after the name of the format.
pub(crate) const COLUMNS: [&str; 12] = [
    "tradedate",
    "time",
    "order",
    "trade",
    "exchange",
    "segment",
    "description",
    "isin",
    "side",
    "quantity",
    "price",
    "value",
];

/// Returns the rows above the fills: the owner and the header.
pub(super) fn headers(layout: &Layout, owner: &FileOwner) -> Vec<Vec<String>> {
    let header = COLUMNS.into_iter().chain([layout.format]).map(str::to_owned).collect();
    vec![vec!["Client code".to_owned(), owner.client_code.clone()], header]
}

/// Returns a row for each fill; for Groww, whose other reports have no fills, for each order.
pub(super) fn of_fills(layout: &Layout, day: Date, fills: &[Fill]) -> Vec<Vec<String>> {
    if layout.broker != Broker::Groww {
        return fills.iter().map(|fill| to_row(layout, day, fill, None)).collect();
    }
    let mut orders: BTreeMap<(&str, &str, bool, bool), Fill> = BTreeMap::new();
    for fill in fills {
        let key = (&*fill.order_id, &*fill.isin, fill.exchange == Some(Exchange::Bse), fill.side == Side::Sell);
        match orders.get_mut(&key) {
            Some(order) => {
                order.quantity += fill.quantity;
                order.value += fill.value;
                order.time = order.time.max(fill.time);
            }
            None => drop(orders.insert(key, fill.clone())),
        }
    }
    orders.values().map(|order| to_row(layout, day, order, Some(order.value))).collect()
}

fn to_row(layout: &Layout, day: Date, fill: &Fill, order_value: Option<Decimal>) -> Vec<String> {
    let gross = if layout.has_gross_rate { fill.rates.first().copied() } else { fill.net_rate() };
    let exchange = if fill.exchange == Some(Exchange::Bse) { "BSE" } else { "NSE" };
    vec![
        day.to_string(),
        fill.time.to_string(),
        fill.order_id.clone(),
        fill.trade_id.clone(),
        exchange.to_owned(),
        if fill.is_contract() { "FO" } else { "EQ" }.to_owned(),
        fill.description.clone(),
        fill.isin.clone(),
        if fill.side == Side::Buy { "B" } else { "S" }.to_owned(),
        format_decimal(fill.quantity),
        gross.filter(|_| order_value.is_none()).map(format_decimal).unwrap_or_default(),
        order_value.map(format_decimal).unwrap_or_default(),
    ]
}
