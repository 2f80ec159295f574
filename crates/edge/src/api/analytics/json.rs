//! JSON of the tax pack. The other responses of `/analytics/…` are written from their messages.

use rpc::analytics::v1::{GetTaxPackResponse, TieOut, TieOutCause};
use rpc::trades::v1::LedgerSum;
use serde::Serialize;

/// Tax pack of a financial year.
#[derive(Serialize)]
pub(crate) struct TaxPackJson {
    year: String,
    #[serde(flatten)]
    pack: GetTaxPackResponse,
    hints: Vec<String>,
    #[serde(rename = "tieOuts")]
    tie_outs: Vec<TieOutJson>,
    /// Costs of ledgers.
    ledger: Vec<LedgerSum>,
}

/// Comparison of a total with the sentences of its causes.
#[derive(Serialize)]
struct TieOutJson {
    #[serde(flatten)]
    tie_out: TieOut,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
struct CauseJson {
    #[serde(flatten)]
    cause: TieOutCause,
    text: String,
}

impl TaxPackJson {
    pub(crate) fn new(year: String, pack: GetTaxPackResponse, ledger: Vec<LedgerSum>) -> Self {
        let tie_outs = pack.tie_outs.iter().cloned().map(TieOutJson::from).collect();
        Self { hints: tax_hints(&pack.hints), tie_outs, year, pack, ledger }
    }
}

impl From<TieOut> for TieOutJson {
    fn from(mut tie_out: TieOut) -> Self {
        let causes = std::mem::take(&mut tie_out.causes);
        let to_json = |cause: TieOutCause| CauseJson { text: cause_text(&cause), cause };
        Self { causes: causes.into_iter().map(to_json).collect(), tie_out }
    }
}

/// Returns the sentence of a cause of a difference.
pub(crate) fn cause_text(cause: &TieOutCause) -> String {
    texts::text("analytics", &format!("cause.{}", cause.code), &texts::Params::new()).unwrap_or_default()
}

/// Returns the sentences of a tax pack's hints.
pub(crate) fn tax_hints(codes: &[String]) -> Vec<String> {
    let text = |code: &String| texts::text("analytics", &format!("hint.{code}"), &texts::Params::new());
    codes.iter().filter_map(text).collect()
}
