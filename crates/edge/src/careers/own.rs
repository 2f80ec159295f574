//! A candidate's own application: read, corrected, withdrawn, erased, its resume, and whether it is kept
//! for later roles.

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{TryStreamExt, stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};
use rpc::careers::v1 as wire;
use rpc::careers::v1::download_own_resume_response::Part;
use tokio::time::timeout;

use crate::Shared;
use crate::call::{self, Context};
use crate::careers::record::{Application, without};
use crate::input::NoBody;
use crate::problem::Problem;
use crate::record::Broken;
use crate::trades::fields::{Fields, not_an_object};
use crate::trades::in_time;

/// Whoever shows a key. Whether it opens anything, the core says.
pub(crate) struct Candidate {
    key: String,
    context: Context,
}

/// Longer than any key of ours.
const LONGEST_KEY: usize = 64;

impl FromRequestParts<Shared> for Candidate {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Self::Rejection> {
        let Ok(context) = Context::from_request_parts(parts, app).await;
        let mut keys = parts.headers.get_all("application-key").iter();
        let (key, another) = (keys.next().and_then(|key| key.to_str().ok()), keys.next());
        let key = key.filter(|key| another.is_none() && (1..=LONGEST_KEY).contains(&key.len()));
        let detail = "There is no such application. It may have been erased.";
        let none = || Problem::new(StatusCode::NOT_FOUND, "no_application", detail);
        Ok(Self { key: key.ok_or_else(none)?.to_owned(), context })
    }
}

impl Candidate {
    async fn application(&self, app: &Shared) -> Result<Option<wire::Application>, Problem> {
        let deadline = app.settings.times.core;
        let answer = call::read(deadline, &app.retries, || {
            let mut careers = app.clients.careers.clone();
            let request = self.context.request(wire::GetOwnApplicationRequest { key: self.key.clone() }, deadline);
            async move { careers.get_own_application(request).await }
        });
        Ok(answer.await?.application)
    }
}

/// `GET /api/application`
pub(crate) async fn show(State(app): State<Shared>, candidate: Candidate) -> Result<Response, Problem> {
    Ok(Json(Application::of(candidate.application(&app).await?)?).into_response())
}

/// `PATCH /api/application`
pub(crate) async fn correct(
    State(app): State<Shared>,
    candidate: Candidate,
    mut fields: Fields,
) -> Result<Response, Problem> {
    if fields.is_empty() {
        return Err(not_an_object().saying("invalid", "Say what to correct."));
    }
    in_time(&app, async {
        // What is not sent stays. Whoever has no application learns nothing of what is wrong with the fields.
        let mut answers = candidate.application(&app).await?.and_then(|own| own.answers).ok_or_else(without)?;
        edit(&mut answers, &mut fields);
        fields.finish()?;
        let deadline = app.settings.times.core;
        let mut careers = app.clients.careers.clone();
        let asked = wire::CorrectOwnApplicationRequest { key: candidate.key.clone(), answers: Some(answers) };
        let request = candidate.context.request(asked, deadline);
        let answer = call::write(deadline, async move { careers.correct_own_application(request).await }).await?;
        Ok(Json(Application::of(answer.application)?).into_response())
    })
    .await
}

fn edit(answers: &mut wire::Answers, fields: &mut Fields) {
    for (name, answer) in [
        ("name", &mut answers.name),
        ("mobile", &mut answers.mobile),
        ("college", &mut answers.college),
        ("degree", &mut answers.degree),
        ("role", &mut answers.role),
        ("linkedin", &mut answers.linkedin),
        ("motivation", &mut answers.motivation),
    ] {
        if let Some(text) = fields.text(name) {
            *answer = text;
        }
    }
    if let Some(year) = fields.count("passingYear") {
        // No year at all where it is larger than any, which the core refuses.
        answers.passing_year = year.try_into().unwrap_or(i32::MAX);
    }
    if let Some(years) = fields.number("experience") {
        answers.experience = years;
    }
}

/// `POST /api/application/withdraw`
pub(crate) async fn withdraw(State(app): State<Shared>, candidate: Candidate, _: NoBody) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let mut careers = app.clients.careers.clone();
    let asked = wire::WithdrawOwnApplicationRequest { key: candidate.key };
    let request = candidate.context.request(asked, deadline);
    let answer = call::write(deadline, async move { careers.withdraw_own_application(request).await }).await?;
    Ok(Json(Application::of(answer.application)?).into_response())
}

/// `PUT` and `DELETE /api/application/later-roles`
pub(crate) async fn set_later_roles(
    State(app): State<Shared>,
    method: Method,
    candidate: Candidate,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let mut careers = app.clients.careers.clone();
    let asked = wire::SetOwnLaterRolesRequest { key: candidate.key, agreed: method == Method::PUT };
    let request = candidate.context.request(asked, deadline);
    let answer = call::write(deadline, async move { careers.set_own_later_roles(request).await }).await?;
    Ok(Json(Application::of(answer.application)?).into_response())
}

/// `DELETE /api/application`
pub(crate) async fn erase(State(app): State<Shared>, candidate: Candidate, _: NoBody) -> Result<StatusCode, Problem> {
    let deadline = app.settings.times.core;
    let mut careers = app.clients.careers.clone();
    let request = candidate.context.request(wire::EraseOwnApplicationRequest { key: candidate.key }, deadline);
    call::write(deadline, async move { careers.erase_own_application(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `GET /api/application/resume`
pub(crate) async fn resume(State(app): State<Shared>, candidate: Candidate) -> Result<Response, Problem> {
    let idle = app.settings.times.core;
    let mut parts = call::read(idle, &app.retries, || {
        let mut careers = app.clients.careers.clone();
        let asked = wire::DownloadOwnResumeRequest { key: candidate.key.clone() };
        let request = candidate.context.request(asked, idle);
        async move { careers.download_own_resume(request).await }
    })
    .await?;
    let first = timeout(idle, parts.message()).await.map_err(|_| Problem::timeout())??;
    let Some(Part::Head(head)) = first.and_then(|message| message.part) else { return Err(without()) };
    let chunks = stream::try_unfold(parts, move |mut parts| async move {
        let Some(message) = timeout(idle, parts.message()).await?? else { return Ok(None) };
        let Some(Part::Chunk(chunk)) = message.part else { return Err(Broken::NoPage) };
        Ok(Some((Bytes::from(chunk), parts)))
    });
    let mut response = Response::new(Body::from_stream(chunks.inspect_err(|error| {
        tracing::error!(error = %rpc::failure::chain(error), "a resume ended in the middle");
    })));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(CONTENT_LENGTH, head.bytes.into());
    headers.insert(CONTENT_DISPOSITION, disposition(&head.file_name)?);
    Ok(response)
}

/// To be saved under this name (RFC 6266); where a client knows ASCII alone, under one that is like it.
fn disposition(file_name: &str) -> Result<HeaderValue, Problem> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || " -_.()".contains(c) { c } else { '_' };
    let like: String = file_name.chars().map(plain).collect();
    let mut exact = String::new();
    for byte in file_name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            exact.push(byte.into());
        } else {
            exact.push_str(&format!("%{byte:02X}"));
        }
    }
    let text = format!("attachment; filename=\"{like}\"; filename*=UTF-8''{exact}");
    HeaderValue::try_from(text).map_err(|error| {
        tracing::error!(%error, "a file name cannot be said");
        Problem::internal()
    })
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn a_file_keeps_its_name_in_every_script_and_can_say_nothing_else() {
        for (name, header) in [
            ("resume.pdf", "attachment; filename=\"resume.pdf\"; filename*=UTF-8''resume.pdf"),
            ("आशा.pdf", "attachment; filename=\"___.pdf\"; filename*=UTF-8''%E0%A4%86%E0%A4%B6%E0%A4%BE.pdf"),
            ("a\"; x=\"b.doc", "attachment; filename=\"a__ x__b.doc\"; filename*=UTF-8''a%22%3B%20x%3D%22b.doc"),
        ] {
            assert_eq!(disposition(name).unwrap(), header);
        }
    }
}
