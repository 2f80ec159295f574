//! JSON of data issues: their messages with sentences.

use rpc::analytics::v1 as wire;
use rpc::json::JsonName as _;
use rpc::trades::v1::Contract;
use serde::Serialize;
use texts::Params;

use crate::json::{JsonError, Number, convert_list, optional_decimal, optional_text};

/// Open data issues.
#[derive(Serialize)]
pub(crate) struct DataIssuesJson {
    #[serde(flatten)]
    response: wire::ListDataIssuesResponse,
    issues: Vec<DataIssueJson>,
}

/// Data issue with its sentences and possible answers.
#[derive(Serialize)]
struct DataIssueJson {
    #[serde(flatten)]
    issue: wire::DataIssue,
    title: String,
    evidence: String,
    answers: Vec<ProposedAnswerJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProposedAnswerJson {
    code: String,
    label: String,
    likely: bool,
    inputs: Vec<&'static str>,
    latest_date: Option<String>,
    max_quantity: Option<Number>,
}

impl TryFrom<wire::ListDataIssuesResponse> for DataIssuesJson {
    type Error = JsonError;

    fn try_from(mut response: wire::ListDataIssuesResponse) -> Result<Self, JsonError> {
        let issues = convert_list(std::mem::take(&mut response.issues))?;
        Ok(Self { response, issues })
    }
}

impl TryFrom<wire::DataIssue> for DataIssueJson {
    type Error = JsonError;

    fn try_from(mut issue: wire::DataIssue) -> Result<Self, JsonError> {
        let wire::Remark { code, mut params } = issue.details.take().unwrap_or_default();
        let answers = std::mem::take(&mut issue.answers);
        let name = issue.contract.as_ref().map_or_else(|| issue.symbol.clone(), contract_name);
        params.insert("name".to_owned(), name);
        let text = |kind: &str| texts::text("analytics", &format!("{kind}.{code}"), &params).unwrap_or_default();
        Ok(Self { title: text("issue"), evidence: text("issue_evidence"), answers: convert_list(answers)?, issue })
    }
}

impl TryFrom<wire::ProposedAnswer> for ProposedAnswerJson {
    type Error = JsonError;

    fn try_from(answer: wire::ProposedAnswer) -> Result<Self, JsonError> {
        let wire::ProposedAnswer { code, params, likely, ref inputs, .. } = answer;
        let inputs = inputs.iter().filter_map(|input| wire::AnswerInput::try_from(*input).ok()?.json_name());
        Ok(Self {
            label: texts::text("analytics", &format!("answer.{code}"), &params).unwrap_or_default(),
            code,
            likely,
            inputs: inputs.collect(),
            latest_date: optional_text(answer.latest_date),
            max_quantity: optional_decimal(answer.max_quantity)?,
        })
    }
}

/// Returns the name of a contract for people, such as NIFTY 30 Mar 2026 22,350 PE.
fn contract_name(contract: &Contract) -> String {
    let kind = contract.kind().json_name().unwrap_or_default();
    let values = [("underlying", &*contract.underlying), ("expiry", &contract.expiry), ("strike", &contract.strike)];
    let values = values.into_iter().chain([("kind", kind)]);
    let params: Params = values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let case = if contract.strike.is_empty() { "future" } else { "option" };
    texts::text("analytics", &format!("contract_name.{case}"), &params).unwrap_or_default()
}
