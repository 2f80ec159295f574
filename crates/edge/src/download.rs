//! Responses with a file to be saved.

use std::fs::File;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use http_server::problem::Problem;
use time::OffsetDateTime;
use time::macros::{format_description, offset};
use tokio::io::AsyncReadExt;
use tokio::task::JoinError;
use tokio::time::timeout;
use tonic::Streaming;

use crate::error_texts::problem;
use crate::status::{problem_from_status, storage_problem};
use crate::stream_error::StreamError;

/// Returns a response that the browser saves as a file, named after the current day in India.
pub(crate) fn download_response(body: Body, media_type: &'static str, name: &str, extension: &str) -> Response {
    let today = OffsetDateTime::now_utc().to_offset(offset!(+5:30)).date();
    let today = today.format(format_description!("[year]-[month]-[day]")).unwrap_or_default();
    let disposition = format!("attachment; filename=\"tradebahi-{name}-{today}.{extension}\"");
    let mut response = ([(CONTENT_TYPE, media_type)], body).into_response();
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    response
}

/// Returns a response that the browser saves as a file with this name.
pub(crate) fn named_download(body: Body, media_type: &'static str, file_name: &str) -> Result<Response, Problem> {
    let headers =
        [(CONTENT_TYPE, HeaderValue::from_static(media_type)), (CONTENT_DISPOSITION, content_disposition(file_name)?)];
    Ok((headers, body).into_response())
}

/// Returns the `Content-Disposition` of a download: the file name (RFC 6266), and an ASCII version for old clients.
pub(crate) fn content_disposition(file_name: &str) -> Result<HeaderValue, Problem> {
    let to_ascii = |c: char| if c.is_ascii_alphanumeric() || " -_.()".contains(c) { c } else { '_' };
    let ascii_name: String = file_name.chars().map(to_ascii).collect();
    let mut encoded_name = String::new();
    for byte in file_name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            encoded_name.push(byte.into());
        } else {
            encoded_name.push_str(&format!("%{byte:02X}"));
        }
    }
    let text = format!("attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{encoded_name}");
    HeaderValue::try_from(text).map_err(|error| {
        tracing::error!(%error, "invalid file name for a header");
        Problem::internal()
    })
}

/// Returns the workbook that a blocking task wrote.
pub(crate) fn finish_workbook(written: Result<Result<File, export::Error>, JoinError>) -> Result<File, Problem> {
    let written = written.unwrap_or_else(|error| {
        Err(match error.try_into_panic() {
            Ok(panic) => export::Error::from_panic(panic),
            Err(error) => std::io::Error::from(error).into(),
        })
    });
    written.map_err(|error| {
        if error.is_row_limit() {
            return problem(StatusCode::UNPROCESSABLE_ENTITY, "edge", "too_many_trades");
        }
        tracing::error!(error = %rpc::failure::error_chain(&error), "a workbook was not written");
        storage_problem(&error)
    })
}

/// Returns the first message of a stream of the core; none if the stream is empty.
pub(crate) async fn first_message<M>(parts: &mut Streaming<M>, idle_timeout: Duration) -> Result<Option<M>, Problem> {
    timeout(idle_timeout, parts.message()).await.map_err(|_| Problem::timeout())?.map_err(problem_from_status)
}

/// Streams the chunks of a file that the core sends; `to_chunk` returns none for an unexpected message.
pub(crate) fn stream_chunks<M>(
    parts: Streaming<M>,
    idle_timeout: Duration,
    to_chunk: fn(M) -> Option<Vec<u8>>,
) -> impl Stream<Item = Result<Bytes, StreamError>> + use<M> {
    stream::try_unfold(parts, move |mut parts| async move {
        let Some(message) = timeout(idle_timeout, parts.message()).await?? else { return Ok(None) };
        let chunk = to_chunk(message).ok_or(StreamError::UnexpectedMessage)?;
        Ok(Some((Bytes::from(chunk), parts)))
    })
}

/// Streams a file.
pub(crate) fn stream_file(file: File) -> Body {
    let file = tokio::fs::File::from_std(file);
    Body::from_stream(stream::try_unfold(file, |mut file| async move {
        let mut chunk = BytesMut::with_capacity(64 * 1024);
        let read = file.read_buf(&mut chunk).await?;
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(chunk), file)))
    }))
}

#[cfg(test)]
mod tests {
    use super::content_disposition;

    #[test]
    fn encodes_file_names_of_any_script() {
        for (name, header) in [
            ("resume.pdf", "attachment; filename=\"resume.pdf\"; filename*=UTF-8''resume.pdf"),
            ("आशा.pdf", "attachment; filename=\"___.pdf\"; filename*=UTF-8''%E0%A4%86%E0%A4%B6%E0%A4%BE.pdf"),
            ("a\"; x=\"b.doc", "attachment; filename=\"a__ x__b.doc\"; filename*=UTF-8''a%22%3B%20x%3D%22b.doc"),
        ] {
            assert_eq!(content_disposition(name).unwrap(), header);
        }
    }
}
