//! The journal of an account in the export of its data.

use bytes::Bytes;
use futures_util::{Stream, stream};
use http_server::problem::Problem;
use rpc::trader_journal::v1::{ListEntriesRequest, ListPlaybooksRequest, ListTemplatesRequest, Playbook, Template};

use crate::api::trader_journal::routes::{Client, read};
use crate::caller::Trader;
use crate::json::JsonError;
use crate::state::Shared;
use crate::stream_error::StreamError;

/// Returns the playbooks of the trader.
pub(crate) async fn list_playbooks(app: &Shared, trader: &Trader) -> Result<Vec<Playbook>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_playbooks(request).await };
    Ok(read(app, trader, ListPlaybooksRequest {}, rpc).await?.playbooks)
}

/// Returns the templates of the trader.
pub(crate) async fn list_templates(app: &Shared, trader: &Trader) -> Result<Vec<Template>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_templates(request).await };
    Ok(read(app, trader, ListTemplatesRequest {}, rpc).await?.templates)
}

/// Streams the elements of the JSON array of all entries.
pub(crate) fn stream_entries(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, StreamError>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    stream::try_unfold(Some(String::new()), move |page_token| {
        let (app, trader) = (app.clone(), trader.clone());
        async move {
            let Some(page_token) = page_token else { return Ok(None) };
            let is_first_page = page_token.is_empty();
            let request = ListEntriesRequest { page_size: 0, page_token, without_text: false };
            let rpc = |mut core: Client, request| async move { core.list_entries(request).await };
            let page = read(&app, &trader, request, rpc).await.map_err(StreamError::Page)?;
            let mut out = Vec::new();
            for (index, entry) in page.entries.iter().enumerate() {
                if !is_first_page || index > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, entry).map_err(JsonError::from)?;
            }
            Ok(Some((out.into(), Some(page.next_page_token).filter(|token| !token.is_empty()))))
        }
    })
}
