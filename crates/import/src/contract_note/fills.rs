//! Fills of the annexure, one line per fill.

use rpc::trades::v1::{Exchange, Side};
use rust_decimal::Decimal;
use time::Time;

use super::amount;
use super::isin;
use crate::cell_value;
use crate::pdf::{Line, TextItem};
use crate::sheet::Cell;

/// Lines over which the cells of a fill may wrap.
const MAX_FILL_LINES: usize = 4;
/// Tolerance of horizontal positions in points.
const MARGIN: f32 = 3.0;

/// Fill as stated in a note.
#[derive(Clone, Debug)]
pub(super) struct Fill {
    pub order_id: String,
    pub trade_id: String,
    pub time: Time,
    pub description: String,
    pub isin: String,
    pub exchange: Option<Exchange>,
    pub side: Side,
    pub quantity: Decimal,
    /// Figures between quantity and value: rates, and in some layouts the brokerage.
    pub rates: Vec<Decimal>,
    /// Value before levies, positive.
    pub value: Decimal,
    /// Position of an earlier day, marked to market; not a trade.
    pub is_carried: bool,
}

impl Fill {
    /// Returns the rate that explains the value to the paisa.
    pub fn net_rate(&self) -> Option<Decimal> {
        let explains = |rate: &&Decimal| (self.quantity * **rate - self.value).abs() <= Decimal::new(1, 2);
        self.rates.iter().find(explains).copied()
    }

    /// Returns the value as the client's cash flow: negative for a purchase.
    pub fn cash_flow(&self) -> Decimal {
        if self.side == Side::Buy { -self.value } else { self.value }
    }

    /// Returns true for a future or an option.
    pub fn is_contract(&self) -> bool {
        let name = self.description.trim_end_matches("- NSE").trim_end_matches("- BSE").trim().to_uppercase();
        let after_digit = |suffix: &str| {
            let rest = name.strip_suffix(suffix).map(str::trim_end);
            rest.is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()))
        };
        ["OPTSTK ", "OPTIDX ", "FUTSTK ", "FUTIDX "].iter().any(|prefix| name.starts_with(prefix))
            || self.isin.is_empty()
                && (after_digit("CE")
                    || after_digit("PE")
                    || name.ends_with("FUT") && name.contains(|c: char| c.is_ascii_digit()))
    }
}

/// Columns of the last fill, to which the rest of wrapped cells is added.
struct Columns {
    page: usize,
    order: f32,
    order_time: f32,
    trade: f32,
    trade_time: f32,
    description: f32,
    side: f32,
}

/// Reads the fills of a note.
pub(super) fn read(lines: &[Line]) -> Vec<Fill> {
    let mut fills: Vec<Fill> = Vec::new();
    let (mut block_start, mut exchange, mut columns): (usize, Option<Exchange>, Option<Columns>) = (0, None, None);
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        index += 1;
        if is_fill_start(line) {
            let same_page = lines.get(index - 1..).unwrap_or_default();
            let wrapped = same_page.iter().take(MAX_FILL_LINES).take_while(|other| other.page == line.page);
            let wrapped: Vec<&Line> = wrapped
                .enumerate()
                .take_while(|(at, other)| *at == 0 || !is_fill_start(other))
                .map(|(_, other)| other)
                .collect();
            if let Some((mut fill, read, read_columns)) = parse_fill(&wrapped) {
                fill.exchange = fill.exchange.or(exchange);
                fills.push(fill);
                index += read - 1;
                columns = Some(read_columns);
                continue;
            }
        }
        if let Some(isin) = parse_subtotal(line) {
            fills.iter_mut().skip(block_start).for_each(|fill| fill.isin = isin.to_owned());
            block_start = fills.len();
            columns = None;
            continue;
        }
        exchange = parse_segment_line(line).or(exchange);
        let is_wrapped = match (&columns, fills.last_mut()) {
            (Some(read), Some(fill)) => read.page == line.page && add_wrapped(fill, line, read),
            _ => false,
        };
        columns = columns.filter(|_| is_wrapped);
    }
    fills
}

fn time(item: &TextItem) -> Option<Time> {
    let is_time = item.text.len() == 8 && item.text.bytes().filter(|c| *c == b':').count() == 2;
    is_time.then(|| cell_value::parse_time_of_day(Cell::Text(&item.text))).flatten()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Returns true for a line that begins with order number, time, trade number and time.
fn is_fill_start(line: &Line) -> bool {
    let [order, order_time, trade, trade_time, ..] = line.items.as_slice() else { return false };
    is_digits(&order.text) && is_digits(&trade.text) && time(order_time).is_some() && time(trade_time).is_some()
}

/// Parses a fill whose figures are on the first of these lines or, after a wrapped description, on a later one. Returns
/// the number of its lines.
fn parse_fill(lines: &[&Line]) -> Option<(Fill, usize, Columns)> {
    for count in 1..=lines.len() {
        let mut items: Vec<&TextItem> = lines.iter().take(count).flat_map(|line| &line.items).collect();
        let head: Vec<&TextItem> = items.drain(..4).collect();
        if let (Some((mut fill, side)), [order, order_time, trade, trade_time]) = (parse_cells(&items), head.as_slice())
        {
            fill.order_id.clone_from(&order.text);
            fill.trade_id.clone_from(&trade.text);
            fill.time = time(trade_time)?;
            fill.is_carried = order.text == "0" || trade.text == "0";
            let columns = Columns {
                page: lines.first()?.page,
                order: order.left,
                order_time: order_time.left,
                trade: trade.left,
                trade_time: trade_time.left,
                description: items.first()?.left,
                side,
            };
            return Some((fill, count, columns));
        }
    }
    None
}

/// Parses the cells from the description on; returns also the position of the side.
fn parse_cells(items: &[&TextItem]) -> Option<(Fill, f32)> {
    let is_figure = |item: &&TextItem| amount::parse(&item.text).is_some();
    let is_exchange = |item: &&TextItem| parse_exchange(&item.text).is_some();
    let side_at = (1..items.len()).rev().find(|at| {
        let after = items.get(at + 1..).unwrap_or_default();
        items.get(*at).is_some_and(|item| parse_side(&item.text).is_some())
            && after.iter().find(|item| !is_exchange(item)).is_some_and(is_figure)
    })?;
    let side = items.get(side_at)?;
    let figures: Vec<Decimal> = items
        .get(side_at + 1..)?
        .iter()
        .filter_map(|item| amount::parse(&item.text))
        .map(|one| one.value.abs())
        .collect();
    let [quantity, rates @ .., value] = figures.as_slice() else { return None };
    if rates.is_empty() {
        return None;
    }
    let mut description: Vec<&str> = items.get(..side_at)?.iter().map(|item| item.text.as_str()).collect();
    let after_exchange = items.get(side_at + 1..)?.iter().find_map(|item| parse_exchange(&item.text));
    let before_exchange = description.last().and_then(|item| parse_exchange(item));
    if before_exchange.is_some() && description.iter().rev().nth(1).is_none_or(|item| *item != "-") {
        description.pop();
    }
    let description = description.join(" ");
    let isin_after_side = || items.get(side_at + 1..)?.iter().find(|item| isin::is_isin(&item.text));
    let fill = Fill {
        order_id: String::new(),
        trade_id: String::new(),
        time: Time::MIDNIGHT,
        isin: isin::find(&description).or_else(|| isin_after_side().map(|item| item.text.clone())).unwrap_or_default(),
        description,
        exchange: before_exchange.or(after_exchange),
        side: parse_side(&side.text)?,
        quantity: *quantity,
        rates: rates.to_vec(),
        value: *value,
        is_carried: false,
    };
    Some((fill, side.left))
}

/// Adds the rest of wrapped cells to the fill above; returns false if the line is something else.
fn add_wrapped(fill: &mut Fill, line: &Line, columns: &Columns) -> bool {
    let column = |item: &TextItem| {
        let within = |from: f32, to: f32| (from - MARGIN..to - MARGIN).contains(&item.left);
        match &item.text {
            text if is_digits(text) && within(columns.order, columns.order_time) => Some(0),
            text if is_digits(text) && within(columns.trade, columns.trade_time) => Some(1),
            text if amount::parse(text).is_none_or(|one| !one.is_money)
                && within(columns.description, columns.side) =>
            {
                Some(2)
            }
            _ => None,
        }
    };
    let targets: Option<Vec<u8>> = line.items.iter().map(column).collect();
    let Some(targets) = targets else { return false };
    for (item, target) in line.items.iter().zip(targets) {
        match target {
            0 => fill.order_id.push_str(&item.text),
            1 => fill.trade_id.push_str(&item.text),
            _ => {
                // A cell that wraps within a word, such as an ISIN, continues without a space.
                let separator = if fill.description.ends_with(['/', '[', '-']) { "" } else { " " };
                fill.description = format!("{}{separator}{}", fill.description, item.text);
            }
        }
    }
    if fill.isin.is_empty() {
        fill.isin = isin::find(&fill.description).unwrap_or_default();
    }
    true
}

/// Parses the side of a fill.
pub(crate) fn parse_side(text: &str) -> Option<Side> {
    match text.to_ascii_uppercase().as_str() {
        "B" | "BUY" => Some(Side::Buy),
        "S" | "SELL" => Some(Side::Sell),
        _ => None,
    }
}

fn parse_exchange(text: &str) -> Option<Exchange> {
    match text.to_ascii_uppercase().as_str() {
        "NSE" => Some(Exchange::Nse),
        "BSE" => Some(Exchange::Bse),
        _ => None,
    }
}

/// Returns the exchange of a line such as `NCL-NSE-Equity-M`, `NSEFO` or `NSE-EQ - Z` above a block of fills.
fn parse_segment_line(line: &Line) -> Option<Exchange> {
    let item = match line.items.as_slice() {
        [item] => item,
        [item, dash, _] if dash.text == "-" => item,
        _ => return None,
    };
    let text = item.text.to_ascii_uppercase();
    let is_segment = ["EQUITY", "FO", "F&O", "CM", "EQ"].iter().any(|segment| text.contains(segment));
    match (is_segment, text.contains("NSE"), text.contains("BSE")) {
        (true, true, false) => Some(Exchange::Nse),
        (true, false, true) => Some(Exchange::Bse),
        _ => None,
    }
}

/// Returns the ISIN of a subtotal, which is below the fills of the share.
fn parse_subtotal(line: &Line) -> Option<&str> {
    let [total, isin, ..] = line.items.as_slice() else { return None };
    (total.text.eq_ignore_ascii_case("total") && isin::is_isin(&isin.text)).then_some(&isin.text)
}
