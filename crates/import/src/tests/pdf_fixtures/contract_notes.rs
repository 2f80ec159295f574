//! Contract notes in the layouts of brokers, with their known pitfalls. All people, numbers and trades are invented.

use std::ops::Add;

use lopdf::Document;
use rust_decimal::Decimal;

use super::documents::{self, Text};

const TOP: f32 = 560.0;
const BOTTOM: f32 = 60.0;
const LINE_HEIGHT: f32 = 9.0;
const FONT_SIZE: f32 = 6.0;

/// Layout to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Zerodha,
    ZerodhaBefore2025,
    Groww,
    Upstox,
    Dhan,
}

impl Layout {
    /// Returns true if correct notes are not imported, because their trades could be counted twice.
    pub fn is_refused(self) -> bool {
        self == Self::Dhan
    }
}

pub const LAYOUTS: [Layout; 5] =
    [Layout::Zerodha, Layout::ZerodhaBefore2025, Layout::Groww, Layout::Upstox, Layout::Dhan];

/// Fill of a note.
#[derive(Clone, Debug)]
pub struct Fill {
    pub order: String,
    pub trade: String,
    pub time: &'static str,
    pub symbol: &'static str,
    pub name: &'static str,
    /// Empty for a contract.
    pub isin: &'static str,
    pub exchange: &'static str,
    pub is_buy: bool,
    pub quantity: i64,
    pub price: Decimal,
}

impl Fill {
    pub fn value(&self) -> Decimal {
        self.price * Decimal::from(self.quantity)
    }

    pub fn is_contract(&self) -> bool {
        self.isin.is_empty()
    }

    fn cash_flow(&self) -> Decimal {
        if self.is_buy { -self.value() } else { self.value() }
    }
}

/// Figure that a note states wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misprint {
    /// Value of the first fill.
    Line,
    /// Bought quantity of the first share in the summary.
    Quantity,
    Obligation,
    Net,
    /// The net amount agrees with the wrong tax.
    Gst,
    /// Brokerage and exchange charges in the total column, of which the sum is right.
    Total,
}

/// Amount by which a misprinted figure is too high.
pub const MISPRINT: Decimal = Decimal::ONE;

/// Note of a day.
#[derive(Clone, Debug)]
pub struct Note {
    pub layout: Layout,
    pub number: String,
    pub client_code: String,
    /// Such as `05-06-2026`.
    pub day: String,
    pub fills: Vec<Fill>,
    /// Brokerage, exchange, STT, SEBI, stamp duty and IPFT charges of shares.
    pub charges: [Decimal; 6],
    /// The same of contracts.
    pub contract_charges: [Decimal; 6],
    /// Position of an earlier day, marked to market: its cash flow.
    pub carried: Decimal,
    pub misprint: Option<Misprint>,
}

/// Column of the table of charges.
#[derive(Clone, Copy, Default)]
pub struct Amounts {
    pub obligation: Decimal,
    pub brokerage: Decimal,
    pub exchange: Decimal,
    pub stt: Decimal,
    pub sebi: Decimal,
    pub stamp: Decimal,
    pub ipft: Decimal,
    pub gst: Decimal,
    pub net: Decimal,
}

impl Add for Amounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            obligation: self.obligation + other.obligation,
            brokerage: self.brokerage + other.brokerage,
            exchange: self.exchange + other.exchange,
            stt: self.stt + other.stt,
            sebi: self.sebi + other.sebi,
            stamp: self.stamp + other.stamp,
            ipft: self.ipft + other.ipft,
            gst: self.gst + other.gst,
            net: self.net + other.net,
        }
    }
}

fn rupees(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// Returns a note with `count` fills of three shares at both exchanges.
pub fn note(layout: Layout, number: u32, day: &str, count: usize) -> Note {
    let shares = [
        ("RELIANCE", "RELIANCE INDUSTRIES", "INE002A01018"),
        ("SBIN", "STATE BANK OF INDIA", "INE062A01020"),
        ("INFY", "INFOSYS", "INE009A01021"),
    ];
    let fill = |index: usize| {
        let (symbol, name, isin) = shares[index * shares.len() / count.max(1)];
        let is_bse = index % 4 == 3;
        let order = if is_bse { 1_700_000_000_000_000_000 } else { 1_100_000_000_000_000 }
            + u64::from(number) * 10_000
            + index as u64 / 2;
        Fill {
            order: order.to_string(),
            trade: (200_000_000 + u64::from(number) * 10_000 + index as u64).to_string(),
            time: ["09:15:01", "11:20:33", "15:29:59"][index % 3],
            symbol,
            name,
            isin,
            exchange: if is_bse { "BSE" } else { "NSE" },
            is_buy: (index / 2).is_multiple_of(2),
            quantity: 1 + index as i64 % 7,
            price: Decimal::new(100_005 + index as i64 * 15, 2),
        }
    };
    let charges = ["40.00", "1.27", "31.00", "0.04", "2.00", "0.13"].map(rupees);
    // The summary of Zerodha and Dhan has no row for IPFT.
    let charges = if matches!(layout, Layout::Groww | Layout::Upstox | Layout::Dhan) {
        charges
    } else {
        let [a, b, c, d, e, _] = charges;
        [a, b, c, d, e, Decimal::ZERO]
    };
    Note {
        layout,
        number: format!("CN/26/{number}"),
        client_code: "AB1234".to_owned(),
        day: day.to_owned(),
        fills: (0..count).map(fill).collect(),
        charges,
        contract_charges: [Decimal::ZERO; 6],
        carried: Decimal::ZERO,
        misprint: None,
    }
}

/// Returns a note with shares, contracts, and a carried position.
pub fn note_with_contracts(layout: Layout, number: u32, day: &str, shares: usize) -> Note {
    let mut note = note(layout, number, day, shares);
    let contracts = [
        ("NIFTY26JUN24000CE", true, 75, "112.35"),
        ("NIFTY26JUN24000CE", false, 75, "118.05"),
        ("BANKNIFTY26JUNFUT", false, 30, "52010.40"),
    ];
    for (index, (symbol, is_buy, quantity, price)) in contracts.into_iter().enumerate() {
        note.fills.push(Fill {
            order: (1_500_000_000_000_000 + u64::from(number) * 10_000 + index as u64).to_string(),
            trade: (400_000_000 + u64::from(number) * 10_000 + index as u64).to_string(),
            time: "10:15:30",
            symbol,
            name: symbol,
            isin: "",
            exchange: "NSE",
            is_buy,
            quantity,
            price: rupees(price),
        });
    }
    note.contract_charges = ["60.00", "9.87", "320.00", "1.58", "31.00", "0"].map(rupees);
    note.carried = rupees("-1275.50");
    note
}

impl Note {
    /// Returns what the broker charged, without a misprint.
    pub fn amounts(&self, is_contract: bool) -> Amounts {
        let [brokerage, exchange, stt, sebi, stamp, ipft] =
            if is_contract { self.contract_charges } else { self.charges };
        let gst = ((brokerage + exchange + sebi + ipft) * rupees("0.18")).round_dp(2);
        let fills = self.fills.iter().filter(|fill| fill.is_contract() == is_contract);
        let carried = if is_contract { self.carried } else { Decimal::ZERO };
        let obligation = fills.map(Fill::cash_flow).sum::<Decimal>() + carried;
        let net = obligation - (brokerage + exchange + stt + sebi + stamp + ipft + gst);
        Amounts { obligation, brokerage, exchange, stt, sebi, stamp, ipft, gst, net }
    }

    pub fn total_charges(&self, is_contract: bool) -> Decimal {
        let Amounts { obligation, net, .. } = self.amounts(is_contract);
        obligation - net
    }

    /// Returns the columns of shares, of contracts, and of totals as printed.
    pub fn printed_amounts(&self) -> [Amounts; 3] {
        let (mut shares, contracts) = (self.amounts(false), self.amounts(true));
        match self.misprint {
            Some(Misprint::Obligation) => shares.obligation += MISPRINT,
            Some(Misprint::Net) => shares.net += MISPRINT,
            Some(Misprint::Gst) => {
                shares.gst += MISPRINT;
                shares.net -= MISPRINT;
            }
            _ => (),
        }
        let mut total = shares + contracts;
        if self.misprint == Some(Misprint::Total) {
            total.brokerage += MISPRINT;
            total.exchange -= MISPRINT;
        }
        [shares, contracts, total]
    }
}

/// Draws lines from the top of the page down.
#[derive(Default)]
struct Canvas {
    pages: Vec<Vec<Text>>,
    y: f32,
    /// Header that each page of the annexure repeats.
    repeated: Vec<(f32, &'static str)>,
}

impl Canvas {
    fn new_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = TOP;
        for (x, text) in self.repeated.clone() {
            self.put(x, text);
        }
        self.y -= LINE_HEIGHT;
    }

    fn put(&mut self, x: f32, text: &str) {
        self.add(x, text, false);
    }

    fn put_right(&mut self, x: f32, text: &str) {
        self.add(x, text, true);
    }

    fn add(&mut self, x: f32, text: &str, is_right: bool) {
        let y = self.y;
        self.pages.last_mut().unwrap().push(Text { x, y, is_right, text: text.to_owned() });
    }

    fn next_line(&mut self) {
        self.y -= LINE_HEIGHT;
        if self.y < BOTTOM {
            self.new_page();
        }
    }

    fn line(&mut self, text: &str) {
        self.put(30.0, text);
        self.next_line();
    }
}

fn money(amount: Decimal) -> String {
    format!("{amount:.2}")
}

/// Prints an amount that the client receives, or pays if it is negative.
fn flow(layout: Layout, amount: Decimal) -> String {
    match layout {
        Layout::Zerodha | Layout::ZerodhaBefore2025 if amount < Decimal::ZERO => format!("({})", money(-amount)),
        Layout::Upstox => money(-amount),
        Layout::Dhan => format!("{} {}", money(amount.abs()), if amount < Decimal::ZERO { "DR" } else { "CR" }),
        _ => money(amount),
    }
}

/// Returns a document with these notes.
pub fn document(notes: &[Note]) -> Document {
    let mut canvas = Canvas::default();
    for note in notes {
        canvas.repeated.clear();
        canvas.new_page();
        draw_head(&mut canvas, note);
        draw_summary(&mut canvas, note);
        draw_carried(&mut canvas, note);
        canvas.next_line();
        draw_charges(&mut canvas, note);
        draw_annexure(&mut canvas, note);
    }
    documents::document(&canvas.pages, FONT_SIZE)
}

/// Returns the file of a document with one note.
pub fn file(note: &Note) -> Vec<u8> {
    documents::save(document(std::slice::from_ref(note)))
}

fn draw_head(canvas: &mut Canvas, note: &Note) {
    let slashes = note.day.replace('-', "/");
    match note.layout {
        Layout::Zerodha | Layout::ZerodhaBefore2025 => {
            canvas.line("CONTRACT NOTE CUM TAX INVOICE");
            canvas.line("Zerodha Broking Limited");
            if !note.number.is_empty() {
                canvas.line(&format!("Contract Note No: {}", note.number));
            }
            canvas.line("Trade Date:");
            canvas.line(&slashes);
            canvas.line(&format!("UCC: {}", note.client_code));
        }
        Layout::Groww => {
            canvas.line(&format!("Contract Note no. {} Trade Date {}", note.number, note.day));
            canvas.line(&format!("UCC {}", note.client_code));
            canvas.line("NSE-EQ BSE-EQ NSE-FNO BSE-FNO");
            canvas.line("EQUITY");
        }
        Layout::Upstox => {
            canvas.line("UPSTOX SECURITIES PRIVATE LIMITED");
            canvas.line(&format!("CONTRACT NOTE Trade Date : {slashes}"));
            canvas.line(&format!("Contract Note No. : {}", note.number));
            canvas.line(&format!("Client Code : {}", note.client_code));
        }
        Layout::Dhan => {
            canvas.line(&format!("Contract Date : {} Contract Note No : {}", note.day, note.number));
            canvas.line("Raise Securities Private Limited");
            canvas.line(&format!("UCC : {}", note.client_code));
        }
    }
}

fn draw_summary(canvas: &mut Canvas, note: &Note) {
    let mut isins: Vec<&Fill> = Vec::new();
    for fill in &note.fills {
        if !fill.is_contract() && isins.iter().all(|other| other.isin != fill.isin) {
            isins.push(fill);
        }
    }
    for (index, share) in isins.into_iter().enumerate() {
        let side_fills =
            |is_buy| note.fills.iter().filter(move |fill| fill.isin == share.isin && fill.is_buy == is_buy);
        let quantity = |is_buy| side_fills(is_buy).map(|fill| fill.quantity).sum::<i64>();
        let value = |is_buy| side_fills(is_buy).map(Fill::value).sum::<Decimal>();
        let (bought, sold) = (quantity(true), quantity(false));
        let sold_sign = if matches!(note.layout, Layout::Groww | Layout::Upstox) { -1 } else { 1 };
        canvas.put(30.0, share.isin);
        if note.layout == Layout::Zerodha || note.layout == Layout::Dhan {
            canvas.put(90.0, share.symbol);
        } else {
            // The name wraps, and the figures follow on its second line.
            let (first, rest) = share.name.split_once(' ').unwrap_or((share.name, ""));
            canvas.put(90.0, first);
            canvas.next_line();
            canvas.put(90.0, rest);
        }
        let is_misprinted = index == 0 && note.misprint == Some(Misprint::Quantity);
        let figures = [
            (bought + i64::from(is_misprinted)).to_string(),
            "1000.1000".to_owned(),
            "0.0000".to_owned(),
            "1000.1000".to_owned(),
            money(value(true)),
            (sold * sold_sign).to_string(),
            "1000.1000".to_owned(),
            "0.0000".to_owned(),
            "1000.1000".to_owned(),
            money(value(false)),
            (bought - sold).to_string(),
            money(value(false) - value(true)),
        ];
        for (column, figure) in figures.iter().enumerate() {
            canvas.put_right(240.0 + column as f32 * 50.0, figure);
        }
        canvas.next_line();
    }
}

/// Draws the position of an earlier day: in the derivatives summary, or in older notes as a fill without numbers.
fn draw_carried(canvas: &mut Canvas, note: &Note) {
    if note.carried.is_zero() || note.layout == Layout::ZerodhaBefore2025 {
        return;
    }
    canvas.line("Contract description Buy(B)/Sell(S)/BF/CF Quantity");
    let brought = rupees("-780000.00");
    for (kind, amount) in [("BF", brought), ("CF", note.carried - brought)] {
        canvas.put(30.0, "NIFTY26JUNFUT");
        canvas.put(250.0, kind);
        for (x, figure) in [(440.0, "30"), (500.0, "26000.0000"), (560.0, "0.0000"), (620.0, "26000.0000")] {
            canvas.put_right(x, figure);
        }
        canvas.put_right(700.0, &flow(note.layout, amount));
        canvas.next_line();
    }
}

fn draw_charges(canvas: &mut Canvas, note: &Note) {
    let (equity_x, fno_x, total_x) = (500.0, 600.0, 700.0);
    let columns: &[(f32, &str)] = match note.layout {
        Layout::Zerodha => &[(equity_x, "NCL-Cash"), (fno_x, "NCL-F&O"), (total_x, "NET TOTAL")],
        Layout::ZerodhaBefore2025 => &[(equity_x, "Equity"), (fno_x, "Futures and Options"), (total_x, "NET TOTAL")],
        Layout::Groww => &[(equity_x, "Equity"), (fno_x, "Future & Options"), (total_x, "Net Total")],
        Layout::Upstox => &[(equity_x, "EQ-CASH (Rs.)"), (total_x, "TOTAL (Net) (Rs.)")],
        Layout::Dhan => &[(equity_x, "NCLCM"), (fno_x, "NCLFO"), (total_x, "TOTAL")],
    };
    let header = |canvas: &mut Canvas| {
        canvas.put(30.0, "Description");
        for (x, name) in columns {
            canvas.put_right(*x, name);
        }
        canvas.next_line();
    };
    header(canvas);
    let [shares, contracts, total] = note.printed_amounts();
    let has_contracts = note.fills.iter().any(Fill::is_contract);
    let row = |canvas: &mut Canvas, label: &str, print: &dyn Fn(&Amounts) -> String| {
        canvas.put(30.0, label);
        canvas.put_right(equity_x, &print(&shares));
        if has_contracts {
            canvas.put_right(fno_x, &print(&contracts));
        }
        canvas.put_right(total_x, &print(&total));
        canvas.next_line();
    };
    let charge = |amount: Decimal| match note.layout {
        Layout::Groww => money(-amount),
        Layout::Dhan => format!("{} DR", money(amount)),
        Layout::Zerodha => format!("({})", money(amount)),
        Layout::ZerodhaBefore2025 | Layout::Upstox => money(amount),
    };
    let zero = |_: &Amounts| charge(Decimal::ZERO);
    let flow = |amount| flow(note.layout, amount);
    match note.layout {
        Layout::Zerodha | Layout::ZerodhaBefore2025 => {
            row(canvas, "Pay in/Pay out obligation (Rs)", &|a| flow(a.obligation));
            row(canvas, "Taxable value of Supply (Brokerage) (Rs) 2", &|a| charge(a.brokerage));
            row(canvas, "Exchange transaction charges (Rs) 4", &|a| charge(a.exchange));
            row(canvas, "Clearing charges (Rs)", &zero);
            canvas.line("CGST (@9% of Brok, SEBI, Trans &");
            row(canvas, "Clearing Charges) (Rs) 3", &zero);
            row(canvas, "SGST (@9% of Brok, SEBI, Trans & Clearing Charges) (Rs) 3", &zero);
            // The label wraps around the amounts.
            canvas.line("IGST (@18% of Brok, SEBI, Trans &");
            row(canvas, "", &|a| charge(a.gst));
            canvas.line("Clearing Charges) (Rs) 3");
            row(canvas, "Securities transaction tax (Rs)", &|a| charge(a.stt));
            row(canvas, "SEBI turnover fees (Rs)", &|a| charge(a.sebi));
            row(canvas, "Stamp duty (Rs)", &|a| charge(a.stamp));
            row(canvas, "Net amount receivable/(payable by client) (Rs)", &|a| flow(a.net));
        }
        Layout::Groww => {
            row(canvas, "Settlement Number", &|_| "2026105".to_owned());
            row(canvas, "Pay In / Pay Out Obligation (before Brokerage)", &|a| flow(a.obligation));
            row(canvas, "Taxable Value of Supply (Brokerage)", &|a| charge(a.brokerage));
            row(canvas, "Exchange Transaction Charges", &|a| charge(a.exchange));
            row(canvas, "CGST", &|a| charge(a.gst / Decimal::TWO));
            row(canvas, "SGST", &|a| charge(a.gst / Decimal::TWO));
            row(canvas, "IGST", &|_| "0.00".to_owned());
            row(canvas, "UTT", &|_| "0".to_owned());
            row(canvas, "Securities Transaction Tax", &|a| charge(a.stt));
            row(canvas, "SEBI Turnover Fees", &|a| charge(a.sebi));
            row(canvas, "Stamp Duty", &|a| charge(a.stamp));
            row(canvas, "IPFT Charges", &|a| charge(a.ipft));
            row(canvas, "Net Amount Receivable / Payable By Client", &|a| flow(a.net));
        }
        Layout::Upstox => {
            let on_brokerage = |a: &Amounts| (a.brokerage * rupees("0.18")).round_dp(2);
            row(canvas, "PAY IN / ( PAY OUT ) OBLIGATION", &|a| flow(a.obligation));
            row(canvas, "Brokerage Charges", &|a| charge(a.brokerage));
            row(canvas, "[IGST 18% On Brokerage]", &|a| charge(on_brokerage(a)));
            row(canvas, "[IGST 18% On Charges]", &|a| charge(a.gst - on_brokerage(a)));
            row(canvas, "[STT-DEL.]", &|a| charge(a.stt + rupees("0.33")));
            row(canvas, "[STT-Round off]", &|_| charge(rupees("-0.33")));
            canvas.line("Signature GSTIN 27ABCDE1234F1Z5");
            header(canvas);
            row(canvas, "[TURNOVER CHG]", &|a| charge(a.exchange));
            row(canvas, "[SEBI FEES]", &|a| charge(a.sebi));
            row(canvas, "[STAMP DUTY]", &|a| charge(a.stamp));
            row(canvas, "[IPFT CHG]", &|a| charge(a.ipft));
            row(canvas, "Net amount (-) receivable by Client / (+) payable by Client (Rs.)", &|a| flow(a.net));
        }
        Layout::Dhan => {
            row(canvas, "Pay in / Pay out obligation", &|a| flow(a.obligation));
            row(canvas, "Taxable value of supply (Brokerage)", &|a| charge(a.brokerage));
            row(canvas, "Taxable value of supply (NSE Transaction charges)", &|a| charge(a.exchange));
            row(canvas, "Taxable value of supply (IPFT contribution)", &|a| charge(a.ipft));
            row(canvas, "Taxable value of supply (SEBI fees)", &|a| charge(a.sebi));
            row(canvas, "IGST @ 18%", &|a| charge(a.gst));
            row(canvas, "Stamp duty", &|a| charge(a.stamp));
            row(canvas, "Securities transactions tax", &|a| charge(a.stt));
            row(canvas, "Net amount receivable / payable by client", &|a| flow(a.net));
        }
    }
}

fn draw_annexure(canvas: &mut Canvas, note: &Note) {
    canvas.line("Annexure A");
    canvas.repeated = vec![
        (30.0, "Order No."),
        (110.0, "Order Time"),
        (150.0, "Trade No."),
        (210.0, "Trade Time"),
        (250.0, "Security / Contract Description"),
        (400.0, "Buy(B)/Sell(S)"),
        (500.0, "Quantity"),
        (760.0, "Remarks"),
    ];
    canvas.new_page();
    if note.layout == Layout::Dhan {
        canvas.line("Annexure");
    }
    let mut previous: Option<&Fill> = None;
    for (index, fill) in note.fills.iter().enumerate() {
        if let Some(last) = previous.filter(|last| (last.isin, last.symbol) != (fill.isin, fill.symbol)) {
            draw_subtotal(canvas, note, last);
        }
        if fill.is_contract() && previous.is_none_or(|last| !last.is_contract()) {
            canvas.line("Derivatives");
        }
        if note.layout == Layout::Dhan && previous.is_none_or(|last| last.exchange != fill.exchange) {
            canvas.line(&format!("NCL-{}-Equity-M", fill.exchange));
        }
        draw_fill(canvas, note, fill, index);
        previous = Some(fill);
    }
    if let Some(last) = previous {
        draw_subtotal(canvas, note, last);
    }
    if note.layout == Layout::Upstox {
        canvas.line("1100000000000001 Brokerage Charges B 1 0.0000 1.3300 1.33");
    }
    if note.layout == Layout::ZerodhaBefore2025 {
        let value = flow(note.layout, note.carried);
        let side = if note.carried < Decimal::ZERO { "B" } else { "S" };
        let cells = ["0", "00:00:00", "0", "00:00:00", "NIFTY26JUNFUT", side, "NSE", "30", "42.50", "42.52", &value];
        let columns = [30.0, 110.0, 150.0, 210.0, 250.0, 400.0, 430.0, 500.0, 560.0, 620.0, 700.0];
        for (x, cell) in columns.iter().zip(cells) {
            canvas.put(*x, cell);
        }
        canvas.next_line();
    }
}

fn draw_subtotal(canvas: &mut Canvas, note: &Note, last: &Fill) {
    let of_share = note.fills.iter().filter(|fill| (fill.isin, fill.symbol) == (last.isin, last.symbol));
    let (quantity, value) = of_share.fold((0, Decimal::ZERO), |(quantity, value), fill| match fill.is_buy {
        true => (quantity + fill.quantity, value - fill.value()),
        false => (quantity - fill.quantity, value + fill.value()),
    });
    match note.layout {
        Layout::Groww => canvas.line(&format!("Total {} {quantity} {}", last.isin, money(value))),
        Layout::Zerodha => canvas.line(&format!("Sub Total {quantity} {}", money(value))),
        Layout::ZerodhaBefore2025 => canvas.line(&format!("Net Total {}", money(value))),
        Layout::Upstox | Layout::Dhan => (),
    }
}

fn draw_fill(canvas: &mut Canvas, note: &Note, fill: &Fill, index: usize) {
    // A long order number wraps inside its cell.
    let (order, rest) = fill.order.split_at(fill.order.len().min(16));
    canvas.put(30.0, order);
    canvas.put(110.0, fill.time);
    canvas.put(150.0, &fill.trade);
    canvas.put(210.0, fill.time);
    let description = match note.layout {
        _ if fill.is_contract() => fill.symbol.to_owned(),
        Layout::Zerodha | Layout::ZerodhaBefore2025 => format!("{}-EQ/{}", fill.symbol, fill.isin),
        Layout::Groww => fill.name.to_owned(),
        Layout::Upstox => format!("{} [{}]", fill.name, fill.isin),
        Layout::Dhan => format!("{}-{}", fill.symbol, fill.name),
    };
    canvas.put(250.0, &description);
    let side = if fill.is_buy { "B" } else { "S" };
    let signed_quantity = if fill.is_buy { fill.quantity } else { -fill.quantity };
    let price = format!("{:.2}", fill.price);
    let is_misprinted = index == 0 && note.misprint == Some(Misprint::Line);
    let value = money(if is_misprinted { fill.value() + MISPRINT } else { fill.value() });
    let signed = |amount: &str, is_negative: bool| if is_negative { format!("-{amount}") } else { amount.to_owned() };
    let cells: Vec<(f32, String)> = match note.layout {
        Layout::Zerodha | Layout::ZerodhaBefore2025 => {
            let mut cells =
                vec![(400.0, side.to_owned()), (440.0, fill.exchange.to_owned()), (510.0, fill.quantity.to_string())];
            if note.layout == Layout::ZerodhaBefore2025 {
                cells.push((560.0, price.clone()));
            } else if index.is_multiple_of(2) {
                // The cell of the brokerage is empty on other lines.
                cells.push((560.0, "0.0100".to_owned()));
            }
            cells.push((620.0, price));
            if fill.is_contract() {
                // The closing rate.
                cells.push((660.0, "99.05".to_owned()));
            }
            cells.extend([(720.0, if fill.is_buy { format!("({value})") } else { value })]);
            cells
        }
        Layout::Groww => vec![
            (400.0, fill.exchange.to_owned()),
            (430.0, side.to_owned()),
            (510.0, signed_quantity.to_string()),
            (560.0, price.clone()),
            (620.0, price),
            (700.0, signed(&value, fill.is_buy)),
        ],
        Layout::Upstox => vec![
            (400.0, side.to_owned()),
            (510.0, signed_quantity.to_string()),
            (560.0, price.clone()),
            (620.0, price),
            (700.0, signed(&value, !fill.is_buy)),
            (760.0, fill.exchange.to_owned()),
        ],
        Layout::Dhan => vec![
            (400.0, side.to_owned()),
            (510.0, fill.quantity.to_string()),
            (560.0, price.clone()),
            (620.0, price),
            (700.0, value),
            (760.0, "D".to_owned()),
        ],
    };
    for (x, cell) in cells {
        canvas.put_right(x + 20.0, &cell);
    }
    let page = canvas.pages.len();
    canvas.next_line();
    if !rest.is_empty() {
        if canvas.pages.len() == page {
            canvas.put(30.0, rest);
            canvas.next_line();
        } else {
            // A row does not break across pages.
            let last = canvas.pages[page - 1].iter_mut().find(|text| text.text == order && text.x == 30.0);
            last.unwrap().text = fill.order.clone();
        }
    }
}
