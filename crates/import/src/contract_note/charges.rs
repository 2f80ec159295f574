//! Table of the obligation, the charges and the net amount.

use std::collections::BTreeMap;

use rpc::trades::v1::Segment;
use rust_decimal::Decimal;

use super::amount;
use crate::pdf::{Line, TextItem};

/// Row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Head {
    Obligation,
    Brokerage,
    Exchange,
    Clearing,
    Cgst,
    Sgst,
    Igst,
    Stt,
    Sebi,
    StampDuty,
    Ipft,
    Net,
    /// Row without an amount of money.
    Settlement,
}

impl Head {
    pub const CHARGES: [Self; 10] = [
        Self::Brokerage,
        Self::Exchange,
        Self::Clearing,
        Self::Cgst,
        Self::Sgst,
        Self::Igst,
        Self::Stt,
        Self::Sebi,
        Self::StampDuty,
        Self::Ipft,
    ];
    /// Charges on which GST is due.
    pub const TAXABLE: [Self; 5] = [Self::Brokerage, Self::Exchange, Self::Clearing, Self::Sebi, Self::Ipft];

    /// Returns the head of a label, which may be only the beginning of a wrapped one.
    fn from_label(label: &str) -> Option<Self> {
        const LABELS: [(&str, Head); 24] = [
            ("settlement n", Head::Settlement),
            ("settlement d", Head::Settlement),
            ("pay in", Head::Obligation),
            ("pay-in", Head::Obligation),
            ("payin", Head::Obligation),
            ("brokerage", Head::Brokerage),
            ("exchange transaction", Head::Exchange),
            ("nse transaction", Head::Exchange),
            ("bse transaction", Head::Exchange),
            ("transaction charges", Head::Exchange),
            ("turnover ch", Head::Exchange),
            ("clearing charges", Head::Clearing),
            ("cgst", Head::Cgst),
            ("sgst", Head::Sgst),
            ("utt", Head::Sgst),
            ("igst", Head::Igst),
            ("securities transaction", Head::Stt),
            ("stt", Head::Stt),
            ("sebi", Head::Sebi),
            ("stamp", Head::StampDuty),
            ("ipft", Head::Ipft),
            ("nse ipft", Head::Ipft),
            ("net amount", Head::Net),
            ("taxable value", Head::Brokerage),
        ];
        let label = label.to_lowercase();
        let start = |label: &str| label.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let label = start(&label);
        let named = label.strip_prefix("taxable value of supply").map(start).filter(|name| !name.is_empty());
        let label = named.unwrap_or(label);
        let (text, head) = LABELS.into_iter().find(|(text, _)| label.starts_with(text))?;
        // The end of the label of a tax on these charges.
        let is_end = head == Self::Clearing && label.get(text.len()..)?.starts_with(')');
        (!is_end).then_some(head)
    }
}

/// Column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Equity,
    Fno,
    Total,
}

impl Column {
    pub fn segment(self) -> Option<Segment> {
        match self {
            Self::Equity => Some(Segment::Equity),
            Self::Fno => Some(Segment::Fno),
            Self::Total => None,
        }
    }
}

/// Amounts of the table as the client's cash flows for obligation and net amount, and as costs for charges.
#[derive(Debug, Default)]
pub(super) struct ChargeTable {
    amounts: BTreeMap<(Head, Column), Decimal>,
    pub columns: Vec<Column>,
}

impl ChargeTable {
    /// Returns an amount; zero for an empty cell.
    pub fn get(&self, head: Head, column: Column) -> Decimal {
        self.amounts.get(&(head, column)).copied().unwrap_or_default()
    }

    /// Returns true if the cell is not empty.
    pub fn states(&self, head: Head, column: Column) -> bool {
        self.amounts.contains_key(&(head, column))
    }

    /// Returns true if a column has an amount in this row.
    pub fn has(&self, head: Head) -> bool {
        self.amounts.keys().any(|(one, _)| *one == head)
    }

    /// Returns the sum of these heads.
    pub fn sum(&self, heads: &[Head], column: Column) -> Decimal {
        heads.iter().map(|head| self.get(*head, column)).sum()
    }

    /// Converts the signs of the broker: to receivable amounts, and to charges that are positive in total.
    fn normalise(&mut self, is_payable_positive: bool) {
        let are_charges_negative = self.sum(&Head::CHARGES, Column::Total) < Decimal::ZERO;
        for ((head, _), amount) in &mut self.amounts {
            let is_charge = Head::CHARGES.contains(head);
            if if is_charge { are_charges_negative } else { is_payable_positive } {
                *amount = -*amount;
            }
        }
    }
}

/// Reads the table of a note; it has no columns if the note has no table.
pub(super) fn read(lines: &[Line], is_payable_positive: bool) -> ChargeTable {
    let mut table = ChargeTable::default();
    let mut columns: Vec<(Column, f32)> = Vec::new();
    let mut head = None;
    for line in lines {
        if let Some(header) = find_columns(line) {
            columns = header;
            continue;
        }
        if columns.is_empty() {
            continue;
        }
        let items = join_suffixes(line);
        let amounts = read_amounts(&items, &columns);
        let label: Vec<&str> = items
            .iter()
            .map(|item| item.text.as_str())
            .take_while(|text| amount::parse(text).is_none_or(|one| !one.is_money))
            .collect();
        if let Some(named) = Head::from_label(&label.join(" ")) {
            head = Some(named);
        }
        let Some(current) = head.filter(|_| !amounts.is_empty()) else { continue };
        for (column, amount) in amounts {
            *table.amounts.entry((current, column)).or_default() += amount;
        }
        head = None;
        if current == Head::Net {
            break;
        }
    }
    table.columns = columns.into_iter().map(|(column, _)| column).collect();
    table.columns.sort_unstable();
    table.columns.dedup();
    table.normalise(is_payable_positive);
    table
}

/// Returns the columns of a header with their centres: at least one segment, and the total.
fn find_columns(line: &Line) -> Option<Vec<(Column, f32)>> {
    let column = |text: &str| {
        let text = text.to_ascii_lowercase();
        let starts = |names: &[&str]| names.iter().any(|name| text.starts_with(name));
        match () {
            () if starts(&["ncl-cash", "nclcm", "eq-cash", "equity", "nse-eq", "bse-eq"]) => Some(Column::Equity),
            () if starts(&["ncl-f&o", "nclfo", "fo-eq", "future", "nse-f&o", "bse-f&o"]) => Some(Column::Fno),
            () if starts(&["total"]) => Some(Column::Total),
            () => None,
        }
    };
    // A name of several words extends to the next name.
    let mut columns: Vec<(Column, f32, f32)> = Vec::new();
    let mut pending_left = None;
    for item in &line.items {
        match column(&item.text) {
            Some(named) => columns.push((named, pending_left.take().unwrap_or(item.left), item.right)),
            None if item.text.eq_ignore_ascii_case("net") => pending_left = Some(item.left),
            None => {
                if let Some((_, _, right)) = columns.last_mut() {
                    *right = item.right;
                }
            }
        }
    }
    let has = |wanted| columns.iter().any(|(column, ..)| *column == wanted);
    let is_header = has(Column::Total) && (has(Column::Equity) || has(Column::Fno)) && line.items.len() <= 12;
    is_header.then(|| columns.into_iter().map(|(column, left, right)| (column, left.midpoint(right))).collect())
}

/// Returns the words, with a suffix such as `DR` joined to its amount.
fn join_suffixes(line: &Line) -> Vec<TextItem> {
    let mut items: Vec<TextItem> = Vec::new();
    for item in &line.items {
        match items.last_mut() {
            Some(last) if amount::is_suffix(&item.text) && amount::parse(&last.text).is_some() => {
                last.text.push_str(&item.text);
                last.right = item.right;
            }
            _ => items.push(item.clone()),
        }
    }
    items
}

/// Returns the amounts of money, each with the nearest column.
fn read_amounts(items: &[TextItem], columns: &[(Column, f32)]) -> Vec<(Column, Decimal)> {
    let first_centre = columns.iter().map(|(_, centre)| *centre).fold(f32::INFINITY, f32::min);
    let read = |item: &TextItem| {
        let amount = amount::parse(&item.text)?;
        let centre = item.left.midpoint(item.right);
        // A zero may lack its decimals; a footnote digit is left of the columns.
        let is_cell = amount.is_money || (amount.value.is_zero() && item.right > first_centre);
        let distance = |(_, other): &&(Column, f32)| (other - centre).abs();
        let column = columns.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
        is_cell.then_some((column.0, amount.value))
    };
    items.iter().filter_map(read).collect()
}
