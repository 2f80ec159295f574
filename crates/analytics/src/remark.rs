//! Remarks on differences: codes, with the values that their sentences need.

use rust_decimal::Decimal;

/// Reason why something differs, or is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub code: &'static str,
    /// Values by name. `case` selects a sentence if a code has several.
    pub params: Vec<(&'static str, String)>,
}

impl Remark {
    pub(crate) fn new(code: &'static str) -> Self {
        Self { code, params: Vec::new() }
    }

    /// Returns the remark on a difference without a known cause.
    pub(crate) fn unknown_cause() -> Self {
        Self::new("none")
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// Adds an amount, rounded to paise.
    pub(crate) fn with_amount(self, name: &'static str, amount: Decimal) -> Self {
        self.with(name, amount.round_dp(2).normalize())
    }
}
