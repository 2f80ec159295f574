//! Zerodha's tradebook in all known layouts.

use rpc::trades::v1::{Exchange, Segment, Side, TimePrecision};

use super::fixtures::{
    self, EQUITY, Sheet, TRADEBOOK_COLUMNS, TestCell, patched, text, tradebook, tradebook_csv, xlsx,
};
use super::{Outcome, decimal, issue_text, read};
use crate::error::RejectionReason;

/// Checks the five fills, which all layouts have.
#[track_caller]
fn check_equity(outcome: &Outcome, layout: &str) {
    assert_eq!(outcome.rejection, None, "{layout}");
    assert_eq!(outcome.format, Some(("zerodha-tradebook".to_owned(), Segment::Equity)), "{layout}");
    assert_eq!(outcome.errors(), [], "{layout}");
    let summary = outcome.summary.as_ref().unwrap();
    assert_eq!((summary.rows, summary.trades, summary.error_count), (5, 5, 0), "{layout}");
    assert_eq!(outcome.sum(Side::Buy), (4, decimal("160"), decimal("81293.58")), "{layout}");
    assert_eq!(outcome.sum(Side::Sell), (1, decimal("30"), decimal("38760")), "{layout}");
    let keys = [
        "2025-06-05/NSE/EQ/204512345/BUY",
        "2025-06-05/NSE/EQ/204512346/BUY",
        "2025-06-05/NSE/EQ/204512347/BUY",
        "2025-06-06/BSE/EQ/88001/BUY",
        "2025-06-09/NSE/EQ/204512349/SELL",
    ];
    let mut actual = outcome.keys();
    actual.sort_unstable();
    assert_eq!(actual, keys, "{layout}");
    let suffixed = outcome.trades.iter().find(|trade| trade.source_key == keys[0]).unwrap();
    assert_eq!((suffixed.symbol.as_str(), suffixed.price.as_str()), ("HSCL", "480.5"), "{layout}");
    assert_eq!(suffixed.executed_at.unwrap().seconds, 1_749_095_123, "{layout}");
    assert_eq!((suffixed.series.as_str(), suffixed.auction), ("BE", false), "{layout}");
    assert_eq!(suffixed.time_precision(), TimePrecision::Second, "{layout}");
    let bse = outcome.trades.iter().find(|trade| trade.source_key == keys[3]).unwrap();
    assert_eq!((bse.exchange(), bse.price.as_str()), (Exchange::Bse, "269.3645"), "{layout}");
    assert!(outcome.trades.iter().any(|trade| trade.symbol == "BAJAJ-AUTO" && trade.isin.is_empty()), "{layout}");
}

/// Returns the broker's own file with a changed sheet.
fn changed(change: impl Fn(&mut Sheet)) -> Vec<u8> {
    let mut sheet = tradebook();
    change(&mut sheet);
    xlsx(&[sheet])
}

/// Changes all cells of the table to text.
fn all_text(sheet: &mut Sheet) {
    for (row, source) in sheet.table.iter_mut().skip(1).zip(EQUITY) {
        *row = source.iter().map(|value| text(value)).collect();
    }
}

#[test]
fn requires_a_column_or_title_of_the_broker() {
    let format = |auction: bool, time: bool, title: bool| {
        let file = changed(|sheet| {
            if !title {
                (sheet.table_start, sheet.extra_cells) = ((0, 0), Vec::new());
            }
            for row in &mut sheet.table {
                row.truncate(if time { 13 } else { 12 });
                if !auction {
                    row.remove(7);
                }
            }
        });
        read(&file).format.map(|(format, _)| format)
    };
    let tradebook = Some("zerodha-tradebook".to_owned());
    assert_eq!(format(true, false, false), tradebook);
    assert_eq!(format(false, true, false), tradebook);
    assert_eq!(format(false, false, true), tradebook);
    assert_eq!(format(false, false, false), None);
}

#[test]
fn every_layout_gives_the_same_trades() {
    let sheet_part = "xl/worksheets/sheet1.xml";
    let shuffled = [12, 10, 2, 9, 0, 7, 6, 8, 1, 3, 11, 5, 4];
    let dimension = |ref_: &'static str| {
        patched(&xlsx(&[tradebook()]), sheet_part, move |xml| {
            let at = xml.find("<dimension ref=\"").unwrap() + 16;
            let end = at + xml[at..].find('"').unwrap();
            format!("{}{ref_}{}", &xml[..at], &xml[end..])
        })
    };
    let layouts = [
        ("the broker's own", xlsx(&[tradebook()])),
        ("header in A1", changed(|sheet| (sheet.table_start, sheet.extra_cells) = ((0, 0), Vec::new()))),
        ("header in A9", changed(|sheet| (sheet.table_start, sheet.extra_cells) = ((8, 0), Vec::new()))),
        (
            "snake case, all text",
            changed(|sheet| {
                all_text(sheet);
                sheet.table[0] = TRADEBOOK_COLUMNS.map(|name| text(&name.to_lowercase().replace(' ', "_"))).to_vec();
            }),
        ),
        (
            "numeric ids",
            changed(|sheet| {
                for row in sheet.table.iter_mut().skip(1) {
                    for column in [10, 11] {
                        let TestCell::Text(id) = &row[column] else { panic!("ids are text") };
                        row[column] = TestCell::Number(id.parse().unwrap());
                    }
                }
            }),
        ),
        (
            "dates as serials",
            changed(|sheet| {
                let days = [45813.0, 45813.0, 45813.0, 45814.0, 45817.0];
                let seconds = [33_323.0, 36_001.0, 36_001.0, 53_999.0, 55_740.0];
                for (row, (day, second)) in sheet.table.iter_mut().skip(1).zip(days.iter().zip(seconds)) {
                    row[2] = TestCell::Number(*day);
                    row[12] = TestCell::Date(day + second / 86_400.0);
                }
            }),
        ),
        ("hidden rows", changed(|sheet| sheet.hidden_rows = vec![16, 17, 18])),
        (
            "thousands of blank rows",
            changed(|sheet| sheet.extra_cells.extend((40..4_040).map(|row| (row, 3, text(""))))),
        ),
        ("blank rows between", changed(|sheet| sheet.table.insert(3, vec![text(" "), TestCell::Blank, text("")]))),
        ("declared too small", dimension("B15")),
        ("declared too large", dimension("A1:XFD1048576")),
        ("no auction column", changed(|sheet| sheet.table.iter_mut().for_each(|row| drop(row.remove(7))))),
        (
            "shuffled columns",
            changed(|sheet| {
                for row in &mut sheet.table {
                    *row = shuffled.iter().map(|column| row[*column].clone()).collect();
                }
            }),
        ),
        (
            "prices that were 32-bit floats",
            changed(|sheet| {
                sheet.table[1][9] = TestCell::Number(480.499_992);
                sheet.table[2][9] = TestCell::Number(1_123.449_951);
                sheet.table[5][9] = TestCell::Number(1_292.000_04);
            }),
        ),
        ("rows from the newest", changed(|sheet| sheet.table[1..].reverse())),
        (
            "day first, with separators and a rupee sign",
            changed(|sheet| {
                all_text(sheet);
                for row in sheet.table.iter_mut().skip(1) {
                    let TestCell::Text(date) = &row[2] else { panic!("dates are text") };
                    row[2] = text(&format!("{}-{}-{}", &date[8..], &date[5..7], &date[..4]));
                }
                sheet.table[2][9] = text("₹ 1,123.45");
            }),
        ),
        ("another sheet before", { xlsx(&[fixtures::report("Notes", "nothing of note", &["a", "b"]), tradebook()]) }),
        ("CSV", tradebook_csv().into_bytes()),
        ("CSV with a last line end", format!("{}\n", tradebook_csv()).into_bytes()),
        ("CSV with carriage returns", tradebook_csv().replace('\n', "\r\n").into_bytes()),
        (".xls", include_bytes!("fixtures/xls/tradebook.xls").to_vec()),
        (".xls re-saved with serials and numeric ids", include_bytes!("fixtures/xls/tradebook-resaved.xls").to_vec()),
        (".xls that counts from 1904", include_bytes!("fixtures/xls/tradebook-1904.xls").to_vec()),
        ("CSV with a byte order mark", format!("\u{feff}{}\r\n", tradebook_csv().replace('\n', "\r\n")).into_bytes()),
    ];
    for (layout, file) in layouts {
        check_equity(&read(&file), layout);
    }
}

#[test]
fn shares_with_symbols_like_options_have_no_contract() {
    let file = tradebook_csv().replace("ITC,", "RELIANCE,").replace("HSCL-BE,", "BAJFINANCE,");
    let outcome = read(file.as_bytes());
    assert_eq!((outcome.trades.len(), outcome.warnings()), (5, vec![]));
    assert!(outcome.trades.iter().all(|trade| trade.contract.is_none()));
}

#[test]
fn removes_the_series_from_a_symbol_that_repeats_it() {
    let lines = [("GET&D-BE", "BE", "GET&D"), ("GET&D-BE", "EQ", "GET&D-BE"), ("BAJAJ-AUTO", "", "BAJAJ-AUTO")];
    for (symbol, series, expected) in lines {
        let file = tradebook_csv().replace("HSCL-BE", symbol).replace(",EQ,BE,", &format!(",EQ,{series},"));
        assert_eq!(read(file.as_bytes()).trades[0].symbol, expected);
    }
}

#[test]
fn numbers_equal_fills_without_an_id() {
    let lost = tradebook_csv().replace("204512346", "2.04512E+08").replace("204512347", "");
    let outcome = read(lost.as_bytes());
    assert_eq!(outcome.errors(), []);
    assert_eq!(
        outcome.keys()[1..3],
        ["2025-06-05/NSE/EQ/M&M/BUY/10/1123.45/1749097801/1", "2025-06-05/NSE/EQ/M&M/BUY/10/1123.45/1749097801/2",]
    );
}

#[test]
fn keeps_both_sides_of_a_trade_id() {
    let file = tradebook_csv() + "\n" + &EQUITY[3].join(",").replace(",buy,", ",sell,");
    let outcome = read(file.as_bytes());
    assert_eq!((outcome.errors(), outcome.trades.len()), (vec![], 6));
    assert_eq!(outcome.keys()[5], "2025-06-06/BSE/EQ/88001/SELL");
    assert_eq!((outcome.trades[3].side(), outcome.trades[5].side()), (Side::Buy, Side::Sell));
}

#[test]
fn a_trade_id_with_different_contents_is_an_error_that_names_the_first_row() {
    let again = |change: fn(&mut [&'static str; 13])| {
        let mut row = EQUITY[3];
        change(&mut row);
        read((tradebook_csv() + "\n" + &row.join(",")).as_bytes())
    };
    let others: [fn(&mut [&'static str; 13]); 7] = [
        |row| row[8] = "41",
        |row| row[9] = "269.37",
        |row| row[11] = "1749000000012345679",
        |row| row[12] = "2025-06-06T14:59:58",
        |row| row[12] = "",
        |row| (row[0], row[1]) = ("TCS", "INE467B01029"),
        |row| (row[0], row[1]) = ("TCS", ""),
    ];
    for (number, change) in others.into_iter().enumerate() {
        let outcome = again(change);
        assert_eq!(outcome.errors(), [(7, "K", "trade_id_conflict")], "{number}");
        let error = &outcome.error_issues()[0];
        assert_eq!(error.value, "88001");
        assert_eq!(issue_text(error), "Row 5 has the same id but is a different trade.");
        assert_eq!(outcome.trades.len(), 5, "{number}");
    }
    // A renamed share, a new ISIN, a lost order id, or no change: the same trade.
    let same: [fn(&mut [&'static str; 13]); 5] = [
        |row| row[0] = "ITCNEW",
        |row| row[1] = "INE154A01033",
        |row| row[1] = "",
        |row| row[11] = "1.749E+18",
        |_| (),
    ];
    for (number, change) in same.into_iter().enumerate() {
        let outcome = again(change);
        assert_eq!((outcome.errors(), outcome.trades.len()), (vec![], 6), "{number}");
        assert_eq!(outcome.keys()[3], outcome.keys()[5], "{number}");
    }
}

#[test]
fn a_missing_order_id_of_the_first_row_is_taken_from_the_second() {
    let line = |order_id| {
        let mut row = EQUITY[3];
        row[11] = order_id;
        row.join(",")
    };
    let lines = [tradebook_csv().lines().next().unwrap().to_owned(), line(""), line("1"), line("2")];
    assert_eq!(read(lines.join("\n").as_bytes()).errors(), [(4, "K", "trade_id_conflict")]);
}

#[test]
fn an_id_conflict_with_another_sheet_names_the_sheet() {
    let mut second = tradebook();
    second.name = "Equity 2";
    second.table.truncate(2);
    second.table[1][8] = TestCell::Number(101.0);
    let outcome = read(&xlsx(&[tradebook(), second]));
    assert_eq!(outcome.errors(), [(16, "L", "trade_id_conflict")]);
    let error = &outcome.error_issues()[0];
    assert_eq!(error.sheet, "Equity 2");
    assert_eq!(issue_text(error), "Row 16 of the sheet Equity has the same id but is a different trade.");
}

#[test]
fn a_sheet_of_another_format_is_an_error_with_its_name() {
    let mut orders = fixtures::orders(text("1"));
    orders.name = "Groww";
    let outcome = read(&xlsx(&[tradebook(), orders]));
    assert_eq!(outcome.format, Some(("zerodha-tradebook".to_owned(), Segment::Equity)));
    assert_eq!((outcome.errors(), outcome.trades.len()), (vec![(6, "", "sheet_not_imported")], 5));
    let summary = outcome.summary.as_ref().unwrap();
    assert_eq!((summary.rows, summary.error_count), (6, 1));
    let error = &outcome.error_issues()[0];
    assert_eq!(error.sheet, "Groww");
    assert!(issue_text(error).starts_with("The sheet Groww is a different report"), "{}", issue_text(error));
}

#[test]
fn every_invalid_row_is_an_error_with_its_cell() {
    let line = |text: &str| format!("{}\n{text}", tradebook_csv());
    let cases = [
        (",INE154A01025,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,1,", "A", "symbol_missing"),
        ("ITC,INE15,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,1,", "B", "isin_invalid"),
        ("I\u{202e}TC,,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,1,", "A", "symbol_invalid"),
        ("ITC,,2025-13-06,NSE,EQ,EQ,buy,false,1,1,1,1,", "C", "date_invalid"),
        ("ITC,,1989-12-31,NSE,EQ,EQ,buy,false,1,1,1,1,", "C", "date_invalid"),
        ("ITC,,2099-12-31,NSE,EQ,EQ,buy,false,1,1,1,1,", "C", "date_in_future"),
        ("ITC,,2025-06-06,MCX,EQ,EQ,buy,false,1,1,1,1,", "D", "exchange_unknown"),
        ("ITC,,2025-06-06,NSE,XX,EQ,buy,false,1,1,1,1,", "E", "segment_unknown"),
        ("ITC,,2025-06-06,NSE,MF,EQ,buy,false,1,1,1,1,", "E", "segment_unsupported"),
        ("ITC,,2025-06-06,NSE,CDS,EQ,buy,false,1,1,1,1,", "E", "segment_unsupported"),
        ("ITC,,2025-06-06,NSE,COM,EQ,buy,false,1,1,1,1,", "E", "segment_unsupported"),
        ("ITC,,2025-06-06,NSE,FO,EQ,buy,false,1,1,1,1,", "", "segment_mismatch"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,bought,false,1,1,1,1,", "G", "side_unknown"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,ten,1,1,1,", "I", "quantity_not_a_number"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,-1,1,1,1,", "I", "quantity_not_positive"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1.5,1,1,1,", "I", "quantity_not_whole"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1000000000,1,1,1,", "I", "quantity_too_large"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,1e5,1,1,", "J", "price_not_a_number"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,0,1,1,", "J", "price_not_positive"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1000000,1000000,1,1,", "J", "amount_too_large"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,1,a/b,1,", "K", "trade_id_invalid"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,a/b,", "L", "order_id_invalid"),
        ("ITC,,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,1,noon", "M", "time_invalid"),
        ("Total", "E", "segment_unknown"),
    ];
    for (text, column, code) in cases {
        let outcome = read(line(text).as_bytes());
        assert_eq!(outcome.errors(), [(7, column, code)], "{text}");
        assert_eq!(outcome.trades.len(), 5, "{text}");
    }
}

#[test]
fn rejects_a_symbol_above_64_characters_in_any_script() {
    let errors = |symbol: String| {
        let line = format!("{symbol},,2025-06-06,NSE,EQ,EQ,buy,false,1,1,1,1,");
        let outcome = read(format!("{}\n{line}", tradebook_csv()).as_bytes());
        outcome.errors().into_iter().map(|(_, column, code)| (column.to_owned(), code.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(errors("न".repeat(64)), []);
    assert_eq!(errors("न".repeat(65)), [("A".to_owned(), "symbol_invalid".to_owned())]);
}

#[test]
fn line_numbers_count_blank_lines() {
    let behind = |line_end: &str| {
        let file = tradebook_csv().replacen("\nM&M", "\n\n\nM&M", 1).replacen("ITC,", "\"ITC\nLTD\",", 1);
        let file = file + "\nTotal\n\n\nTotal";
        read(file.replace('\n', line_end).as_bytes())
    };
    for line_end in ["\n", "\r\n"] {
        let outcome = behind(line_end);
        let expected = [(7, "", "quote_not_closed"), (10, "E", "segment_unknown"), (13, "E", "segment_unknown")];
        assert_eq!(outcome.errors(), expected);
    }
}

#[test]
fn an_unclosed_quotation_mark_is_an_error_with_the_number_of_lines() {
    let rows = tradebook_csv();
    let (first, rest) = rows.split_at(rows.match_indices('\n').nth(2).unwrap().0 + 1);
    let outcome = read((first.to_owned() + "\"" + rest).as_bytes());
    assert_eq!((outcome.trades.len(), outcome.errors()), (2, vec![(4, "", "quote_not_closed")]));
    let error = &outcome.summary.unwrap().errors[0];
    assert!(issue_text(error).contains("the 2 lines below were read as part of this row"), "{}", issue_text(error));
}

#[test]
fn a_date_without_a_time_has_the_precision_day() {
    let file = tradebook_csv().replace("2025-06-05T09:15:23", "");
    let trade = &read(file.as_bytes()).trades[0];
    assert_eq!(trade.time_precision(), TimePrecision::Day);
    assert_eq!(trade.executed_at.unwrap().seconds, 1_749_061_800);
}

#[test]
fn lists_a_thousand_errors_and_counts_all() {
    let file = tradebook_csv() + &"\nTotal".repeat(1_500);
    let summary = read(file.as_bytes()).summary.unwrap();
    assert_eq!((summary.rows, summary.trades, summary.errors.len(), summary.error_count), (1_505, 5, 1_000, 1_500));
}

#[test]
fn rejects_more_than_500000_rows() {
    // The tradebook has five rows.
    let outcome = read((tradebook_csv() + &"\nTotal".repeat(499_995)).as_bytes());
    assert_eq!(outcome.summary.unwrap().rows, 500_000);
    let outcome = read((tradebook_csv() + &"\nTotal".repeat(499_996)).as_bytes());
    assert_eq!(outcome.rejection.unwrap().0, RejectionReason::TooManyRows);
    assert_eq!(outcome.summary, None);
}

#[test]
fn ignores_a_column_name_above_100_bytes() {
    let named = |blanks| tradebook_csv().replacen("quantity", &format!("quan{}tity", " ".repeat(blanks)), 1);
    assert_eq!(read(named(92).as_bytes()).trades.len(), 5);
    assert!(read(named(93).as_bytes()).rejection.is_some());
}

#[test]
fn a_tradebook_without_trades_has_no_format_event() {
    let header = tradebook_csv().lines().next().unwrap().to_owned();
    let outcome = read(header.as_bytes());
    assert_eq!((outcome.format, outcome.summary.unwrap().rows), (None, 0));
}

#[test]
fn reads_the_series_and_the_auction() {
    let file = |series: &str, auction: &str| {
        let header = "symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time";
        let row = format!("ITC,INE154A01025,2025-06-06,NSE,EQ,{series},buy,{auction},1,1,1,1,2025-06-06T10:00:00");
        let outcome = read(format!("{header}\n{row}\n").as_bytes());
        let trade = outcome.trades.first().unwrap();
        (trade.series.clone(), trade.auction)
    };
    assert_eq!(file("be", "true"), ("BE".to_owned(), true));
    assert_eq!(file("", "false"), (String::new(), false));
    // A series that the trade log would reject does not reject the trade.
    assert_eq!(file("SERIES-OF-9", ""), (String::new(), false));
}
