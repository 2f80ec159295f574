//! Routes of the careers pages.
//!
//! A candidate has no account: the key of an application, received by email, authorizes requests. It is sent in a
//! header, so that no request URL contains it.

use axum::Router;
use axum::routing::{get, post, put};

use crate::api::careers::{application, apply, openings};
use crate::state::Shared;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/job-description", get(openings::list_openings))
        .route("/api/job-description/{jobid}", get(openings::show_opening))
        .route(
            "/api/application",
            get(application::show_application)
                .patch(application::update_application)
                .delete(application::delete_application),
        )
        .route("/api/application/withdraw", post(application::withdraw_application))
        .route("/api/application/later-roles", put(application::set_later_roles).delete(application::set_later_roles))
        .route("/api/application/email", put(application::correct_email))
        .route("/api/application/link", post(application::replace_link))
        .route("/api/application/links", post(application::request_links))
        .route("/api/application/resume", get(application::download_resume))
}

/// Returns the routes with the limits of uploads.
pub(crate) fn upload_routes() -> Router<Shared> {
    Router::new().route("/api/apply/{jobid}", post(apply::apply))
}
