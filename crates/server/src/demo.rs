//! A demo account: a year of made-up trades in both brokers, and a notebook of trades with what was thought of them.

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

const EMAIL: &str = "demo@tradebahi.example";
const PASSWORD: &str = "a-year-of-trades";

/// Makes the account, if there is none yet, gives it trades up to yesterday, and prints its login.
pub async fn seed(core: &Transport) -> anyhow::Result<()> {
    let mut auth = AuthServiceClient::new(core.clone());
    let registration = RegisterRequest {
        notice_version: Default::default(),
        name: "Asha Rao".to_owned(),
        email: EMAIL.to_owned(),
        phone: "9820041537".to_owned(),
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
    };
    match auth.register(registration).await {
        Ok(_) => {}
        Err(status) if status.code() == Code::AlreadyExists => {}
        Err(status) => return Err(status.into()),
    }
    let login = LogInRequest {
        restore: Default::default(),
        login: EMAIL.to_owned(),
        password: PASSWORD.to_owned(),
        device: None,
    };
    let tokens = auth.log_in(login).await?.into_inner().tokens.unwrap_or_default();
    let token = tokens.access_token;

    let mut trades = TradesServiceClient::new(core.clone());
    for (book, made_up) in books(OffsetDateTime::now_utc().to_offset(india()).date()) {
        let mut request = Request::new(tokio_stream::iter(messages(book, made_up)));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        trades.import_trades(request).await?;
    }
    let mut request = Request::new(ListBooksRequest {});
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    let books = trades.list_books(request).await?.into_inner().books;
    // Written once: what somebody changes in it stays.
    if !books.iter().any(|held| held.book == Some(NOTEBOOK) && held.trades > 0) {
        let written = notebook(OffsetDateTime::now_utc().to_offset(india()).date());
        let mut request = Request::new(tokio_stream::iter(replacement(written)));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        trades.replace_trades(request).await?;
    }
    // Otherwise it stood among the devices of whoever looks.
    auth.log_out(LogOutRequest { refresh_token: tokens.refresh_token }).await?;
    println!("Demo account: {EMAIL}, password {PASSWORD}");
    Ok(())
}

fn india() -> UtcOffset {
    UtcOffset::from_hms(5, 30, 0).unwrap_or(UtcOffset::UTC)
}

fn messages(book: Book, trades: Vec<ImportedTrade>) -> Vec<ImportTradesRequest> {
    let head = ImportHead {
        idempotency_key: Default::default(),
        book: Some(book),
        file_name: "Made-up trades".to_owned(),
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

/// The book that the demo trader writes by hand.
const NOTEBOOK: Book = Book { broker: Broker::Groww as i32, segment: Segment::Fno as i32 };

/// Why the demo trader trades, and how it feels.
const SETUPS: [&str; 3] = [
    "#breakout above the range of the first hour.",
    "#pullback to the average, in a rising market.",
    "#gap that was not filled by ten.",
];
const MOODS: [&str; 4] = ["Calm", "In a hurry", "Afraid to miss it", "Sure"];

/// The notebook: pairs of trades with a setup and a mood, and mostly a stop loss.
fn notebook(today: Date) -> Vec<NewTrade> {
    let days = days_before(today);
    let mut written = Vec::new();
    for (closed_trade, legs) in days
        .iter()
        .flat_map(|day| day_of_trades("notebook", *day, today, 2, &OPTIONS))
        .collect::<Vec<_>>()
        .chunks_exact(2)
        .enumerate()
    {
        let mut dice = Dice::of(&format!("notebook {closed_trade}"), today);
        let mut pick = |words: &[&str]| {
            usize::try_from(dice.below(words.len() as u64))
                .ok()
                .and_then(|n| words.get(n))
                .map_or("", |word| *word)
                .to_owned()
        };
        let (notes, psychology) = (pick(&SETUPS), pick(&MOODS));
        for (place, leg) in legs.iter().enumerate() {
            // It belongs to the leg that opens the trade.
            let stop_loss = if place == 0 && closed_trade % 5 != 0 { stop_loss(leg) } else { String::new() };
            let notes = Notes { notes: notes.clone(), psychology: psychology.clone(), stop_loss, ..Notes::default() };
            written.push(NewTrade {
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
    written
}

/// A hundredth away from the price, on the side of a loss.
fn stop_loss(leg: &ImportedTrade) -> String {
    let paise: i64 = leg.price.replace('.', "").parse().unwrap_or_default();
    let away = paise / 100;
    let stop = if leg.side() == Side::Buy { paise - away } else { paise + away };
    format!("{}.{:02}", stop / 100, stop % 100)
}

fn replacement(trades: Vec<NewTrade>) -> Vec<ReplaceTradesRequest> {
    let head = ReplaceHead { book: Some(NOTEBOOK), idempotency_key: String::new() };
    let end = ReplaceEnd { trades: i64::try_from(trades.len()).unwrap_or_default() };
    let batches =
        trades.chunks(2_000).map(|chunk| replace_trades_request::Part::Batch(ReplaceBatch { trades: chunk.to_vec() }));
    std::iter::once(replace_trades_request::Part::Head(head))
        .chain(batches)
        .chain(std::iter::once(replace_trades_request::Part::End(end)))
        .map(|part| ReplaceTradesRequest { part: Some(part) })
        .collect()
}

/// What the demo trader trades: symbol, a price to begin with in paise, and a usual quantity.
const ZERODHA_SHARES: [(&str, i64, i64); 6] = [
    ("HDFCBANK", 195_130, 150),
    ("M&M", 314_205, 60),
    ("TATASTEEL", 15_805, 800),
    ("BHARTIARTL", 186_430, 100),
    ("INFY", 160_255, 75),
    ("BAJFINANCE", 92_110, 80),
];
const GROWW_SHARES: [(&str, i64, i64); 3] =
    [("SUZLON", 6_315, 2_500), ("RELIANCE", 142_130, 120), ("ITC", 41_820, 400)];
const OPTIONS: [(&str, i64, i64); 2] = [("NIFTY", 14_850, 75), ("BANKNIFTY", 32_400, 35)];

/// The three books of the year before `today`. The same day makes the same trades, so seeding again doubles nothing.
fn books(today: Date) -> Vec<(Book, Vec<ImportedTrade>)> {
    let days = days_before(today);
    let book = |broker: Broker, segment: Segment| Book { broker: broker.into(), segment: segment.into() };
    let each = |name: &str, per_day: u64, what: &[(&str, i64, i64)]| -> Vec<ImportedTrade> {
        days.iter().flat_map(|day| day_of_trades(name, *day, today, per_day, what)).collect()
    };
    vec![
        (book(Broker::Groww, Segment::Equity), each("groww", 1, &GROWW_SHARES)),
        (book(Broker::Zerodha, Segment::Fno), each("options", 2, &OPTIONS)),
        (book(Broker::Zerodha, Segment::Equity), each("zerodha", 2, &ZERODHA_SHARES)),
    ]
}

/// The days of trading of the year before `today`.
fn days_before(today: Date) -> Vec<Date> {
    (1..=365)
        .rev()
        .filter_map(|back| today.checked_sub(Duration::days(back)))
        .filter(|day| !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday))
        .collect()
}

/// Up to `most` closed trades that begin on one day: in the morning in, later out, a little better or worse.
fn day_of_trades(name: &str, day: Date, today: Date, most: u64, what: &[(&str, i64, i64)]) -> Vec<ImportedTrade> {
    let (begun, mut dice) = (day, Dice::of(name, day));
    let mut trades = Vec::new();
    for closed_trade in 0..dice.below(most + 1) {
        let Some((symbol, base, lot)) = usize::try_from(dice.below(what.len() as u64)).ok().and_then(|n| what.get(n))
        else {
            continue;
        };
        let in_at = Duration::seconds(9 * 3600 + 15 * 60 + dice.whole(2 * 3600));
        let out_at = in_at + Duration::seconds(300 + dice.whole(3 * 3600));
        // A drift over the year, the day's swing, and the closed_trade's own luck, a shade above even.
        let drift = i64::from(day.ordinal()) * base / 4_000;
        let entry = (base + drift) * (970 + dice.whole(60)) / 1_000;
        let exit = entry * (9_880 + dice.whole(255)) / 10_000;
        let quantity = lot * (1 + dice.whole(3));
        let long = dice.below(5) != 0;
        let symbol = if matches!(name, "options" | "notebook") {
            contract(symbol, day, &mut dice)
        } else {
            (*symbol).to_owned()
        };
        let times = if symbol.ends_with("FUT") { 160 } else { 1 };
        let (entry, exit) = (entry * times, exit * times);
        // With the one broker shares are kept for a while.
        let kept = if name == "groww" && long { later(day, dice.whole(25), today) } else { day };
        let (first, second) = if long { (Side::Buy, Side::Sell) } else { (Side::Sell, Side::Buy) };
        for (side, day, at, paise) in [(first, day, in_at, entry), (second, kept, out_at, exit)] {
            trades.push(ImportedTrade {
                side: side.into(),
                symbol: symbol.clone(),
                quantity: quantity.to_string(),
                price: format!("{}.{:02}", paise / 100, paise / 5 * 5 % 100),
                executed_at: Some(instant(day, at)),
                time_precision: TimePrecision::Second.into(),
                exchange: Exchange::Nse.into(),
                source_key: format!("{begun}/demo/{closed_trade}/{}", side.as_str_name()),
                ..ImportedTrade::default()
            });
        }
    }
    trades
}

/// An option of the week on NIFTY, of the month on anything else, or now and then a future.
fn contract(name: &str, day: Date, dice: &mut Dice) -> String {
    let is_last = |expiry: Date| (expiry + Duration::WEEK).month() != expiry.month();
    let this_week = (day - Duration::DAY).next_occurrence(Weekday::Tuesday);
    let mut last = this_week;
    while !is_last(last) {
        last += Duration::WEEK;
    }
    let month = format!("{:02}{:.3}", last.year() % 100, last.month().to_string().to_uppercase());
    if dice.below(6) == 0 {
        return format!("{name}{month}FUT");
    }
    let end = if dice.below(5) < 3 { "CE" } else { "PE" };
    // The last week of a month is written as the month is.
    if name != "NIFTY" || is_last(this_week) {
        return format!("{name}{month}52000{end}");
    }
    let letter = match u8::from(this_week.month()) {
        10 => "O".to_owned(),
        11 => "N".to_owned(),
        12 => "D".to_owned(),
        month => month.to_string(),
    };
    format!("{name}{:02}{letter}{:02}25000{end}", this_week.year() % 100, this_week.day())
}

/// A day of trading so many days later, as long as it is before `today`.
fn later(day: Date, days: i64, today: Date) -> Date {
    let mut later = day + Duration::days(days);
    while matches!(later.weekday(), Weekday::Saturday | Weekday::Sunday) {
        later += Duration::DAY;
    }
    if later < today { later } else { day }
}

fn instant(day: Date, since_midnight: Duration) -> Timestamp {
    let at = day.with_time(Time::MIDNIGHT).assume_offset(india()) + since_midnight;
    Timestamp { seconds: at.unix_timestamp(), nanos: 0 }
}

/// Numbers that look random and are the same every time (splitmix64).
struct Dice(u64);

impl Dice {
    fn of(name: &str, day: Date) -> Self {
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
    fn a_year_is_the_same_every_time_and_closes_what_it_opens() {
        let today = time::macros::date!(2026 - 11 - 20);
        let year = books(today);
        assert_eq!(year, books(today));
        for (_, trades) in &year {
            assert!(trades.len() > 100, "{}", trades.len());
            let open: i64 = trades
                .iter()
                .map(|t| t.quantity.parse::<i64>().unwrap() * if t.side() == Side::Buy { 1 } else { -1 })
                .sum();
            assert_eq!(open, 0);
            assert!(trades.iter().all(|t| t.executed_at.unwrap().seconds < instant(today, Duration::ZERO).seconds));
        }
    }

    #[test]
    fn the_notebook_has_enough_of_each_setup_and_mood_and_its_stops_limit_losses() {
        let written = notebook(time::macros::date!(2026 - 11 - 20));
        let notes = |trade: &NewTrade| trade.notes.clone().unwrap();
        for word in SETUPS.into_iter().chain(MOODS) {
            let closed_trades =
                written.iter().step_by(2).filter(|t| notes(t).notes == word || notes(t).psychology == word);
            assert!(closed_trades.count() >= 20, "{word}");
        }
        let stopped: Vec<_> = written.iter().filter(|trade| !notes(trade).stop_loss.is_empty()).collect();
        assert!(stopped.len() * 2 > written.len() / 2);
        for trade in stopped {
            let [stop, price] = [&notes(trade).stop_loss, &trade.price].map(|text| text.parse::<f64>().unwrap());
            assert!(if trade.side() == Side::Buy { stop < price } else { stop > price }, "{trade:?}");
        }
    }
}
