//! Compression of responses.

use http::{HeaderMap, StatusCode};
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};

/// Minimum size of a response that is compressed.
pub const MIN_COMPRESSED_BYTES: u64 = 1024;

/// Response extension that allows compression.
///
/// Other responses stay uncompressed: the size of a response that contains both a secret and text of an attacker reveals
/// the secret (BREACH).
#[derive(Clone, Copy)]
pub struct Compressible;

/// Compresses responses marked as [`Compressible`] while they are streamed.
pub fn compression_layer() -> CompressionLayer<impl Predicate> {
    let is_marked = |_: StatusCode, _: http::Version, _: &HeaderMap, extensions: &http::Extensions| {
        extensions.get::<Compressible>().is_some()
    };
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_marked))
}
