//! Strategies with their results, as CSV or as a workbook.

use std::fs::File;
use std::path::Path;

use rpc::analytics::v1::{Direction, Strategy, StrategyLeg, StrategyShape, StrategyState};
use rpc::json::JsonName as _;
use rpc::trades::v1::TimePrecision;
use rust_xlsxwriter::{Format, Workbook};

use crate::cell::Cell;
use crate::columns::account_cell;
use crate::csv;
use crate::error::Error;
use crate::workbook::{CellFormats, new_workbook, save, write_cells, write_header};

const HEADER: [&str; 20] = [
    "Strategy",
    "Shape",
    "Underlying",
    "Broker",
    "State",
    "Opened (India)",
    "Closed (India)",
    "Legs",
    "Premium (INR)",
    "Gross (INR)",
    "Charges (INR)",
    "Net (INR)",
    "Share of credit kept",
    "Days to expiry at entry",
    "Days to expiry at exit",
    "Width (points)",
    "Adjusted",
    "Risk",
    "Confirmed",
    "Id",
];

const LEG_HEADER: [&str; 13] = [
    "Strategy id",
    "Symbol",
    "Side",
    "Quantity",
    "Open quantity",
    "Opened (India)",
    "Closed (India)",
    "Entry price (INR)",
    "Exit price (INR)",
    "Gross (INR)",
    "Charges (INR)",
    "Net (INR)",
    "Position id",
];

/// Index of the sheet of strategies in the workbook.
const STRATEGIES_SHEET: usize = 0;
/// Index of the sheet of legs.
const LEGS_SHEET: usize = 1;

/// Returns the header line.
pub fn csv_header() -> Vec<u8> {
    csv::header(&HEADER)
}

/// Returns a line for each strategy.
pub fn csv_rows(strategies: &[Strategy]) -> Result<Vec<u8>, Error> {
    csv::append_rows(Vec::with_capacity(strategies.len() * 256), strategies.iter().map(strategy_cells))
}

/// Writes a workbook with a sheet of strategies and a sheet of their legs to an unnamed temporary file in `dir`. Blocks.
pub fn write_workbook(
    pages: impl IntoIterator<Item = Result<Vec<Strategy>, Error>>,
    dir: &Path,
) -> Result<File, Error> {
    let mut workbook = new_workbook(dir)?;
    add_sheet(&mut workbook, "Strategies", &HEADER, &[(0, 36), (1, 16), (5, 18), (6, 18), (7, 60)])?;
    add_sheet(&mut workbook, "Legs", &LEG_HEADER, &[(0, 22), (1, 24), (5, 18), (6, 18)])?;
    let formats = CellFormats::default();
    let (mut row, mut leg_row) = (0, 0);
    for page in pages {
        for strategy in &page? {
            row += 1;
            let cells = strategy_cells(strategy)?;
            write_cells(workbook.worksheet_from_index(STRATEGIES_SHEET)?, row, cells, &formats)?;
            for leg in &strategy.legs {
                leg_row += 1;
                let cells = leg_cells(strategy, leg)?;
                write_cells(workbook.worksheet_from_index(LEGS_SHEET)?, leg_row, cells, &formats)?;
            }
        }
    }
    save(workbook, dir)
}

/// Adds a sheet with a header; `widths` are columns and their widths in characters.
fn add_sheet(workbook: &mut Workbook, name: &str, header: &[&str], widths: &[(u16, u16)]) -> Result<(), Error> {
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name(name)?.set_freeze_panes(1, 0)?;
    for (column, width) in widths {
        sheet.set_column_width(*column, *width)?;
    }
    write_header(sheet, 0, header, &Format::new().set_bold())?;
    Ok(())
}

/// Returns the cells of a strategy, in the order of [`HEADER`].
fn strategy_cells(strategy: &Strategy) -> Result<[Cell<'_>; 20], Error> {
    let book = strategy.book.as_ref().ok_or(Error::MissingBook)?;
    let precision = strategy.time_precision();
    let shape = shape_label(strategy.shape())?;
    let name = if strategy.name.is_empty() {
        format!("{} {}", strategy.underlying, shape.to_lowercase())
    } else {
        strategy.name.clone()
    };
    let yes_or_no = |yes: bool| Cell::Text(if yes { "yes" } else { "no" }.into());
    let legs: Vec<String> = strategy.legs.iter().map(describe_leg).collect::<Result<_, _>>()?;
    Ok([
        Cell::Text(name.into()),
        Cell::Text(shape.into()),
        Cell::Text((&strategy.underlying).into()),
        account_cell(book.broker(), book.broker_account)?,
        Cell::Text(state_label(strategy.state())?.into()),
        Cell::time(strategy.opened_at.as_ref(), precision)?,
        optional_time(strategy.closed_at.as_ref(), precision)?,
        Cell::Text(legs.join("; ").into()),
        Cell::number(&strategy.premium)?,
        Cell::number(&strategy.gross)?,
        Cell::number(&strategy.charges)?,
        Cell::number(&strategy.net)?,
        Cell::optional_number(&strategy.credit_kept)?,
        days_cell(strategy.days_to_expiry_at_entry),
        days_cell(strategy.days_to_expiry_at_exit),
        Cell::optional_number(&strategy.width)?,
        yes_or_no(strategy.adjusted),
        Cell::Text(if strategy.defined_risk { "defined" } else { "undefined" }.into()),
        yes_or_no(strategy.confirmed_at.is_some()),
        Cell::Text((&strategy.id).into()),
    ])
}

/// Returns the cells of a leg, in the order of [`LEG_HEADER`].
fn leg_cells<'s>(strategy: &'s Strategy, leg: &'s StrategyLeg) -> Result<[Cell<'s>; 13], Error> {
    let precision = strategy.time_precision();
    Ok([
        Cell::Text((&strategy.id).into()),
        Cell::Text((&leg.symbol).into()),
        Cell::Text(side_label(leg.direction())?.into()),
        Cell::number(&leg.quantity)?,
        Cell::number(&leg.open_quantity)?,
        Cell::time(leg.opened_at.as_ref(), precision)?,
        optional_time(leg.closed_at.as_ref(), precision)?,
        Cell::number(&leg.entry_price)?,
        Cell::optional_number(&leg.exit_price)?,
        Cell::number(&leg.gross)?,
        Cell::number(&leg.charges)?,
        Cell::number(&leg.net)?,
        Cell::Text((&leg.position_id).into()),
    ])
}

/// Returns a text such as `short 65 NIFTY26DEC24500CE from 100 to 80`, or `…, 20 open, the rest closed at 80`.
fn describe_leg(leg: &StrategyLeg) -> Result<String, Error> {
    let side = side_label(leg.direction())?;
    let entry = format!("{side} {} {} from {}", leg.quantity, leg.symbol, leg.entry_price);
    Ok(match leg.exit_price.as_str() {
        "" => entry,
        exit if leg.open_quantity == "0" => format!("{entry} to {exit}"),
        exit => format!("{entry}, {} open, the rest closed at {exit}", leg.open_quantity),
    })
}

/// Returns a label such as `Bear call spread`.
fn shape_label(shape: StrategyShape) -> Result<String, Error> {
    let name = shape.json_name().ok_or(Error::Unspecified("shape"))?;
    let mut label = String::new();
    for character in name.chars() {
        if label.is_empty() {
            label.push(character.to_ascii_uppercase());
        } else if character.is_ascii_uppercase() {
            label.extend([' ', character.to_ascii_lowercase()]);
        } else {
            label.push(character);
        }
    }
    if matches!(shape, StrategyShape::Ratio | StrategyShape::Calendar | StrategyShape::Diagonal) {
        label.push_str(" spread");
    }
    Ok(label)
}

fn side_label(side: Direction) -> Result<&'static str, Error> {
    match side {
        Direction::Long => Ok("long"),
        Direction::Short => Ok("short"),
        Direction::Unspecified => Err(Error::Unspecified("side")),
    }
}

fn state_label(state: StrategyState) -> Result<&'static str, Error> {
    match state {
        StrategyState::Open => Ok("open"),
        StrategyState::Closed => Ok("closed"),
        StrategyState::AwaitingSettlement => Ok("awaiting settlement"),
        StrategyState::Unspecified => Err(Error::Unspecified("state")),
    }
}

fn optional_time(at: Option<&prost_types::Timestamp>, precision: TimePrecision) -> Result<Cell<'static>, Error> {
    if at.is_none() { Ok(Cell::Text("".into())) } else { Cell::time(at, precision) }
}

fn days_cell(days: Option<i64>) -> Cell<'static> {
    days.map_or_else(|| Cell::Text("".into()), Cell::Count)
}

#[cfg(test)]
mod tests {
    use prost_types::Timestamp;
    use rpc::trades::v1::{Book, Broker, Segment};

    use super::*;

    fn strategy() -> Strategy {
        let leg = |direction: Direction, symbol: &str, exit_price: &str| StrategyLeg {
            position_id: "0f".to_owned(),
            symbol: symbol.to_owned(),
            direction: direction.into(),
            quantity: "65".to_owned(),
            open_quantity: "0".to_owned(),
            opened_at: Some(Timestamp { seconds: 1_794_803_400, nanos: 0 }),
            entry_price: "100".to_owned(),
            exit_price: exit_price.to_owned(),
            gross: "1300".to_owned(),
            charges: "30.5".to_owned(),
            net: "1269.5".to_owned(),
            ..StrategyLeg::default()
        };
        Strategy {
            id: "5c0e9d1b7a42f3868e11".to_owned(),
            shape: StrategyShape::BearCallSpread.into(),
            state: StrategyState::Open.into(),
            underlying: "NIFTY".to_owned(),
            book: Some(Book { broker: Broker::Zerodha.into(), broker_account: 2, segment: Segment::Fno.into() }),
            opened_at: Some(Timestamp { seconds: 1_794_803_400, nanos: 0 }),
            time_precision: TimePrecision::Second.into(),
            premium: "5200".to_owned(),
            gross: "1300".to_owned(),
            charges: "30.5".to_owned(),
            net: "1269.5".to_owned(),
            days_to_expiry_at_entry: Some(43),
            width: "500".to_owned(),
            defined_risk: true,
            name: "=Budget".to_owned(),
            legs: vec![leg(Direction::Short, "NIFTY26DEC24500CE", "80"), leg(Direction::Long, "NIFTY26DEC25000CE", "")],
            ..Strategy::default()
        }
    }

    #[test]
    fn a_strategy_is_one_line_with_its_legs() {
        let csv = String::from_utf8([csv_header(), csv_rows(&[strategy()]).unwrap()].concat()).unwrap();
        let mut lines = csv.trim_start_matches('\u{feff}').lines();
        assert_eq!(lines.next().unwrap().split(',').count(), HEADER.len());
        assert_eq!(
            lines.next().unwrap(),
            "'=Budget,Bear call spread,NIFTY,Zerodha 2,open,2026-11-16 10:00:00,,\
             short 65 NIFTY26DEC24500CE from 100 to 80; long 65 NIFTY26DEC25000CE from 100,\
             5200,1300,30.5,1269.5,,43,,500,no,defined,no,5c0e9d1b7a42f3868e11"
        );
    }

    #[test]
    fn a_workbook_has_a_sheet_of_strategies_and_one_of_legs() {
        let dir = tempfile::tempdir().unwrap();
        let file = write_workbook([Ok(vec![strategy(), strategy()]), Ok(Vec::new())], dir.path()).unwrap();
        assert!(file.metadata().unwrap().len() > 4_000);
        let failed = write_workbook([Ok(vec![Strategy::default()])], dir.path());
        assert!(matches!(failed, Err(Error::MissingBook)));
        let aborted = write_workbook([Err(Error::Aborted)], dir.path());
        assert!(matches!(aborted, Err(Error::Aborted)));
    }
}
