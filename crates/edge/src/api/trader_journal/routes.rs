//! Routes of the journal of an account, and calls to its service.

use axum::Router;
use axum::routing::{delete, get, post, put};
use http_server::problem::Problem;
use rpc::trader_journal::v1::trader_journal_service_client::TraderJournalServiceClient;
use rpc::transport::Transport;
use tonic::{Request, Response, Status};

use crate::api::trader_journal::{entries, groups, orphans, playbooks, screenshots};
use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Client of the service of accounts' journals.
pub(crate) type Client = TraderJournalServiceClient<Transport>;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/journal/entries", put(entries::save_entry))
        .route("/journal/entries/lookup", post(entries::look_up_entries))
        .route("/journal/entries/edit", post(entries::edit_entries))
        .route("/journal/entries/add", post(entries::add_to_entries))
        .route("/journal/entries/{id}", delete(entries::delete_entry))
        .route("/journal/entries/{id}/attach", post(entries::attach_entry))
        .route("/journal/screenshots/{id}", get(screenshots::show_screenshot).delete(screenshots::delete_screenshot))
        .route("/journal/screenshots/{id}/restore", post(screenshots::restore_screenshot))
        .route("/journal/orphans", get(orphans::list_orphans))
        .route("/journal/search", get(entries::search_entries))
        .route("/journal/groups", get(groups::group_entries))
        .route("/journal/days/{date}", get(entries::show_day).put(entries::save_day))
        .route("/journal/changes", get(entries::list_changes))
        .route("/journal/changes/{id}/undo", post(entries::undo_change))
        .route("/journal/playbooks", get(playbooks::list_playbooks).post(playbooks::add_playbook))
        .route("/journal/playbooks/{id}", put(playbooks::save_playbook).delete(playbooks::delete_playbook))
        .route("/journal/templates", get(playbooks::list_templates).post(playbooks::add_template))
        .route("/journal/templates/{id}", put(playbooks::save_template).delete(playbooks::delete_template))
}

/// Returns the routes of uploads, which have limits of their own.
pub(crate) fn upload_routes() -> Router<Shared> {
    Router::new().route("/journal/screenshots", post(screenshots::add_screenshot))
}

/// Calls an rpc that changes nothing, and retries it if the core is unavailable.
pub(super) async fn read<M: Clone, R, C>(
    app: &Shared,
    trader: &Trader,
    message: M,
    call_rpc: impl Fn(Client, Request<M>) -> C,
) -> Result<R, Problem>
where
    C: Future<Output = Result<Response<R>, Status>>,
{
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        call_rpc(app.clients.trader_journals.clone(), trader.context.request(message.clone(), deadline))
    })
    .await
}

/// Calls an rpc that changes data.
pub(super) async fn write<M, R: Send + 'static, C>(
    app: &Shared,
    trader: &Trader,
    message: M,
    call_rpc: impl FnOnce(Client, Request<M>) -> C,
) -> Result<R, Problem>
where
    C: Future<Output = Result<Response<R>, Status>> + Send + 'static,
{
    let deadline = app.settings.core_timeouts.call;
    let call = call_rpc(app.clients.trader_journals.clone(), trader.context.request(message, deadline));
    call::write(deadline, call).await
}
