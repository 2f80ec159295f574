//! Contract notes in the layouts of brokers, with their known pitfalls. All people, numbers and trades are invented.

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
}

/// Note of a day.
#[derive(Clone, Debug)]
pub struct Note {
    pub layout: Layout,
    pub number: String,
    /// Such as `05-06-2026`.
    pub day: String,
    pub fills: Vec<Fill>,
    /// Brokerage, exchange, STT, SEBI, stamp duty and IPFT charges.
    pub charges: [Decimal; 6],
    /// Change of the net amount, to make a check fail.
    pub error: Decimal,
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
        day: day.to_owned(),
        fills: (0..count).map(fill).collect(),
        charges,
        error: Decimal::ZERO,
    }
}

impl Note {
    pub fn gst(&self) -> Decimal {
        let [brokerage, exchange, _, sebi, _, ipft] = self.charges;
        ((brokerage + exchange + sebi + ipft) * rupees("0.18")).round_dp(2)
    }

    pub fn total_charges(&self) -> Decimal {
        self.charges.iter().sum::<Decimal>() + self.gst()
    }

    fn obligation(&self) -> Decimal {
        self.fills.iter().map(|fill| if fill.is_buy { -fill.value() } else { fill.value() }).sum()
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
            canvas.line(&format!("Contract Note No: {}", note.number));
            canvas.line("Trade Date:");
            canvas.line(&slashes);
            canvas.line("UCC: AB1234");
        }
        Layout::Groww => {
            canvas.line(&format!("Contract Note no. {} Trade Date {}", note.number, note.day));
            canvas.line("UCC 1234567890");
            canvas.line("NSE-EQ BSE-EQ NSE-FNO BSE-FNO");
            canvas.line("EQUITY");
        }
        Layout::Upstox => {
            canvas.line("UPSTOX SECURITIES PRIVATE LIMITED");
            canvas.line(&format!("CONTRACT NOTE Trade Date : {slashes}"));
            canvas.line(&format!("Contract Note No. : {}", note.number));
            canvas.line("Client Code : AB1234");
        }
        Layout::Dhan => {
            canvas.line(&format!("Contract Date : {} Contract Note No : {}", note.day, note.number));
            canvas.line("Raise Securities Private Limited");
            canvas.line("UCC : 1100012345");
        }
    }
}

fn draw_summary(canvas: &mut Canvas, note: &Note) {
    let mut isins: Vec<&Fill> = Vec::new();
    for fill in &note.fills {
        if isins.iter().all(|other| other.isin != fill.isin) {
            isins.push(fill);
        }
    }
    for share in isins {
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
        let figures = [
            bought.to_string(),
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

fn draw_charges(canvas: &mut Canvas, note: &Note) {
    let [brokerage, exchange, stt, sebi, stamp, ipft] = note.charges;
    let net = note.obligation() - note.total_charges() + note.error;
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
    let row = |canvas: &mut Canvas, label: &str, amount: String| {
        canvas.put(30.0, label);
        canvas.put_right(equity_x, &amount);
        canvas.put_right(total_x, &amount);
        canvas.next_line();
    };
    let obligation = flow(note.layout, note.obligation());
    let charge = |amount: Decimal| match note.layout {
        Layout::Groww => money(-amount),
        Layout::Dhan => format!("{} DR", money(amount)),
        Layout::Zerodha => format!("({})", money(amount)),
        Layout::ZerodhaBefore2025 | Layout::Upstox => money(amount),
    };
    let gst = note.gst();
    match note.layout {
        Layout::Zerodha | Layout::ZerodhaBefore2025 => {
            row(canvas, "Pay in/Pay out obligation (Rs)", obligation);
            row(canvas, "Taxable value of Supply (Brokerage) (Rs) 2", charge(brokerage));
            row(canvas, "Exchange transaction charges (Rs) 4", charge(exchange));
            row(canvas, "Clearing charges (Rs)", charge(Decimal::ZERO));
            canvas.line("CGST (@9% of Brok, SEBI, Trans &");
            row(canvas, "Clearing Charges) (Rs) 3", charge(Decimal::ZERO));
            row(canvas, "SGST (@9% of Brok, SEBI, Trans & Clearing Charges) (Rs) 3", charge(Decimal::ZERO));
            // The label wraps around the amounts.
            canvas.line("IGST (@18% of Brok, SEBI, Trans &");
            row(canvas, "", charge(gst));
            canvas.line("Clearing Charges) (Rs) 3");
            row(canvas, "Securities transaction tax (Rs)", charge(stt));
            row(canvas, "SEBI turnover fees (Rs)", charge(sebi));
            row(canvas, "Stamp duty (Rs)", charge(stamp));
            row(canvas, "Net amount receivable/(payable by client) (Rs)", flow(note.layout, net));
        }
        Layout::Groww => {
            row(canvas, "Settlement Number", "2026105".to_owned());
            row(canvas, "Pay In / Pay Out Obligation (before Brokerage)", obligation);
            row(canvas, "Taxable Value of Supply (Brokerage)", charge(brokerage));
            row(canvas, "Exchange Transaction Charges", charge(exchange));
            row(canvas, "CGST", charge(gst / Decimal::TWO));
            row(canvas, "SGST", charge(gst / Decimal::TWO));
            row(canvas, "IGST", "0.00".to_owned());
            row(canvas, "UTT", "0".to_owned());
            row(canvas, "Securities Transaction Tax", charge(stt));
            row(canvas, "SEBI Turnover Fees", charge(sebi));
            row(canvas, "Stamp Duty", charge(stamp));
            row(canvas, "IPFT Charges", charge(ipft));
            row(canvas, "Net Amount Receivable / Payable By Client", flow(note.layout, net));
        }
        Layout::Upstox => {
            let on_brokerage = (brokerage * rupees("0.18")).round_dp(2);
            row(canvas, "PAY IN / ( PAY OUT ) OBLIGATION", obligation);
            row(canvas, "Brokerage Charges", charge(brokerage));
            row(canvas, "[IGST 18% On Brokerage]", charge(on_brokerage));
            row(canvas, "[IGST 18% On Charges]", charge(gst - on_brokerage));
            row(canvas, "[STT-DEL.]", charge(stt + rupees("0.33")));
            row(canvas, "[STT-Round off]", charge(rupees("-0.33")));
            canvas.line("Signature GSTIN 27ABCDE1234F1Z5");
            header(canvas);
            row(canvas, "[TURNOVER CHG]", charge(exchange));
            row(canvas, "[SEBI FEES]", charge(sebi));
            row(canvas, "[STAMP DUTY]", charge(stamp));
            row(canvas, "[IPFT CHG]", charge(ipft));
            row(canvas, "Net amount (-) receivable by Client / (+) payable by Client (Rs.)", flow(note.layout, net));
        }
        Layout::Dhan => {
            row(canvas, "Pay in / Pay out obligation", obligation);
            row(canvas, "Taxable value of supply (Brokerage)", charge(brokerage));
            row(canvas, "Taxable value of supply (NSE Transaction charges)", charge(exchange));
            row(canvas, "Taxable value of supply (IPFT contribution)", charge(ipft));
            row(canvas, "Taxable value of supply (SEBI fees)", charge(sebi));
            row(canvas, "IGST @ 18%", charge(gst));
            row(canvas, "Stamp duty", charge(stamp));
            row(canvas, "Securities transactions tax", charge(stt));
            row(canvas, "Net amount receivable / payable by client", flow(note.layout, net));
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
        if let Some(last) = previous.filter(|last| last.isin != fill.isin) {
            draw_subtotal(canvas, note, last);
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
        let cells = ["0", "00:00:00", "0", "00:00:00", "NIFTY26JUNFUT", "B", "NSE", "0", "0.00", "0.00", "0.00"];
        let columns = [30.0, 110.0, 150.0, 210.0, 250.0, 400.0, 430.0, 500.0, 560.0, 620.0, 700.0];
        for (x, cell) in columns.iter().zip(cells) {
            canvas.put(*x, cell);
        }
        canvas.next_line();
    }
}

fn draw_subtotal(canvas: &mut Canvas, note: &Note, last: &Fill) {
    let of_share = note.fills.iter().filter(|fill| fill.isin == last.isin);
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
        Layout::Zerodha | Layout::ZerodhaBefore2025 => format!("{}-EQ/{}", fill.symbol, fill.isin),
        Layout::Groww => fill.name.to_owned(),
        Layout::Upstox => format!("{} [{}]", fill.name, fill.isin),
        Layout::Dhan => format!("{}-{}", fill.symbol, fill.name),
    };
    canvas.put(250.0, &description);
    let side = if fill.is_buy { "B" } else { "S" };
    let signed_quantity = if fill.is_buy { fill.quantity } else { -fill.quantity };
    let price = format!("{:.2}", fill.price);
    let value = money(fill.value());
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
            cells.extend([(620.0, price), (700.0, if fill.is_buy { format!("({value})") } else { value })]);
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
