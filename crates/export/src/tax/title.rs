//! Heading of a tax pack: whose it is, of which accounts and year, and when it was created.

use rpc::trades::v1::BrokerAccount;
use rust_xlsxwriter::{Format, Worksheet, XlsxError};
use time::{Date, Time};

use super::{format_financial_year, year_title};
use crate::columns::broker_label;
use crate::error::Error;
use crate::workbook::{to_excel_time, write_text};

/// Person, accounts and day of a tax pack.
pub struct TaxTitle {
    /// Name of the login, for accounts without a known holder.
    pub login_name: String,
    /// Accounts of the tax pack.
    pub accounts: Vec<BrokerAccount>,
    /// Day in India on which the file is created.
    pub created_on: Date,
}

impl TaxTitle {
    /// Returns the holder, if the accounts are known to belong to one person.
    pub fn holder(&self) -> Option<&str> {
        match self.holders().as_slice() {
            [holder] => Some(holder),
            _ => None,
        }
    }

    /// Returns a file name such as `tradebahi-tax-2025-26-ravi-kumar.xlsx`, with the holder if the accounts are of one person.
    pub fn file_name(&self, content: &str, year: i32, extension: &str) -> String {
        let mut parts = vec![format!("tradebahi-{content}-{}", format_financial_year(year))];
        let holder = self.holder().unwrap_or_default().to_lowercase();
        let is_separator =
            |c: char| (c.is_ascii() && !c.is_ascii_alphanumeric()) || c.is_whitespace() || c.is_control();
        parts.extend(holder.split(is_separator).filter(|word| !word.is_empty()).map(str::to_owned));
        format!("{}.{extension}", parts.join("-"))
    }

    /// Returns the known holders of the accounts, each once.
    fn holders(&self) -> Vec<&str> {
        let mut holders: Vec<&str> = Vec::new();
        for account in self.accounts.iter().filter(|account| !account.holder.is_empty()) {
            if !holders.iter().any(|holder| is_same_name(holder, &account.holder)) {
                holders.push(&account.holder);
            }
        }
        holders
    }

    fn names(&self) -> String {
        let holders = self.holders();
        if holders.is_empty() { self.login_name.clone() } else { holders.join(", ") }
    }

    /// Writes the first rows of the summary; returns the last of them.
    pub(super) fn write(&self, sheet: &mut Worksheet, year: i32, bold: &Format) -> Result<u32, Error> {
        let title = year_title(year);
        sheet.write_string_with_format(0, 0, format!("Tax pack, {}", format_financial_year(year)), bold)?;
        write_fact(sheet, 1, "Name", &self.names())?;
        write_fact(sheet, 2, title, &format!("{}, estimated", format_financial_year(year)))?;
        sheet.write_string(3, 0, "Created on")?;
        let format = Format::new().set_num_format("d mmm yyyy").set_align(rust_xlsxwriter::FormatAlign::Left);
        sheet.write_datetime_with_format(3, 1, to_excel_time(self.created_on.with_time(Time::MIDNIGHT))?, &format)?;
        let mut row = 3;
        let has_several_holders = self.holders().len() > 1;
        for account in &self.accounts {
            row += 1;
            write_fact(sheet, row, "Account", &account_text(account, has_several_holders)?)?;
        }
        Ok(row + 1)
    }
}

fn write_fact(sheet: &mut Worksheet, row: u32, name: &str, value: &str) -> Result<(), XlsxError> {
    sheet.write_string(row, 0, name)?;
    write_text(sheet, row, 1, value)
}

/// Returns a text such as `Zerodha 2 (AB••34)`, with the holder if the accounts are of several people.
fn account_text(account: &BrokerAccount, with_holder: bool) -> Result<String, Error> {
    let mut text = broker_label(account.broker())?.to_owned();
    if account.broker_account > 1 {
        text = format!("{text} {}", account.broker_account);
    }
    if !account.masked_client_code.is_empty() {
        text = format!("{text} ({})", account.masked_client_code);
    }
    if with_holder && !account.holder.is_empty() {
        text = format!("{text}, {}", account.holder);
    }
    Ok(text)
}

/// Returns true for the names of one person, whatever their case and spaces.
fn is_same_name(one: &str, other: &str) -> bool {
    let normalise = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    normalise(one) == normalise(other)
}

#[cfg(test)]
mod tests {
    use rpc::trades::v1::Broker;
    use time::macros::date;

    use super::*;

    fn account(number: u32, holder: &str) -> BrokerAccount {
        BrokerAccount {
            broker: Broker::Zerodha.into(),
            broker_account: number,
            holder: holder.to_owned(),
            masked_client_code: "AB••34".to_owned(),
            ..BrokerAccount::default()
        }
    }

    fn title(accounts: Vec<BrokerAccount>) -> TaxTitle {
        TaxTitle { login_name: "Login".to_owned(), accounts, created_on: date!(2026 - 04 - 02) }
    }

    #[test]
    fn names_the_holder_if_known_otherwise_the_login() {
        let one = title(vec![account(1, ""), account(2, "Ravi Kumar"), account(3, "ravi  kumar")]);
        assert_eq!((one.holder(), one.names()), (Some("Ravi Kumar"), "Ravi Kumar".to_owned()));
        let unknown = title(vec![account(1, "")]);
        assert_eq!((unknown.holder(), unknown.names()), (None, "Login".to_owned()));
        let several = title(vec![account(1, "Ravi Kumar"), account(2, "Asha Rao")]);
        assert_eq!((several.holder(), several.names()), (None, "Ravi Kumar, Asha Rao".to_owned()));
    }

    #[test]
    fn file_names_have_the_year_and_the_one_holder() {
        for (holder, expected) in [
            ("Ravi Kumar", "tradebahi-tax-2025-26-ravi-kumar.xlsx"),
            ("K. O'Brien / HUF\"", "tradebahi-tax-2025-26-k-o-brien-huf.xlsx"),
            ("../..\\con:\r\n", "tradebahi-tax-2025-26-con.xlsx"),
            ("रवि", "tradebahi-tax-2025-26-रवि.xlsx"),
            ("", "tradebahi-tax-2025-26.xlsx"),
        ] {
            assert_eq!(title(vec![account(1, holder)]).file_name("tax", 2025, "xlsx"), expected);
        }
        let several = title(vec![account(1, "Ravi Kumar"), account(2, "Asha Rao")]);
        assert_eq!(several.file_name("schedule-112a", 2025, "csv"), "tradebahi-schedule-112a-2025-26.csv");
    }

    #[test]
    fn accounts_have_their_masked_code_and_of_several_people_the_holder() {
        assert_eq!(account_text(&account(2, "Asha Rao"), true).unwrap(), "Zerodha 2 (AB••34), Asha Rao");
        let unknown = BrokerAccount { masked_client_code: String::new(), ..account(1, "") };
        assert_eq!(account_text(&unknown, true).unwrap(), "Zerodha");
    }
}
