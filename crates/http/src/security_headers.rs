//! Security headers of every response.

use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue};

use crate::content_security_policy::API_POLICY;

const HEADERS: [(HeaderName, &str); 7] = [
    (header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), \
         encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), \
         local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), \
         publickey-credentials-create=(self), publickey-credentials-get=(self), screen-wake-lock=(), serial=(), \
         storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()",
    ),
];

/// Sets the security headers. Keeps a `Content-Security-Policy` and `Cache-Control` that a handler set.
pub fn set_security_headers(headers: &mut HeaderMap) {
    for (name, value) in &HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(API_POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
