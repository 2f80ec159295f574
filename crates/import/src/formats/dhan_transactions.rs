//! Format of Dhan's global transaction report, with one row per scrip and bill: the totals of its buys and its sells.

use instrument::Contract;
use rpc::trades::v1::{Broker, Exchange, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;
use time::Date;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::stated_charges::{Charge, ChargeColumns, ChargeReader, Charges, parse_amount};
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::{self, Moment};
use crate::sheet::Row;

/// Columns of charges. It is not known which charges "Oth. Charges" has: they count as those of the exchange.
const CHARGES: [(&str, Charge); 7] = [
    ("brokerage", |charges| &mut charges.brokerage),
    ("gst", |charges| &mut charges.gst),
    ("stt", |charges| &mut charges.stt),
    ("sebifees", |charges| &mut charges.sebi),
    ("stampduty", |charges| &mut charges.stamp_duty),
    ("txncharges", |charges| &mut charges.exchange),
    ("othcharges", |charges| &mut charges.exchange),
];
/// "Oth. Charges" of sold shares may have the charge of the depository participant from this amount on, in rupees: the
/// lowest one known is ₹3.5 before GST, and the contribution to the IPFT, which is charged per value, is far lower.
const MIN_DP_CHARGE: Decimal = Decimal::from_parts(35, 0, 0, false, 1);
/// Largest difference between the amount after charges and its parts, which are rounded to the paisa, in rupees.
const MAX_ROUNDING: Decimal = Decimal::from_parts(5, 0, 0, false, 2);

pub(super) struct DhanTransactions;

impl Format for DhanTransactions {
    fn name(&self) -> &'static str {
        "dhan-transactions"
    }

    fn broker(&self) -> Broker {
        Broker::Dhan
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        let side = |quantity: &str, value: &str| {
            Some(SideColumns { quantity: header.column(quantity)?, value: header.column(value)? })
        };
        Some(Box::new(Columns {
            date: header.column("date")?,
            name: header.column("scripname")?,
            exchange: header.column("exchange")?,
            bill: header.column("billno")?,
            buy: side("buyqty", "buyvalue")?,
            sell: side("sellqty", "sellvalue")?,
            charges: ChargeColumns::find(header, &CHARGES),
            other_charges: header.column("othcharges")?,
            net: header.column("grossamount"),
        }))
    }
}

struct Columns {
    date: usize,
    name: usize,
    exchange: usize,
    bill: usize,
    buy: SideColumns,
    sell: SideColumns,
    charges: Option<ChargeColumns>,
    other_charges: usize,
    /// Sell value less buy value and charges, although the file calls it gross.
    net: Option<usize>,
}

struct SideColumns {
    quantity: usize,
    value: usize,
}

/// Values of a row that its buys and its sells share.
struct Bill<'r> {
    name: String,
    contract: Option<Contract>,
    day: Moment,
    exchange: Exchange,
    number: &'r str,
}

impl Columns {
    /// Returns true for the sums and the note at the end.
    fn is_footer(row: &Row<'_>) -> bool {
        let first = row.cells().find_map(cell_value::parse_text).unwrap_or_default().to_lowercase();
        first.starts_with("net p&l") || first.starts_with("note") || row.only_text().is_some()
    }

    fn read_contract(&self, row: &Row<'_>) -> Option<Contract> {
        instrument::parse_description(&cell_value::parse_text(row.cell(self.name))?)
    }

    fn read_side(
        &self,
        columns: &SideColumns,
        side: Side,
        bill: &Bill<'_>,
        row: &Row<'_>,
        file: &mut FileState,
    ) -> Result<Option<ParsedRow>, Issue> {
        let is_zero = |cell| cell_value::parse_decimal(cell).is_some_and(|quantity| quantity.is_zero());
        let quantity = row.cell(columns.quantity);
        if quantity.is_blank() || is_zero(quantity) {
            return Ok(None);
        }
        let quantity = trade_fields::read_quantity(row, columns.quantity)?;
        let value = trade_fields::read_value(row, columns.value)?;
        let instrument = match &bill.contract {
            Some(contract) => Instrument::contract(&bill.name, Some(contract.clone())),
            None => Instrument::share(&bill.name, String::new(), bill.day.day),
        };
        let trade = TradeRow {
            instrument,
            name_column: self.name,
            side,
            quantity,
            price: trade_fields::unit_price(value, quantity, columns.value)?,
            executed_at: bill.day,
            precision: TimePrecision::Day,
            exchange: bill.exchange,
            order_id: String::new(),
        };
        trade.total(value, bill.number, file).map(Some)
    }
}

impl ChargeReader for Columns {
    fn day(&self, row: &Row<'_>) -> Option<Date> {
        cell_value::parse_moment(row, row.cell(self.date)).map(|moment| moment.day)
    }

    fn has_only_charges(&self, row: &Row<'_>) -> bool {
        trade_fields::check_exchange_segment(row, self.exchange).is_ok()
            && self.charges.as_ref().is_some_and(|columns| match columns.read(row) {
                Ok(charges) => !charges.total().is_zero(),
                Err(issue) => issue.code != "charges_missing",
            })
    }

    fn read(&self, row: &Row<'_>) -> Result<Charges, Issue> {
        let Some(columns) = &self.charges else { return Ok(Charges::default()) };
        let charges = columns.read(row)?;
        // A charge of the depository participant, which is estimated, must not count twice.
        let is_purchase = parse_amount(row, self.buy.value).is_some_and(|value| !value.is_zero())
            && parse_amount(row, self.sell.value).is_none_or(|value| value.is_zero());
        let may_have_dp_charge = self.read_contract(row).is_none() && !is_purchase;
        if may_have_dp_charge && parse_amount(row, self.other_charges).is_none_or(|other| other >= MIN_DP_CHARGE) {
            return Err(Issue::in_cell(self.other_charges, "other_charges_unknown"));
        }
        let value = |side: &SideColumns| parse_amount(row, side.value).unwrap_or_default();
        let net = self.net.and_then(|column| Some((column, parse_amount(row, column)?)));
        match net {
            Some((column, net))
                if (value(&self.sell) - value(&self.buy) - charges.total() - net).abs() > MAX_ROUNDING =>
            {
                Err(Issue::in_cell(column, "charges_disagree"))
            }
            _ => Ok(charges),
        }
    }
}

impl RowReader for Columns {
    fn charges(&self) -> Option<&dyn ChargeReader> {
        self.charges.is_some().then_some(self)
    }

    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        if Self::is_footer(row) {
            return None;
        }
        Some(if self.read_contract(row).is_some() { Segment::Fno } else { Segment::Equity })
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if Self::is_footer(row) {
            return Ok(None);
        }
        trade_fields::check_exchange_segment(row, self.exchange)?;
        let Moment { day, .. } = trade_fields::read_moment(row, self.date, file)?;
        let number = cell_value::parse_text(row.cell(self.bill)).unwrap_or_default();
        let bill = Bill {
            name: trade_fields::read_symbol(row, self.name)?,
            contract: self.read_contract(row),
            day: Moment { day, time: None },
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            number: &number,
        };
        let bought = self.read_side(&self.buy, Side::Buy, &bill, row, file)?;
        let sold = self.read_side(&self.sell, Side::Sell, &bill, row, file)?;
        match (bought, sold) {
            (Some(bought), sold) => {
                let warning = bought.warning.or_else(|| sold.as_ref().and_then(|sold| sold.warning.clone()));
                let other_leg: Option<Box<ImportedTrade>> = sold.map(|sold| Box::new(sold.trade));
                Ok(Some(ParsedRow { other_leg, warning, ..bought }))
            }
            (None, Some(sold)) => Ok(Some(sold)),
            (None, None) => Err(Issue::skipped(self.buy.quantity, "row_without_quantity")),
        }
    }
}
