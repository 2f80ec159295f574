//! Kinds of entries by their wording, from `data/ledger-kinds.csv`.

use rpc::trades::v1::LedgerKind;

/// Wordings of the brokers, each with the month in which it was read and its source.
const FILE: &str = include_str!("../../data/ledger-kinds.csv");

/// Text of an entry that a rule compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Particulars,
    /// Kind of the voucher.
    Voucher,
    /// Groww's column `Segment Type`.
    Segment,
}

#[derive(Clone, Copy)]
enum Match {
    Exact,
    Prefix,
    Contains,
}

struct Rule {
    broker: &'static str,
    field: Field,
    comparison: Match,
    text: &'static str,
    kind: LedgerKind,
}

/// Texts of an entry.
#[derive(Default)]
pub(super) struct EntryTexts {
    pub particulars: String,
    pub voucher: String,
    pub segment: String,
}

impl EntryTexts {
    /// Returns the texts as the rules compare them.
    pub fn to_lower_case(&self) -> Self {
        let [particulars, voucher, segment] =
            [&self.particulars, &self.voucher, &self.segment].map(|text| text.to_lowercase());
        Self { particulars, voucher, segment }
    }
}

/// Rules in the order in which they are tried.
pub(super) struct KindRules(Vec<Rule>);

impl KindRules {
    /// Parses the file; lines that are invalid are left out, which a test rejects.
    pub fn new() -> Self {
        Self(FILE.lines().skip(1).filter_map(parse_rule).collect())
    }

    /// Returns the kind of an entry with these texts, in lower case.
    pub fn kind(&self, broker: &str, texts: &EntryTexts) -> LedgerKind {
        let matches = |rule: &&Rule| {
            let text = match rule.field {
                Field::Particulars => &texts.particulars,
                Field::Voucher => &texts.voucher,
                Field::Segment => &texts.segment,
            };
            rule.broker == broker
                && match rule.comparison {
                    Match::Exact => text == rule.text,
                    Match::Prefix => text.starts_with(rule.text),
                    Match::Contains => text.contains(rule.text),
                }
        };
        self.0.iter().find(matches).map_or(LedgerKind::Other, |rule| rule.kind)
    }
}

fn parse_rule(line: &'static str) -> Option<Rule> {
    let mut columns = line.splitn(7, ',');
    let mut next = || columns.next();
    Some(Rule {
        broker: next()?,
        field: match next()? {
            "particulars" => Field::Particulars,
            "voucher" => Field::Voucher,
            "segment" => Field::Segment,
            _ => return None,
        },
        comparison: match next()? {
            "exact" => Match::Exact,
            "prefix" => Match::Prefix,
            "contains" => Match::Contains,
            _ => return None,
        },
        text: next().filter(|text| !text.is_empty())?,
        kind: match next()? {
            "dp" => LedgerKind::Dp,
            "amc" => LedgerKind::Amc,
            "interest" => LedgerKind::Interest,
            "pledge" => LedgerKind::Pledge,
            "call-and-trade" => LedgerKind::CallAndTrade,
            "penalty" => LedgerKind::Penalty,
            "subscription" => LedgerKind::Subscription,
            "fee" => LedgerKind::Fee,
            "deposit" => LedgerKind::Deposit,
            "withdrawal" => LedgerKind::Withdrawal,
            "settlement" => LedgerKind::Settlement,
            "journal" => LedgerKind::Journal,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_rule_with_a_month_and_a_source() {
        for line in FILE.lines().skip(1) {
            assert!(parse_rule(line).is_some(), "{line}");
            let columns: Vec<_> = line.splitn(7, ',').collect();
            let is_month = columns[5].len() == 7 && columns[5].as_bytes()[4] == b'-';
            assert!(is_month && !columns[6].is_empty(), "{line}");
            assert_eq!(columns[3], columns[3].to_lowercase(), "{line}");
        }
    }

    #[test]
    fn charges_of_trades_and_unknown_entries_are_no_costs() {
        let rules = KindRules::new();
        let kind = |particulars: &str, voucher: &str| {
            let (particulars, voucher) = (particulars.to_owned(), voucher.to_owned());
            let texts = EntryTexts { particulars, voucher, ..EntryTexts::default() };
            rules.kind("zerodha", &texts.to_lower_case())
        };
        for text in [
            "Net settlement for Equity with settlement number: 2026061",
            "Net obligation for Equity F&O",
            "Net obligation for MCX commodity FNO",
        ] {
            assert_eq!(kind(text, "Book Voucher"), LedgerKind::Settlement, "{text}");
        }
        for text in [
            "Brokerage for 2026-04-01",
            "Securities Transaction Tax",
            "STT",
            "Exchange transaction charges",
            "SEBI turnover fees",
            "Stamp duty",
            "GST on brokerage",
            // The amount is the price of the shares, not a cost.
            "Auction debit for short delivery of INFY",
            "Something new",
            "",
        ] {
            assert_eq!(kind(text, "Journal Entry"), LedgerKind::Other, "{text}");
        }
    }

    #[test]
    fn each_rule_is_reached() {
        let rules = KindRules::new();
        for rule in &rules.0 {
            let mut texts = EntryTexts::default();
            match rule.field {
                Field::Particulars => texts.particulars = rule.text.to_owned(),
                Field::Voucher => texts.voucher = rule.text.to_owned(),
                Field::Segment => texts.segment = rule.text.to_owned(),
            }
            assert_eq!(rules.kind(rule.broker, &texts), rule.kind, "{}", rule.text);
        }
    }
}
