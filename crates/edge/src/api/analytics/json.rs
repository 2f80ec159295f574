//! JSON of the tax pack. The other responses of `/analytics/…` are written from their messages.

use rpc::analytics::v1::GetTaxPackResponse;
use serde::Serialize;

/// Tax pack of a financial year.
#[derive(Serialize)]
pub(crate) struct TaxPackJson {
    year: String,
    #[serde(flatten)]
    pack: GetTaxPackResponse,
    hints: Vec<String>,
}

impl TaxPackJson {
    pub(crate) fn new(year: String, pack: GetTaxPackResponse) -> Self {
        Self { hints: tax_hints(&pack.hints), year, pack }
    }
}

/// Returns the sentences of a tax pack's hints.
pub(crate) fn tax_hints(codes: &[String]) -> Vec<String> {
    let text = |code: &String| texts::text("analytics", &format!("hint.{code}"), &texts::Params::new());
    codes.iter().filter_map(text).collect()
}
