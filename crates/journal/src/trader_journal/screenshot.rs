//! Screenshots of entries, and their limits.

use time::OffsetDateTime;
use uuid::Uuid;

/// Maximum size of an uploaded picture in bytes (5 MiB).
pub(crate) const MAX_UPLOAD_BYTES: u64 = 5 * 1024 * 1024;
/// Maximum number of screenshots of an entry.
pub(crate) const MAX_PER_ENTRY: i64 = 10;

/// Maximum number of screenshots of an entry that was made of several ones.
pub(crate) const MAX_PER_MERGED_ENTRY: usize = 50;

/// Format of a stored picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
}

impl Format {
    /// Returns the media type, which is also the name in the tables.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// Parses a media type.
    pub(crate) fn from_media_type(media_type: &str) -> Option<Self> {
        [Self::Png, Self::Jpeg].into_iter().find(|format| format.media_type() == media_type)
    }
}

/// Stored screenshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screenshot {
    pub(crate) screenshot_id: Uuid,
    pub(crate) format: Format,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) bytes: i64,
    pub(crate) added_at: OffsetDateTime,
}

#[cfg(test)]
mod tests {
    use super::{MAX_PER_ENTRY, MAX_UPLOAD_BYTES};

    #[test]
    fn the_texts_of_the_limits_have_their_values() {
        let text = |reason| texts::error("journal", reason, &texts::Params::new()).unwrap();
        assert!(text("SCREENSHOT_TOO_LARGE").contains(&format!("{} MB", MAX_UPLOAD_BYTES >> 20)));
        assert!(text("SCREENSHOTS_FULL").contains(&format!(" {MAX_PER_ENTRY} ")));
    }
}
