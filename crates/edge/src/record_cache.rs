//! Cache of encoded client records, so that an unchanged log is neither read nor written as JSON again.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_server::compression::MIN_COMPRESSED_BYTES;
use moka::sync::Cache;
use uuid::Uuid;

use crate::api::trades::etag::Etag;
use crate::json::json_response;
use crate::stream_error::StreamError;

/// Maximum size of all records, compressed. A log of 100,000 trades takes about 3 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum size of one record, compressed; larger ones are not kept.
const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;
/// Time after its last use after which a record is dropped.
const MAX_IDLE_TIME: Duration = Duration::from_mins(10);
/// Level of the compression: the fastest, as of all responses.
const ZSTD_LEVEL: i32 = 1;

/// Encoded client records of all accounts.
///
/// The caller asks the core for the current version and compares the entity tag; a record is never served by its age.
#[derive(Clone)]
pub(crate) struct RecordCache(Cache<Key, Arc<EncodedRecord>>);

/// Account, and canonical text of the query.
type Key = (Uuid, String);

/// Client record, compressed.
pub(crate) struct EncodedRecord {
    pub etag: Etag,
    frames: Vec<Frame>,
}

/// Part of a record: a Zstandard frame. Frames that follow each other decompress to the parts in that order.
#[derive(Clone)]
struct Frame {
    compressed: Bytes,
    plain_bytes: usize,
}

impl Default for RecordCache {
    fn default() -> Self {
        let weight = |(_, query): &Key, record: &Arc<EncodedRecord>| {
            u32::try_from(query.len() + record.compressed_bytes()).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MAX_BYTES).weigher(weight).time_to_idle(MAX_IDLE_TIME).build())
    }
}

impl RecordCache {
    pub fn get(&self, account_id: Uuid, query: &str) -> Option<Arc<EncodedRecord>> {
        self.0.get(&(account_id, query.to_owned()))
    }

    /// Returns the size of all records in bytes, compressed.
    pub fn total_bytes(&self) -> u64 {
        self.0.run_pending_tasks();
        self.0.weighted_size()
    }

    /// Keeps a record for the next reader, and returns its response.
    pub fn respond(&self, account_id: Uuid, query: &str, etag: Etag, json: &[u8], zstd: bool) -> Response {
        let Ok(frame) = Frame::compress(json) else { return etag.add_to(json_response(Body::from(json.to_vec()))) };
        let record = Arc::new(EncodedRecord { etag, frames: vec![frame] });
        self.0.insert((account_id, query.to_owned()), Arc::clone(&record));
        record.respond(zstd)
    }

    /// Returns the response of a record whose parts arrive one by one. Keeps the record if it arrives completely.
    pub fn respond_in_parts(
        &self,
        account_id: Uuid,
        query: &str,
        etag: Etag,
        parts: impl Stream<Item = Result<Bytes, StreamError>> + Send + 'static,
        zstd: bool,
    ) -> Response {
        let recording = Recording {
            cache: self.0.clone(),
            key: (account_id, query.to_owned()),
            record: Some(EncodedRecord { etag: etag.clone(), frames: Vec::new() }),
            parts: Box::pin(parts),
            zstd,
        };
        let response = json_response(Body::from_stream(stream::try_unfold(recording, Recording::advance)));
        etag.add_to(if zstd { with_zstd(response) } else { response })
    }
}

/// Record whose parts arrive.
struct Recording<S> {
    cache: Cache<Key, Arc<EncodedRecord>>,
    key: Key,
    /// `None` once the record is too large.
    record: Option<EncodedRecord>,
    parts: std::pin::Pin<Box<S>>,
    zstd: bool,
}

impl<S: Stream<Item = Result<Bytes, StreamError>>> Recording<S> {
    async fn advance(mut self) -> Result<Option<(Bytes, Self)>, StreamError> {
        let Some(part) = self.parts.next().await.transpose()? else {
            if let Some(record) = self.record {
                self.cache.insert(self.key, Arc::new(record));
            }
            return Ok(None);
        };
        if self.record.is_none() && !self.zstd {
            return Ok(Some((part, self)));
        }
        let frame = Frame::compress(&part)?;
        let sent = if self.zstd { frame.compressed.clone() } else { part };
        if let Some(mut record) = self.record.take()
            && record.compressed_bytes() + frame.compressed.len() <= MAX_RECORD_BYTES
        {
            record.frames.push(frame);
            self.record = Some(record);
        }
        Ok(Some((sent, self)))
    }
}

impl EncodedRecord {
    fn compressed_bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.compressed.len()).sum()
    }

    fn plain_bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.plain_bytes).sum()
    }

    /// Returns the response with this record, compressed if the client prefers Zstandard.
    pub fn respond(self: &Arc<Self>, zstd: bool) -> Response {
        let zstd = zstd && self.plain_bytes() as u64 >= MIN_COMPRESSED_BYTES;
        let length = if zstd { self.compressed_bytes() } else { self.plain_bytes() };
        let frames = stream::iter(self.frames.clone());
        let body = if zstd {
            Body::from_stream(frames.map(|frame| Ok::<_, StreamError>(frame.compressed)))
        } else {
            Body::from_stream(frames.map(|frame| frame.decompress()))
        };
        let mut response = json_response(body);
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
        self.etag.add_to(if zstd { with_zstd(response) } else { response })
    }
}

impl Frame {
    fn compress(plain: &[u8]) -> std::io::Result<Self> {
        Ok(Self { compressed: zstd::bulk::compress(plain, ZSTD_LEVEL)?.into(), plain_bytes: plain.len() })
    }

    fn decompress(&self) -> std::io::Result<Bytes> {
        Ok(zstd::bulk::decompress(&self.compressed, self.plain_bytes)?.into())
    }
}

fn with_zstd(mut response: Response) -> Response {
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
    response
}
