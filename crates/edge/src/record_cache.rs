//! Cache of encoded client records, so that an unchanged log is neither read nor written as JSON again.

use std::io::{self, Read as _, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http_server::compression::{Compressible, MIN_COMPRESSED_BYTES};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

use crate::etag::Etag;
use crate::json::json_response;
use crate::stream_error::StreamError;

/// Maximum size of all records, compressed. A log of 100,000 trades takes about 3 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum size of one record, compressed; larger ones are not kept. Clients may have two such responses at a time.
const MAX_RECORD_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of all records that are being recorded, in KiB; further ones are sent without being kept.
const MAX_RECORDING_KIB: usize = 32 * 1024;
/// Time after its last use after which a record is dropped.
const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// Approximate size of an entry without its query and content.
const ENTRY_BYTES: usize = 512;
/// Level of the compression: the fastest, as for all responses.
const ZSTD_LEVEL: i32 = 1;
/// Size of the parts in which a record is decompressed.
const PART_BYTES: usize = 64 * 1024;

/// Encoded client records of all accounts.
///
/// The caller asks the core for the current version and compares the entity tag; a record is never served by its age.
#[derive(Clone)]
pub(crate) struct RecordCache {
    records: Cache<Key, Arc<EncodedRecord>>,
    /// A permit for each KiB of the records that are being recorded.
    recording_kib: Arc<Semaphore>,
}

/// Account, and canonical text of the query.
type Key = (Uuid, String);

/// Client record as one Zstandard frame; many clients read only the first of several.
pub(crate) struct EncodedRecord {
    pub etag: Etag,
    compressed: Bytes,
    plain_bytes: usize,
}

impl Default for RecordCache {
    fn default() -> Self {
        let weight = |(_, query): &Key, record: &Arc<EncodedRecord>| {
            u32::try_from(ENTRY_BYTES + query.len() + record.compressed.len()).unwrap_or(u32::MAX)
        };
        let records = Cache::builder()
            .max_capacity(MAX_BYTES)
            .weigher(weight)
            .time_to_idle(IDLE_TIMEOUT)
            // The default policy would never admit a large record to a cache full of small ones.
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self { records, recording_kib: Arc::new(Semaphore::new(MAX_RECORDING_KIB)) }
    }
}

impl RecordCache {
    pub fn get(&self, account_id: Uuid, query: &str) -> Option<Arc<EncodedRecord>> {
        self.records.get(&(account_id, query.to_owned()))
    }

    /// Returns the size of all records in bytes, compressed.
    pub fn total_bytes(&self) -> u64 {
        self.records.run_pending_tasks();
        self.records.weighted_size()
    }

    /// Keeps a record for the next reader, and returns its response.
    pub fn respond(
        &self,
        account_id: Uuid,
        query: &str,
        etag: Etag,
        json: Vec<u8>,
        accepts_zstd: bool,
    ) -> Result<Response, StreamError> {
        let compressed = zstd::bulk::compress(&json, ZSTD_LEVEL).map_err(StreamError::Compression)?;
        let record = Arc::new(EncodedRecord { etag, compressed: compressed.into(), plain_bytes: json.len() });
        self.records.insert((account_id, query.to_owned()), Arc::clone(&record));
        if accepts_zstd {
            return record.respond(true);
        }
        Ok(record.etag.add_to(json_response(Body::from(json))))
    }

    /// Returns the response of a record whose parts arrive one by one. Keeps the record if it arrives completely.
    pub fn respond_in_parts(
        &self,
        account_id: Uuid,
        query: &str,
        etag: Etag,
        parts: impl Stream<Item = Result<Bytes, StreamError>> + Send + 'static,
        accepts_zstd: bool,
    ) -> Result<Response, StreamError> {
        let encoder = Encoder::new(Vec::new(), ZSTD_LEVEL).map_err(StreamError::Compression)?;
        let recording = Recording {
            cache: self.clone(),
            key: (account_id, query.to_owned()),
            etag: etag.clone(),
            parts: Box::pin(parts),
            encoder: Some(encoder),
            kept: Some(Kept::default()),
            accepts_zstd,
        };
        let response = json_response(Body::from_stream(stream::try_unfold(recording, Recording::advance)));
        Ok(etag.add_to(if accepts_zstd { with_zstd(response) } else { response }))
    }
}

/// Record whose parts arrive.
struct Recording<S> {
    cache: RecordCache,
    key: Key,
    etag: Etag,
    parts: Pin<Box<S>>,
    /// `None` at the end, and if compressed parts are neither sent nor kept.
    encoder: Option<Encoder<'static, Vec<u8>>>,
    /// `None` once the record is too large to be kept.
    kept: Option<Kept>,
    accepts_zstd: bool,
}

/// Compressed parts that arrived.
#[derive(Default)]
struct Kept {
    compressed: Vec<u8>,
    plain_bytes: usize,
    permit: Option<OwnedSemaphorePermit>,
}

impl<S: Stream<Item = Result<Bytes, StreamError>>> Recording<S> {
    /// Returns the next bytes to send.
    async fn advance(mut self) -> Result<Option<(Bytes, Self)>, StreamError> {
        loop {
            let Some(part) = self.parts.next().await.transpose()? else { return self.finish() };
            let Some(encoder) = &mut self.encoder else { return Ok(Some((part, self))) };
            let compressed = compress_part(encoder, &part).map_err(StreamError::Compression)?;
            self.keep(&compressed, part.len());
            match self.accepts_zstd {
                false => return Ok(Some((part, self))),
                true if !compressed.is_empty() => return Ok(Some((compressed.into(), self))),
                true => {}
            }
        }
    }

    /// Ends the frame and keeps the record. Returns the last bytes to send.
    fn finish(mut self) -> Result<Option<(Bytes, Self)>, StreamError> {
        let Some(encoder) = self.encoder.take() else { return Ok(None) };
        let rest = encoder.finish().map_err(StreamError::Compression)?;
        self.keep(&rest, 0);
        if let Some(kept) = self.kept.take() {
            let record = EncodedRecord {
                etag: self.etag.clone(),
                compressed: kept.compressed.into(),
                plain_bytes: kept.plain_bytes,
            };
            self.cache.records.insert(self.key.clone(), Arc::new(record));
        }
        Ok(self.accepts_zstd.then(|| (rest.into(), self)))
    }

    /// Adds a part to the record that is kept, or gives it up if it becomes too large.
    fn keep(&mut self, compressed: &[u8], plain_bytes: usize) {
        if let Some(kept) = &mut self.kept
            && !kept.add(compressed, plain_bytes, &self.cache.recording_kib)
        {
            self.kept = None;
        }
        if self.kept.is_none() && !self.accepts_zstd {
            self.encoder = None;
        }
    }
}

impl Kept {
    /// Adds a part; returns false if the limits do not allow it.
    fn add(&mut self, compressed: &[u8], plain_bytes: usize, recording_kib: &Arc<Semaphore>) -> bool {
        self.compressed.extend_from_slice(compressed);
        self.plain_bytes += plain_bytes;
        let permits = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = self.compressed.len().div_ceil(1024).saturating_sub(permits);
        let Ok(missing) = u32::try_from(missing) else { return false };
        let Ok(further) = Arc::clone(recording_kib).try_acquire_many_owned(missing) else { return false };
        match &mut self.permit {
            Some(permit) => permit.merge(further),
            None => self.permit = Some(further),
        }
        self.compressed.len() <= MAX_RECORD_BYTES
    }
}

/// Compresses a part so that the client can read it at once.
fn compress_part(encoder: &mut Encoder<'static, Vec<u8>>, part: &[u8]) -> io::Result<Vec<u8>> {
    encoder.write_all(part)?;
    encoder.flush()?;
    Ok(std::mem::take(encoder.get_mut()))
}

impl EncodedRecord {
    /// Returns the response with this record, compressed if `accepts_zstd`.
    pub fn respond(&self, accepts_zstd: bool) -> Result<Response, StreamError> {
        if accepts_zstd && self.plain_bytes as u64 >= MIN_COMPRESSED_BYTES {
            let mut response = with_zstd(json_response(Body::from(self.compressed.clone())));
            // Its size is known, so it counts by bytes among the responses that are being sent.
            response.extensions_mut().remove::<Compressible>();
            return Ok(self.etag.add_to(response));
        }
        let decoder = Decoder::new(io::Cursor::new(self.compressed.clone())).map_err(StreamError::Compression)?;
        let parts = stream::iter(DecodedParts(decoder).map(|part| part.map_err(StreamError::Compression)));
        let mut response = json_response(Body::from_stream(parts));
        response.headers_mut().insert(CONTENT_LENGTH, self.plain_bytes.into());
        Ok(self.etag.add_to(response))
    }
}

/// Parts of a decompressed record.
struct DecodedParts(Decoder<'static, io::BufReader<io::Cursor<Bytes>>>);

impl Iterator for DecodedParts {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut part = Vec::with_capacity(PART_BYTES);
        match self.0.by_ref().take(PART_BYTES as u64).read_to_end(&mut part) {
            Ok(0) => None,
            Ok(_) => Some(Ok(part.into())),
            Err(error) => Some(Err(error)),
        }
    }
}

fn with_zstd(mut response: Response) -> Response {
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn etag(version: i64) -> Etag {
        Etag { version, hash: "0123456789abcdef".to_owned() }
    }

    /// Returns JSON that does not compress.
    fn random_bytes(length: usize) -> Bytes {
        let mut bytes = vec![0; length];
        getrandom::fill(&mut bytes).unwrap();
        bytes.into()
    }

    async fn send_in_parts(cache: &RecordCache, account_id: Uuid, parts: &[Bytes], accepts_zstd: bool) -> Vec<u8> {
        let parts: Vec<_> = parts.iter().cloned().map(Ok).collect();
        let response = cache.respond_in_parts(account_id, "", etag(1), stream::iter(parts), accepts_zstd).unwrap();
        response.into_body().collect().await.unwrap().to_bytes().to_vec()
    }

    #[tokio::test]
    async fn a_record_in_parts_is_one_frame_before_and_after_it_is_kept() {
        let (cache, account_id) = (RecordCache::default(), Uuid::from_u128(1));
        let parts = [&b"{\"trades\":["[..], &[b'1'; 3000], &b"]}"[..]].map(Bytes::copy_from_slice);
        let sent = send_in_parts(&cache, account_id, &parts, true).await;
        let kept = cache.get(account_id, "").unwrap().respond(true).unwrap();
        let kept = kept.into_body().collect().await.unwrap().to_bytes();
        for compressed in [&sent[..], &kept] {
            let mut plain = Vec::new();
            Decoder::new(compressed).unwrap().single_frame().read_to_end(&mut plain).unwrap();
            assert_eq!(plain, parts.concat());
        }
        assert_eq!(send_in_parts(&cache, account_id, &parts, false).await, parts.concat());
    }

    #[tokio::test]
    async fn a_record_that_is_too_large_is_sent_completely_and_not_kept() {
        let (cache, account_id) = (RecordCache::default(), Uuid::from_u128(1));
        let parts = [random_bytes(MAX_RECORD_BYTES), random_bytes(100_000), random_bytes(10)];
        for accepts_zstd in [false, true] {
            let sent = send_in_parts(&cache, account_id, &parts, accepts_zstd).await;
            let plain = if accepts_zstd { zstd::decode_all(&sent[..]).unwrap() } else { sent };
            assert!(plain == parts.concat());
            assert!(cache.get(account_id, "").is_none());
        }
        assert_eq!(cache.recording_kib.available_permits(), MAX_RECORDING_KIB);
    }

    #[tokio::test]
    async fn records_that_are_being_recorded_share_a_limit() {
        let cache = RecordCache::default();
        let part = random_bytes(MAX_RECORD_BYTES / 2);
        let started: Vec<_> = (0..40)
            .map(|number| {
                let parts = stream::iter([Ok(part.clone())]).chain(stream::pending());
                let account_id = Uuid::from_u128(number);
                let mut body = cache
                    .respond_in_parts(account_id, "", etag(1), parts, false)
                    .unwrap()
                    .into_body()
                    .into_data_stream();
                async move {
                    body.next().await.unwrap().unwrap();
                    body
                }
            })
            .collect();
        let bodies = futures_util::future::join_all(started).await;
        assert!(cache.recording_kib.available_permits() < MAX_RECORD_BYTES / 1024);
        drop(bodies);
        assert_eq!(cache.recording_kib.available_permits(), MAX_RECORDING_KIB);
    }

    #[tokio::test]
    async fn a_full_cache_drops_the_records_that_were_used_least_recently() {
        let cache = RecordCache::default();
        let large = random_bytes(MAX_RECORD_BYTES - 1024);
        for number in 0..40 {
            send_in_parts(&cache, Uuid::from_u128(number), std::slice::from_ref(&large), false).await;
            cache.records.run_pending_tasks();
            assert!(cache.get(Uuid::from_u128(number), "").is_some(), "{number}");
        }
        assert!(cache.total_bytes() <= MAX_BYTES);
        assert!(cache.get(Uuid::from_u128(0), "").is_none());
    }
}
