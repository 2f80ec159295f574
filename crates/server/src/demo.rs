//! Demo account: a year of generated trades at both brokers, and a book of trades with notes.

use std::ops::RangeInclusive;

use prost_types::Timestamp;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::auth::v1::{LogInRequest, LogOutRequest, RegisterRequest};
use rpc::trades::v1::import_trades_request::Part;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{
    Book, Broker, Exchange, ImportBatch, ImportEnd, ImportHead, ImportTradesRequest, ImportedTrade, ListBooksRequest,
    NewTrade, Notes, ReplaceBatch, ReplaceEnd, ReplaceHead, ReplaceTradesRequest, Segment, Side, TimePrecision,
    replace_trades_request,
};
use rpc::transport::Transport;
use time::{Date, Duration, OffsetDateTime, Time, UtcOffset, Weekday};
use tonic::{Code, Request};
use tonic_types::StatusExt as _;

const EMAIL: &str = "demo@tradebahi.example";
const PASSWORD: &str = "a-year-of-trades";
/// Phone numbers that the account may get.
const PHONES: RangeInclusive<u64> = 9_820_041_537..=9_820_041_546;

/// Creates the account unless it exists, adds trades up to yesterday, and prints its login.
pub async fn seed(core: &Transport) -> anyhow::Result<()> {
    let mut auth = AuthServiceClient::new(core.clone());
    register(&mut auth).await?;
    let login = LogInRequest {
        restore: Default::default(),
        login: EMAIL.to_owned(),
        password: PASSWORD.to_owned(),
        device: None,
    };
    let tokens = auth.log_in(login).await?.into_inner().tokens.unwrap_or_default();
    let token = tokens.access_token;

    let mut trades = TradesServiceClient::new(core.clone());
    for (book, generated) in generate_books(OffsetDateTime::now_utc().to_offset(india()).date()) {
        let mut request = Request::new(tokio_stream::iter(import_messages(book, generated)));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        trades.import_trades(request).await?;
    }
    let mut request = Request::new(ListBooksRequest {});
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    let books = trades.list_books(request).await?.into_inner().books;
    // Only once, so that later changes by the user are kept.
    if !books.iter().any(|summary| summary.book == Some(NOTES_BOOK) && summary.trades > 0) {
        let generated = generate_notes_book(OffsetDateTime::now_utc().to_offset(india()).date());
        let mut request = Request::new(tokio_stream::iter(replace_messages(generated)));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        trades.replace_trades(request).await?;
    }
    // Otherwise the list of devices would show this session.
    auth.log_out(LogOutRequest { refresh_token: tokens.refresh_token }).await?;
    println!("Demo account: {EMAIL}, password {PASSWORD}");
    Ok(())
}

/// Creates the account unless it exists, with the first phone number that no other account has.
async fn register(auth: &mut AuthServiceClient<Transport>) -> anyhow::Result<()> {
    for phone in PHONES {
        let registration = RegisterRequest {
            notice_version: Default::default(),
            name: "Asha Rao".to_owned(),
            email: EMAIL.to_owned(),
            phone: phone.to_string(),
            password: PASSWORD.to_owned(),
            confirm_password: PASSWORD.to_owned(),
        };
        match auth.register(registration).await {
            Ok(_) => return Ok(()),
            Err(status) if status.get_details_error_info().is_some_and(|info| info.reason == "PHONE_TAKEN") => {
                tracing::warn!("another account has the phone number of the demo account; using the next number");
            }
            Err(status) if status.code() == Code::AlreadyExists => return Ok(()),
            Err(status) => return Err(status.into()),
        }
    }
    anyhow::bail!("other accounts have all phone numbers of the demo account")
}

fn india() -> UtcOffset {
    UtcOffset::from_hms(5, 30, 0).unwrap_or(UtcOffset::UTC)
}

fn import_messages(book: Book, trades: Vec<ImportedTrade>) -> Vec<ImportTradesRequest> {
    let head = ImportHead {
        idempotency_key: Default::default(),
        client_code: String::new(),
        holder: String::new(),
        book: Some(book),
        file_name: "Demo trades".to_owned(),
        file_sha256: vec![0; 32],
        format: "demo".to_owned(),
    };
    let end = Part::End(ImportEnd { trades: i64::try_from(trades.len()).unwrap_or_default(), ..ImportEnd::default() });
    let batches = trades.chunks(2_000).map(|chunk| Part::Batch(ImportBatch { trades: chunk.to_vec() }));
    std::iter::once(Part::Head(head))
        .chain(batches)
        .chain(std::iter::once(end))
        .map(|part| ImportTradesRequest { part: Some(part) })
        .collect()
}

/// Book of the trades with notes.
const NOTES_BOOK: Book = Book { broker: Broker::Groww as i32, segment: Segment::Fno as i32, broker_account: 0 };

/// Setups in the notes of the demo trades.
const SETUPS: [&str; 3] = [
    "#breakout above the range of the first hour.",
    "#pullback to the average, in a rising market.",
    "#gap that was not filled by ten.",
];
/// Emotions in the notes of the demo trades.
const MOODS: [&str; 4] = ["Calm", "In a hurry", "Afraid to miss it", "Sure"];

/// Generates pairs of trades with a setup and a mood, most with a stop loss.
fn generate_notes_book(today: Date) -> Vec<NewTrade> {
    let days = trading_days_before(today);
    let mut trades = Vec::new();
    for (closed_trade, legs) in days
        .iter()
        .flat_map(|day| generate_day("notebook", *day, today, 2, &OPTIONS))
        .collect::<Vec<_>>()
        .chunks_exact(2)
        .enumerate()
    {
        let mut dice = Dice::new(&format!("notebook {closed_trade}"), today);
        let mut pick = |texts: &[&str]| {
            usize::try_from(dice.below(texts.len() as u64))
                .ok()
                .and_then(|n| texts.get(n))
                .map_or("", |text| *text)
                .to_owned()
        };
        let (notes, psychology) = (pick(&SETUPS), pick(&MOODS));
        for (index, leg) in legs.iter().enumerate() {
            // The stop loss belongs to the opening leg.
            let stop_loss = if index == 0 && closed_trade % 5 != 0 { stop_loss(leg) } else { String::new() };
            let notes = Notes { notes: notes.clone(), psychology: psychology.clone(), stop_loss, ..Notes::default() };
            trades.push(NewTrade {
                side: leg.side,
                symbol: leg.symbol.clone(),
                quantity: leg.quantity.clone(),
                price: leg.price.clone(),
                executed_at: leg.executed_at,
                exchange: leg.exchange,
                notes: Some(notes),
                pair_id: format!("demo-{closed_trade}"),
            });
        }
    }
    trades
}

/// Returns a stop loss 1% away from the price.
fn stop_loss(leg: &ImportedTrade) -> String {
    let paise: i64 = leg.price.replace('.', "").parse().unwrap_or_default();
    let distance = paise / 100;
    let stop = if leg.side() == Side::Buy { paise - distance } else { paise + distance };
    format!("{}.{:02}", stop / 100, stop % 100)
}

fn replace_messages(trades: Vec<NewTrade>) -> Vec<ReplaceTradesRequest> {
    let head = ReplaceHead { book: Some(NOTES_BOOK), idempotency_key: String::new() };
    let end = ReplaceEnd { trades: i64::try_from(trades.len()).unwrap_or_default() };
    let batches =
        trades.chunks(2_000).map(|chunk| replace_trades_request::Part::Batch(ReplaceBatch { trades: chunk.to_vec() }));
    std::iter::once(replace_trades_request::Part::Head(head))
        .chain(batches)
        .chain(std::iter::once(replace_trades_request::Part::End(end)))
        .map(|part| ReplaceTradesRequest { part: Some(part) })
        .collect()
}

/// Symbol, initial price in paise and usual quantity of a demo instrument.
type DemoInstrument = (&'static str, i64, i64);

const ZERODHA_SHARES: [DemoInstrument; 6] = [
    ("HDFCBANK", 195_130, 150),
    ("M&M", 314_205, 60),
    ("TATASTEEL", 15_805, 800),
    ("BHARTIARTL", 186_430, 100),
    ("INFY", 160_255, 75),
    ("BAJFINANCE", 92_110, 80),
];
const GROWW_SHARES: [DemoInstrument; 3] = [("SUZLON", 6_315, 2_500), ("RELIANCE", 142_130, 120), ("ITC", 41_820, 400)];
const OPTIONS: [DemoInstrument; 2] = [("NIFTY", 14_850, 75), ("BANKNIFTY", 32_400, 35)];

/// Generates the three books of the year before `today`. A day always gets the same trades, so a second import adds no
/// duplicates.
fn generate_books(today: Date) -> Vec<(Book, Vec<ImportedTrade>)> {
    let days = trading_days_before(today);
    let book =
        |broker: Broker, segment: Segment| Book { broker: broker.into(), segment: segment.into(), ..Book::default() };
    let generate = |name: &str, per_day: u64, instruments: &[DemoInstrument]| -> Vec<ImportedTrade> {
        days.iter().flat_map(|day| generate_day(name, *day, today, per_day, instruments)).collect()
    };
    vec![
        (book(Broker::Groww, Segment::Equity), generate("groww", 1, &GROWW_SHARES)),
        (book(Broker::Zerodha, Segment::Fno), generate("options", 2, &OPTIONS)),
        (book(Broker::Zerodha, Segment::Equity), generate("zerodha", 2, &ZERODHA_SHARES)),
    ]
}

/// Returns the weekdays of the year before `today`.
fn trading_days_before(today: Date) -> Vec<Date> {
    (1..=365)
        .rev()
        .filter_map(|back| today.checked_sub(Duration::days(back)))
        .filter(|day| !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday))
        .collect()
}

/// Generates up to `max_trades` closed trades that open in the morning of `day` and close later.
fn generate_day(
    name: &str,
    day: Date,
    today: Date,
    max_trades: u64,
    instruments: &[DemoInstrument],
) -> Vec<ImportedTrade> {
    let (opened_on, mut dice) = (day, Dice::new(name, day));
    let mut trades = Vec::new();
    for closed_trade in 0..dice.below(max_trades + 1) {
        let Some((symbol, base, lot)) =
            usize::try_from(dice.below(instruments.len() as u64)).ok().and_then(|n| instruments.get(n))
        else {
            continue;
        };
        let in_at = Duration::seconds(9 * 3600 + 15 * 60 + dice.whole(2 * 3600));
        let out_at = in_at + Duration::seconds(300 + dice.whole(3 * 3600));
        // The price drifts over the year and swings by day; the exit is slightly above break-even on average.
        let drift = i64::from(day.ordinal()) * base / 4_000;
        let entry = (base + drift) * (970 + dice.whole(60)) / 1_000;
        let exit = entry * (9_880 + dice.whole(255)) / 10_000;
        let quantity = lot * (1 + dice.whole(3));
        let long = dice.below(5) != 0;
        let symbol = if matches!(name, "options" | "notebook") {
            contract_symbol(symbol, day, &mut dice)
        } else {
            (*symbol).to_owned()
        };
        let factor = if symbol.ends_with("FUT") { 160 } else { 1 };
        let (entry, exit) = (entry * factor, exit * factor);
        // Groww shares are held for some days.
        let closed_on = if name == "groww" && long { trading_day_after(day, dice.whole(25), today) } else { day };
        let (first, second) = if long { (Side::Buy, Side::Sell) } else { (Side::Sell, Side::Buy) };
        for (side, day, at, paise) in [(first, day, in_at, entry), (second, closed_on, out_at, exit)] {
            trades.push(ImportedTrade {
                side: side.into(),
                symbol: symbol.clone(),
                quantity: quantity.to_string(),
                price: format!("{}.{:02}", paise / 100, paise / 5 * 5 % 100),
                executed_at: Some(timestamp(day, at)),
                time_precision: TimePrecision::Second.into(),
                exchange: Exchange::Nse.into(),
                source_key: format!("{opened_on}/demo/{closed_trade}/{}", side.as_str_name()),
                ..ImportedTrade::default()
            });
        }
    }
    trades
}

/// Returns the symbol of a weekly option on NIFTY, a monthly option on others, or sometimes a future.
fn contract_symbol(name: &str, day: Date, dice: &mut Dice) -> String {
    let is_monthly = |expiry: Date| (expiry + Duration::WEEK).month() != expiry.month();
    let this_week = (day - Duration::DAY).next_occurrence(Weekday::Tuesday);
    let mut last = this_week;
    while !is_monthly(last) {
        last += Duration::WEEK;
    }
    let month = format!("{:02}{:.3}", last.year() % 100, last.month().to_string().to_uppercase());
    if dice.below(6) == 0 {
        return format!("{name}{month}FUT");
    }
    let option_type = if dice.below(5) < 3 { "CE" } else { "PE" };
    // The expiry in the last week of a month has the symbol of the month.
    if name != "NIFTY" || is_monthly(this_week) {
        return format!("{name}{month}52000{option_type}");
    }
    let month_code = match u8::from(this_week.month()) {
        10 => "O".to_owned(),
        11 => "N".to_owned(),
        12 => "D".to_owned(),
        month => month.to_string(),
    };
    format!("{name}{:02}{month_code}{:02}25000{option_type}", this_week.year() % 100, this_week.day())
}

/// Returns the first weekday at least `days` after `day`, or `day` itself if that is not before `today`.
fn trading_day_after(day: Date, days: i64, today: Date) -> Date {
    let mut date = day + Duration::days(days);
    while matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
        date += Duration::DAY;
    }
    if date < today { date } else { day }
}

fn timestamp(day: Date, since_midnight: Duration) -> Timestamp {
    let at = day.with_time(Time::MIDNIGHT).assume_offset(india()) + since_midnight;
    Timestamp { seconds: at.unix_timestamp(), nanos: 0 }
}

/// Deterministic pseudo-random number generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn new(name: &str, day: Date) -> Self {
        let seed = name.bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self(seed.wrapping_mul(1_000_003).wrapping_add(u64::from(day.to_julian_day().unsigned_abs())))
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)).checked_rem(limit).unwrap_or(0)
    }

    fn whole(&mut self, limit: u64) -> i64 {
        i64::try_from(self.below(limit)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_books_are_deterministic_and_have_no_open_positions() {
        let today = time::macros::date!(2026 - 11 - 20);
        let year = generate_books(today);
        assert_eq!(year, generate_books(today));
        for (_, trades) in &year {
            assert!(trades.len() > 100, "{}", trades.len());
            let open: i64 = trades
                .iter()
                .map(|t| t.quantity.parse::<i64>().unwrap() * if t.side() == Side::Buy { 1 } else { -1 })
                .sum();
            assert_eq!(open, 0);
            assert!(trades.iter().all(|t| t.executed_at.unwrap().seconds < timestamp(today, Duration::ZERO).seconds));
        }
    }

    #[test]
    fn the_notes_book_has_enough_trades_per_setup_and_mood_and_valid_stop_losses() {
        let trades = generate_notes_book(time::macros::date!(2026 - 11 - 20));
        let notes = |trade: &NewTrade| trade.notes.clone().unwrap();
        for text in SETUPS.into_iter().chain(MOODS) {
            let closed_trades =
                trades.iter().step_by(2).filter(|t| notes(t).notes == text || notes(t).psychology == text);
            assert!(closed_trades.count() >= 20, "{text}");
        }
        let with_stop_loss: Vec<_> = trades.iter().filter(|trade| !notes(trade).stop_loss.is_empty()).collect();
        assert!(with_stop_loss.len() * 2 > trades.len() / 2);
        for trade in with_stop_loss {
            let [stop, price] = [&notes(trade).stop_loss, &trade.price].map(|text| text.parse::<f64>().unwrap());
            assert!(if trade.side() == Side::Buy { stop < price } else { stop > price }, "{trade:?}");
        }
    }
}
