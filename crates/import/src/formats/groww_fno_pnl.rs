//! Groww's profit and loss report for futures and options, one row for each purchase matched with its sale. Groww has no
//! order history of them. A row is two trades, each on its day; which of the two came first within a day is not known.

use rpc::trades::v1::{Broker, Contract, Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use super::{Fault, FileSoFar, Format, Found, Header, Reader, cells};
use crate::field::{self, Moment};
use crate::sheet::{Cell, Row};

/// What a price may differ from value through quantity: it is rounded to paise, or is that of the last fill.
const ROUNDING: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

pub(super) struct GrowwFnoPnl;

impl Format for GrowwFnoPnl {
    fn name(&self) -> &'static str {
        "groww-fno-pnl"
    }

    fn title(&self) -> &'static str {
        "Groww P&L report for futures and options"
    }

    fn found_at(&self) -> &'static str {
        "Groww's P&L report for futures and options (Profile, Reports, F&O – P&L)"
    }

    fn broker(&self) -> Broker {
        Broker::Groww
    }

    fn recognise(&self, header: &Header<'_>) -> Option<Box<dyn Reader>> {
        // The sheet of contracts has no days, so this is the sheet of trades.
        let columns = Columns::of(header)?;
        Some(Box::new(Blocks { columns, part: Part::of_titles(header) }))
    }
}

/// Where the columns are. The same in both blocks, as far as was seen; each block repeats them.
struct Columns {
    scrip: usize,
    quantity: usize,
    buy: Leg,
    sell: Leg,
}

/// One side of a pair.
struct Leg {
    date: usize,
    price: Option<usize>,
    value: usize,
}

impl Columns {
    fn of(header: &Header<'_>) -> Option<Self> {
        let leg = |side: &str| {
            Some(Leg {
                date: header.column(&format!("{side}date"))?,
                price: header.column(&format!("{side}price")),
                value: header.column(&format!("{side}value"))?,
            })
        };
        Some(Self {
            scrip: header.column("scripname")?,
            quantity: header.column("quantity")?,
            buy: leg("buy")?,
            sell: leg("sell")?,
        })
    }
}

/// The blocks of the sheet: futures and options that were closed, perhaps those still open, and a disclaimer.
struct Blocks {
    columns: Columns,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Realised,
    Unrealised,
    Disclaimer,
}

impl Part {
    fn of_titles(header: &Header<'_>) -> Self {
        let open = header.titled("unrealised trades") && !header.titled("realised trades");
        if open { Self::Unrealised } else { Self::Realised }
    }

    /// What a heading begins.
    fn begun_by(heading: &str) -> Option<Self> {
        let heading = heading.to_lowercase();
        let parts = [
            ("unrealised", Self::Unrealised),
            ("unrealized", Self::Unrealised),
            ("realised", Self::Realised),
            ("realized", Self::Realised),
            ("disclaimer", Self::Disclaimer),
        ];
        parts.into_iter().find_map(|(beginning, part)| heading.starts_with(beginning).then_some(part))
    }
}

impl Reader for Blocks {
    fn read(&mut self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Option<Found>, Fault> {
        if let Some(columns) = Columns::of(&Header::of(row, &[])) {
            self.columns = columns;
            return Ok(None);
        }
        if let Some(heading) = lone_text(row) {
            self.part = Part::begun_by(heading).unwrap_or(self.part);
            return Ok(None);
        }
        let first = row.cells().find_map(field::text).unwrap_or_default().to_lowercase();
        match self.part {
            Part::Disclaimer => Ok(None),
            // Of the block's sum, which has no days, and of the header of a block with other columns.
            _ if first == "scrip name" || first.starts_with("total") && self.columns.has_no_day(row) => Ok(None),
            Part::Unrealised => Err(Fault::no_trade(
                self.columns.scrip,
                "position_open",
                "The position is still open, so it is left out. It comes with a later report, once it is closed.",
            )),
            Part::Realised => self.columns.pair(row, file).map(Some),
        }
    }
}

/// The text of a row that has no other cell.
fn lone_text<'r>(row: &Row<'r>) -> Option<&'r str> {
    let mut cells = row.cells().filter(|cell| !cell.is_blank());
    match (cells.next(), cells.next()) {
        (Some(Cell::Text(text)), None) => Some(text.trim()),
        _ => None,
    }
}

impl Columns {
    fn has_no_day(&self, row: &Row<'_>) -> bool {
        row.cell(self.buy.date).is_blank() && row.cell(self.sell.date).is_blank()
    }

    fn pair(&self, row: &Row<'_>, file: &mut FileSoFar) -> Result<Found, Fault> {
        let scrip = cells::symbol(row, self.scrip)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let contract = instrument::parse_description(&scrip).map(cells::wire_contract);
        let quantity = cells::quantity(row, self.quantity)?;
        let bought = self.buy.read(row, quantity, file)?;
        let sold = self.sell.read(row, quantity, file)?;
        // No ids: equal rows are told apart by their number alone.
        let contents = format!(
            "{}/{}/{}/{}/{}/{}",
            scrip.to_uppercase(),
            field::plain(quantity),
            bought.day.day,
            field::plain(bought.value),
            sold.day.day,
            field::plain(sold.value)
        );
        let key = file.numbered(contents);
        let pair = Pair { scrip, contract, quantity, key };
        let warning = pair.contract.is_none().then(|| {
            let sentence = "The name does not say which contract this is. It goes in without its expiry and strike.";
            Fault::at(self.scrip, "contract_unknown", sentence)
        });
        let expired = |leg: &Leg| {
            let sentence = "The option ended without value, so there is one trade in this row and not two.";
            Some(Fault::ordinary(leg.value, "expired_without_value", sentence))
        };
        let (trade, other_leg, warning) = match (pair.leg(Side::Buy, &bought)?, pair.leg(Side::Sell, &sold)?) {
            (Some(buy), Some(sell)) => (buy, Some(Box::new(sell)), warning),
            (Some(buy), None) => (buy, None, warning.or_else(|| expired(&self.sell))),
            (None, Some(sell)) => (sell, None, warning.or_else(|| expired(&self.buy))),
            (None, None) => {
                return Err(Fault::at(self.buy.value, "value_not_positive", "The value is not above 0."));
            }
        };
        Ok(Found { segment: Segment::Fno, trade, other_leg, warning })
    }
}

/// What the file says of one side.
struct Told {
    day: Moment,
    value: Decimal,
    /// None where the value is 0: an option that ended without any.
    price: Option<Decimal>,
}

impl Leg {
    fn read(&self, row: &Row<'_>, quantity: Decimal, file: &FileSoFar) -> Result<Told, Fault> {
        let day = cells::moment(row, self.date, file)?;
        let value = cells::value(row, self.value)?;
        if value.is_zero() {
            return Ok(Told { day, value, price: None });
        }
        let price = cells::price_of(value, quantity, self.value)?;
        if let Some(told) = self.price.and_then(|column| field::decimal(row.cell(column))) {
            let allowed = ROUNDING.max(price * ROUNDING);
            if told.checked_sub(price).is_none_or(|off| off.abs() > allowed) {
                let sentence = "The value is not price times quantity.";
                return Err(Fault::at(self.value, "value_implausible", sentence));
            }
        }
        Ok(Told { day, value, price: Some(price) })
    }
}

/// What both sides of a row share.
struct Pair {
    scrip: String,
    contract: Option<Contract>,
    quantity: Decimal,
    key: String,
}

impl Pair {
    fn leg(&self, side: Side, told: &Told) -> Result<Option<ImportedTrade>, Fault> {
        let Some(price) = told.price else {
            return Ok(None);
        };
        let day = Moment { day: told.day.day, time: None };
        let (executed_at, precision) = cells::wire_time(day, TimePrecision::Day);
        Ok(Some(ImportedTrade {
            side: side.into(),
            symbol: self.scrip.clone(),
            quantity: field::plain(self.quantity),
            price: field::plain(price),
            value: field::plain(told.value),
            executed_at,
            time_precision: precision.into(),
            exchange: exchange(&self.scrip).into(),
            source_key: cells::key(format!("{}/{}", self.key, cells::side_name(side)))?,
            contract: self.contract.clone(),
            ..ImportedTrade::default()
        }))
    }
}

/// The file does not say it: these indices are traded at BSE, all else at NSE.
fn exchange(scrip: &str) -> Exchange {
    let name = scrip.split_whitespace().next().unwrap_or_default().to_uppercase();
    if matches!(name.as_str(), "SENSEX" | "BANKEX" | "SENSEX50") { Exchange::Bse } else { Exchange::Nse }
}
