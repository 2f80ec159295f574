//! Runs the encoder of screenshots as a sandboxed process.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::Path;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use crate::trader_journal::error::Error;
use crate::trader_journal::screenshot::Format;
use crate::trader_journal::screenshot_encoder::{ARGUMENT, EncodedPicture, Rejection};

/// Maximum output of the process in bytes, above any picture of a screen.
const MAX_OUTPUT_BYTES: u64 = 16 * 1024 * 1024;

/// Encodes the picture in `file` in a process, which is killed after `limit`.
///
/// # Errors
/// [`Error::PictureRejected`], also if the process fails or times out.
pub(crate) async fn encode(program: &Path, limit: Duration, mut file: File) -> Result<EncodedPicture, Error> {
    file.rewind().map_err(Error::io("failed to rewind a picture"))?;
    let process = sandbox::command(program, &[ARGUMENT], file).spawn();
    let mut process = process.map_err(Error::io("failed to start the encoder of screenshots"))?;
    let mut output = Vec::new();
    let run = tokio::time::timeout(limit, async {
        if let Some(stdout) = process.stdout.take() {
            stdout.take(MAX_OUTPUT_BYTES).read_to_end(&mut output).await?;
        }
        Ok::<_, io::Error>(process.wait().await?.success())
    });
    let succeeded = matches!(run.await, Ok(Ok(true)));
    let encoded = if succeeded { parse_output(&output) } else { None };
    let encoded = encoded.unwrap_or_else(|| {
        tracing::warn!("the encoder of screenshots failed");
        Err(Rejection::Damaged)
    });
    encoded.map_err(Error::PictureRejected)
}

/// Parses the output of the process; `None` if it is not as expected.
fn parse_output(output: &[u8]) -> Option<Result<EncodedPicture, Rejection>> {
    if let Some(rejection) = std::str::from_utf8(output).ok().and_then(Rejection::from_name) {
        return Some(Err(rejection));
    }
    let line_end = output.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = output.split_at_checked(line_end)?;
    let mut values = std::str::from_utf8(line).ok()?.split(' ');
    let format = Format::from_media_type(values.next()?)?;
    let (width, height) = (values.next()?.parse().ok()?, values.next()?.parse().ok()?);
    let (picture_bytes, thumbnail_bytes): (usize, usize) = (values.next()?.parse().ok()?, values.next()?.parse().ok()?);
    let (picture, thumbnail) = rest.get(1..)?.split_at_checked(picture_bytes)?;
    (thumbnail.len() == thumbnail_bytes && values.next().is_none())
        .then(|| Ok(EncodedPicture { format, width, height, picture: picture.to_vec(), thumbnail: thumbnail.to_vec() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_picture_and_rejects_an_output_of_another_length() {
        let encoded = parse_output(b"image/png 3 2 4 2\nPICTth").unwrap().unwrap();
        assert_eq!((encoded.width, encoded.height, encoded.format), (3, 2, Format::Png));
        assert_eq!((encoded.picture.as_slice(), encoded.thumbnail.as_slice()), (&b"PICT"[..], &b"th"[..]));
        for output in
            ["", "image/png", "image/gif 3 2 4 2\nPICTth", "image/png 3 2 4 2\nPICTt", "image/png 3 2 9 2\nPICTth"]
        {
            assert!(parse_output(output.as_bytes()).is_none(), "{output}");
        }
        assert!(matches!(parse_output(b"NOT_A_PICTURE"), Some(Err(Rejection::NotAPicture))));
    }
}
