//! Tests of tables whose columns the trader mapped.

use std::io::Write;

use rpc::column_mapping;
use rpc::imports::v1::MapColumnsResponse;
use rpc::trades::v1::{
    Broker, ColumnField, ColumnMapping, ContractKind, Exchange, MappedColumn, Segment, Side, TimePrecision,
};

use super::fixtures::mutation::{Rng, env_number, mutate};
use super::fixtures::{Sheet, TestCell, text, tradebook_csv, xlsx};
use super::{Outcome, RejectionReason, read_with};
use crate::protocol::ParserOptions;
use crate::sheet::CellBudget;
use crate::table;
use crate::workbook::Workbook;

const HEADER: &str = "Scrip,B/S,Traded Qty,Rate,Date,Time";
const FIELDS: [ColumnField; 6] = [
    ColumnField::Symbol,
    ColumnField::Side,
    ColumnField::Quantity,
    ColumnField::Price,
    ColumnField::Date,
    ColumnField::Time,
];

/// Parses a file of which a table without a known format is read with one of `mappings`.
fn read_mapped(content: &[u8], mappings: &[ColumnMapping]) -> Outcome {
    let options = ParserOptions { mappings: mappings.to_vec(), ..ParserOptions::default() };
    read_with(content, Segment::Equity, &options)
}

fn mapping(header: &str, fields: &[ColumnField]) -> ColumnMapping {
    let columns = (0..).zip(fields).filter(|(_, field)| **field != ColumnField::Unspecified);
    ColumnMapping {
        header: header.split(',').map(str::to_owned).collect(),
        broker: Broker::Dhan.into(),
        segment: Segment::Equity.into(),
        columns: columns.map(|(column, field)| MappedColumn { column, field: (*field).into() }).collect(),
        exchange: Exchange::Nse.into(),
        ..ColumnMapping::default()
    }
}

fn orders() -> ColumnMapping {
    mapping(HEADER, &FIELDS)
}

fn csv(header: &str, rows: &[&str]) -> Vec<u8> {
    [&[header], rows].concat().join("\n").into_bytes()
}

#[track_caller]
fn read(content: &[u8], mapping: &ColumnMapping) -> Outcome {
    assert_eq!(column_mapping::validate(mapping, "mapping"), []);
    let outcome = read_mapped(content, std::slice::from_ref(mapping));
    outcome.assert_valid();
    outcome
}

/// Returns side, symbol, quantity, price and time of the trades.
fn trades(outcome: &Outcome) -> Vec<String> {
    let describe = |trade: &rpc::trades::v1::ImportedTrade| {
        let at = trade.executed_at.unwrap().seconds + 19_800;
        let at = time::OffsetDateTime::from_unix_timestamp(at).unwrap();
        format!("{:?} {} {} {} {} {}", trade.side(), trade.symbol, trade.quantity, trade.price, at.date(), at.time())
    };
    outcome.trades.iter().map(describe).collect()
}

#[test]
fn reads_an_unknown_table_with_its_mapping_only() {
    let file =
        csv(HEADER, &["TATASTEEL,B,900,178.35,19-11-2025,14:31:08", "NSE:SBIN-EQ,S,\"1,000\",800.05,20-11-2025,"]);
    let outcome = read(&file, &orders());
    assert_eq!(
        trades(&outcome),
        ["Buy TATASTEEL 900 178.35 2025-11-19 14:31:08.0", "Sell SBIN 1000 800.05 2025-11-20 0:00:00.0",]
    );
    assert_eq!(outcome.format, Some(("column-mapping".to_owned(), Segment::Equity)));
    assert_eq!((outcome.mapping, outcome.counts()), (Some(0), (2, 2, 0, 0, 0)));
    assert_eq!(outcome.trades[1].time_precision(), TimePrecision::Day);
    // The same rows have the same keys in every file.
    assert_eq!(read(&file, &orders()).keys(), outcome.keys());

    let unknown = |mappings: &[ColumnMapping]| read_mapped(&file, mappings).rejection.unwrap().0;
    assert_eq!(unknown(&[]), RejectionReason::Unknown);
    let other = mapping("Scrip,B/S,Traded Qty,Rate,Date", &FIELDS[..5]);
    assert_eq!(unknown(std::slice::from_ref(&other)), RejectionReason::Unknown);
    assert_eq!(read_mapped(&file, &[other, orders()]).mapping, Some(1));
}

#[test]
fn a_known_format_needs_no_mapping_and_ignores_it() {
    let tradebook = tradebook_csv();
    let header = tradebook.lines().next().unwrap();
    let fields = [ColumnField::Unspecified; 2];
    let outcome = read_mapped(tradebook.as_bytes(), &[mapping(header, &fields)]);
    assert_eq!(outcome.format.unwrap().0, "zerodha-tradebook");
    assert_eq!(outcome.mapping, None);
}

#[test]
fn the_mapping_decides_about_the_order_of_day_and_month() {
    let file = csv(HEADER, &["ITC,B,1,400,3/11/2025,10:00", "ITC,B,2,400,3/12/2025,10:00"]);
    let day_first = read(&file, &orders());
    assert_eq!(trades(&day_first)[0], "Buy ITC 1 400 2025-11-03 10:00:00.0");
    assert!(day_first.summary.unwrap().is_date_order_open);
    let month_first = read(&file, &ColumnMapping { month_first: true, ..orders() });
    assert_eq!(trades(&month_first)[0], "Buy ITC 1 400 2025-03-11 10:00:00.0");
    let proven = csv(HEADER, &["ITC,B,1,400,3/11/2025,10:00", "ITC,B,2,400,19/11/2025,10:00"]);
    assert!(!read(&proven, &orders()).summary.unwrap().is_date_order_open);
    let wrong = read(&proven, &ColumnMapping { month_first: true, ..orders() });
    assert_eq!(wrong.errors(), [(3, "E", "date_invalid")]);
    for date in ["2025-11-03", "3 Nov 2025"] {
        let file = csv(HEADER, &[&format!("ITC,B,1,400,{date},10:00")]);
        assert!(!read(&file, &orders()).summary.unwrap().is_date_order_open, "{date}");
    }
}

#[test]
fn reads_lots_own_labels_and_a_price_column_for_each_side() {
    use ColumnField::{
        BuyPrice, Date, Expiry, LotSize, OptionType, Quantity, SellPrice, Side as SideField, Strike, Underlying,
    };
    let header = "Name,Exp,Strike,Type,Way,Lots,Size,Bought at,Sold at,Day";
    let fields = [Underlying, Expiry, Strike, OptionType, SideField, Quantity, LotSize, BuyPrice, SellPrice, Date];
    let mapping_of = mapping;
    let mapping = ColumnMapping {
        segment: Segment::Fno.into(),
        quantity_in_lots: true,
        buy_labels: vec!["Long".to_owned()],
        sell_labels: vec!["Short".to_owned()],
        ..mapping_of(header, &fields)
    };
    let file = csv(
        header,
        &[
            "NIFTY,25-11-2025,25900,CE,LONG,2,75,100.05,0,19-11-2025",
            "Nifty,25-11-2025,25900,PUT,short,1,75,,80.5,19-11-2025",
            "WIPRO,30-12-2025,,FUT,long,1,3000,250,,19-11-2025",
            "WIPRO,30-12-2025,,FUT,hold,1,3000,250,,19-11-2025",
            "NIFTY,25-11-2025,,CE,long,1,75,100.05,,19-11-2025",
            "NIFTY,25-11-2025,25900,XY,long,1,75,100.05,,19-11-2025",
        ],
    );
    let outcome = read(&file, &mapping);
    let of = |index: usize| {
        let trade = &outcome.trades[index];
        let contract = trade.contract.clone().unwrap();
        (trade.side(), trade.quantity.as_str(), trade.price.as_str(), contract.kind(), contract.expiry, contract.strike)
    };
    let text = str::to_owned;
    assert_eq!(of(0), (Side::Buy, "150", "100.05", ContractKind::Call, text("2025-11-25"), text("25900")));
    assert_eq!(of(1), (Side::Sell, "75", "80.5", ContractKind::Put, text("2025-11-25"), text("25900")));
    assert_eq!(of(2), (Side::Buy, "3000", "250", ContractKind::Future, text("2025-12-30"), String::new()));
    let expected = [(5, "E", "side_unknown"), (6, "C", "contract_invalid"), (7, "D", "contract_invalid")];
    assert_eq!(outcome.errors(), expected);

    // Without a column for the side, the price that is there decides.
    let two_prices = "Scrip,Qty,Buy,Sell,Day";
    let fields = [ColumnField::Symbol, Quantity, BuyPrice, SellPrice, Date];
    let file = csv(
        two_prices,
        &["ITC,1,400,,19-11-2025", "ITC,2,0,401,19-11-2025", "ITC,3,400,401,19-11-2025", "ITC,4,,,19-11-2025"],
    );
    let outcome = read(&file, &mapping_of(two_prices, &fields));
    assert_eq!(trades(&outcome), ["Buy ITC 1 400 2025-11-19 0:00:00.0", "Sell ITC 2 401 2025-11-19 0:00:00.0"]);
    assert_eq!(outcome.errors(), [(4, "C", "side_unknown"), (5, "C", "side_unknown")]);
    let fixed = ColumnMapping { quantity_in_lots: true, lot_size: "50".to_owned(), ..mapping_of(two_prices, &fields) };
    assert_eq!(read(&csv(two_prices, &["ITC,2,400,,19-11-2025"]), &fixed).trades[0].quantity, "100");
}

#[test]
fn shows_each_row_that_contradicts_the_mapping() {
    let header = "Scrip,B/S,Qty,Rate,Date,Time,Amount";
    let fields = [&FIELDS[..], &[ColumnField::Value]].concat();
    let file = csv(
        header,
        &[
            "ITC,B,10,400,17-11-2025,09:15:00,4000",
            "ITC,B,10,400,17-11-2025,03:15:00,4000.40",
            "ITC,B,10,400.001,18-11-2025,10:15:00,\"4,000.01\"",
            "ITC,B,10,400,18-11-2025,10:15:00,5000",
            "ITC,B,1.5,400,18-11-2025,10:15:00,600",
            "ITC Limited of Kolkata,B,10,400,18-11-2025,10:15:00,4000",
            "NIFTY25NOV25900CE,B,75,100,18-11-2025,10:15:00,7500",
            "ITC,B,10,400,22-11-2025,10:15:00,4000",
            "Total,,,,,,99",
            "Printed on request",
            "Scrip,B/S,Qty,Rate,Date,Time,Amount",
            "ITC,B,99999999999999999999,400,18-11-2025,10:15:00,",
            "ITC,B,10,99999999999999999999999999999999,18-11-2025,10:15:00,",
            "ITC,B,10,400,19-11-2099,10:15:00,4000",
        ],
    );
    let outcome = read(&file, &mapping(header, &fields));
    assert_eq!(
        outcome.errors(),
        [
            (5, "G", "value_implausible"),
            (6, "C", "quantity_not_whole"),
            (8, "A", "contract_in_equity"),
            (13, "C", "quantity_too_large"),
            (14, "D", "price_not_a_number"),
            (15, "E", "date_in_future"),
        ]
    );
    assert_eq!(
        outcome.warnings(),
        [
            (3, "F", "outside_market_hours"),
            (4, "D", "price_off_tick"),
            (7, "A", "share_name_unknown"),
            (9, "E", "not_a_trading_day"),
            (10, "E", "row_without_day"),
        ]
    );
    assert_eq!(outcome.counts(), (12, 5, 6, 5, 1));
}

#[test]
fn warns_of_days_that_are_out_of_order() {
    let rows = |days: &[u32]| -> Vec<u8> {
        let rows: Vec<_> = days.iter().map(|day| format!("ITC,B,1,400,{day:02}-11-2025,10:00")).collect();
        csv(HEADER, &rows.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let warnings = |days: &[u32]| -> Vec<(i64, String)> {
        let outcome = read(&rows(days), &orders());
        outcome.warnings().into_iter().map(|(row, _, code)| (row, code.to_owned())).collect()
    };
    let ascending = [3, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14];
    assert_eq!(warnings(&ascending), []);
    assert_eq!(warnings(&ascending.into_iter().rev().collect::<Vec<_>>()), []);
    let one_wrong = [3, 3, 4, 5, 6, 7, 10, 11, 12, 13, 3];
    assert_eq!(warnings(&one_wrong), [(12, "date_out_of_order".to_owned())]);
    assert_eq!(warnings(&[3, 10, 4, 11, 5, 12, 6]), [(4, "dates_unordered".to_owned())]);
}

fn table_of(content: &[u8], header_row: Option<u64>) -> Result<MapColumnsResponse, RejectionReason> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut book = Workbook::open(file).map_err(|rejection| rejection.reason)?;
    table::read_table(&mut book, &mut CellBudget::new(), header_row).map_err(|rejection| rejection.reason)
}

#[test]
fn finds_the_header_below_other_rows() {
    let file =
        csv("Report of trades", &["Client,X1", "", HEADER, "ITC,B,1,400,19-11-2025,10:00", "SBIN,S,2,800,19-11-2025,"]);
    let table = table_of(&file, None).unwrap();
    assert_eq!((table.header_row, table.header.join(",")), (4, HEADER.to_owned()));
    let rows: Vec<_> = table.rows.iter().map(|row| (row.number, row.cells.join(","))).collect();
    assert_eq!(rows[0], (5, "ITC,B,1,400,19-11-2025,10:00".to_owned()));
    assert_eq!(table_of(&file, Some(2)).unwrap_err(), RejectionReason::Unknown);
    assert_eq!(table_of(&file, Some(4)).unwrap().header, table.header);
    for empty in [csv(HEADER, &[]), csv("a", &["b"]), csv("1,2,3", &["4,5,6"])] {
        assert_eq!(table_of(&empty, None).unwrap_err(), RejectionReason::Unknown);
    }
    let page = b"<html><table><tr><th>Scrip</th><th>B/S</th><th>Qty</th></tr><tr><td>ITC</td><td>B</td><td>5</td></tr></table></html>";
    assert_eq!(table_of(page, None).unwrap().header, ["Scrip", "B/S", "Qty"]);
}

#[test]
fn reads_the_table_of_a_workbook() {
    let row = |cells: &[&str]| cells.iter().map(|cell| text(cell)).collect::<Vec<TestCell>>();
    let mut values = row(&["ITC", "B", "10", "400.05", "", "10:00"]);
    values[4] = TestCell::Date(45_980.0);
    values[2] = TestCell::Number(10.0);
    let header: Vec<_> = HEADER.split(',').collect();
    let sheet = Sheet {
        name: "Orders",
        extra_cells: Vec::new(),
        table_start: (0, 0),
        table: vec![row(&header), values],
        hidden_rows: Vec::new(),
    };
    let file = xlsx(&[sheet]);
    let table = table_of(&file, None).unwrap();
    assert_eq!((&*table.sheet, table.header.join(",")), ("Orders", HEADER.to_owned()));
    assert_eq!(table.rows[0].cells[4], "2025-11-19");
    assert_eq!(trades(&read(&file, &orders())), ["Buy ITC 10 400.05 2025-11-19 10:00:00.0"]);
}

/// Cells that belong to other columns, or to none.
const GARBAGE: [&str; 16] = [
    "",
    "-",
    "ITC",
    "B",
    "NaN",
    "1e400",
    "0",
    "-5",
    "99999999999999999999999999999",
    "0.00000000001",
    "31-02-2025",
    "19-11-2025",
    "25:61:00",
    "NIFTY25NOV25900CE",
    "\u{202e}x",
    "INE154A01025",
];

#[test]
fn any_mapping_of_any_table_gives_valid_trades_or_issues() {
    let mut rng = Rng(env_number("FUZZ_SEED", 1));
    let fields: Vec<_> = (1..=18).map(|number| ColumnField::try_from(number).unwrap()).collect();
    for _ in 0..env_number("FUZZ_ROUNDS", 300) {
        let width = 3 + rng.below(8);
        let header = (0..width).map(|column| format!("Column {column}")).collect::<Vec<_>>().join(",");
        let mut chosen: Vec<_> = (0..width).map(|_| *rng.choose(&fields)).collect();
        // Required columns are there more often than not.
        for (slot, field) in chosen.iter_mut().zip(FIELDS).take(rng.below(7)) {
            *slot = field;
        }
        let flag = |rng: &mut Rng| rng.below(2) == 0;
        let random_mapping = ColumnMapping {
            segment: if flag(&mut rng) { Segment::Equity } else { Segment::Fno }.into(),
            month_first: flag(&mut rng),
            quantity_in_lots: flag(&mut rng),
            lot_size: (*rng.choose(&["", "75", "999999", "x"])).to_owned(),
            ..mapping(&header, &chosen)
        };
        let rows: Vec<_> = (0..rng.below(12))
            .map(|_| (0..width).map(|_| *rng.choose(&GARBAGE)).collect::<Vec<_>>().join(","))
            .collect();
        let mut file = csv(&header, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        if flag(&mut rng) {
            file = mutate(file.clone(), &[file], &mut rng);
        }
        read_mapped(&file, &[random_mapping]).assert_valid();
        let _ = table_of(&file, None);
    }
}
