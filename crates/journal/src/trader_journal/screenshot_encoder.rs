//! Encoder of screenshots, run in a sandboxed process and never in the server itself.
//!
//! [`main`] is the process: it reads a picture from stdin, draws it anew and writes it to stdout with a thumbnail. A new
//! drawing has none of the metadata of the file, such as the place of a photo, and nothing that hides behind its pixels. A
//! program calls it before anything else if its first argument is [`ARGUMENT`].
//!
//! The output is a line of text, followed by the bytes of the picture and of the thumbnail: `image/png 1280 720 48213
//! 9034` (media type, width, height, sizes), or one word for a rejected file.

use std::io::{self, Cursor, Read as _, Write as _};
use std::process::ExitCode;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::error::ImageError;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits, Rgb, RgbImage};

use crate::trader_journal::screenshot::Format;

/// First argument that makes the program an encoder.
pub const ARGUMENT: &str = "encode-screenshot";

/// Maximum number of pixels of an uploaded picture. Decoded and scaled, they fit into the memory of the sandbox.
const MAX_PIXELS: u64 = 25_000_000;
/// Maximum memory in bytes for decoding: four channels of 16 bits.
const MAX_DECODER_BYTES: u64 = MAX_PIXELS * 8;
/// Maximum width and height of a stored picture.
const MAX_SIDE: u32 = 4_096;
/// Maximum width and height of a thumbnail: twice the size on the page, for fine screens.
const MAX_THUMBNAIL_SIDE: u32 = 480;
/// Size in bytes above which a PNG is stored as JPEG. Charts are smaller; photos of screens are not.
const MAX_PNG_BYTES: usize = 2 * 1024 * 1024;
/// Quality of a JPEG at which thin lines and small digits stay sharp.
const JPEG_QUALITY: u8 = 90;
const THUMBNAIL_QUALITY: u8 = 80;

/// Reason for which a file is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Neither PNG, JPEG nor WebP.
    NotAPicture,
    /// The file claims to be a picture but cannot be decoded.
    Damaged,
    /// The picture has too many pixels.
    TooManyPixels,
}

impl Rejection {
    const ALL: [Self; 3] = [Self::NotAPicture, Self::Damaged, Self::TooManyPixels];

    /// Returns the reason code, which is also the output of the process.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NotAPicture => "NOT_A_PICTURE",
            Self::Damaged => "PICTURE_DAMAGED",
            Self::TooManyPixels => "TOO_MANY_PIXELS",
        }
    }

    /// Parses the output of the process.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rejection| rejection.name() == name)
    }
}

/// Picture that was drawn anew, with its thumbnail, which is a JPEG.
pub(crate) struct EncodedPicture {
    pub(crate) format: Format,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) picture: Vec<u8>,
    pub(crate) thumbnail: Vec<u8>,
}

/// Runs the process: encodes the picture on stdin and writes the result to stdout. Any exit code except success means
/// that the picture was not encoded.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> io::Result<()> {
    sandbox::confine()?;
    let (mut input, mut output) = sandbox::stdio_files()?;
    let mut file = Vec::new();
    input.read_to_end(&mut file)?;
    match encode(&file) {
        Ok(encoded) => {
            let EncodedPicture { format, width, height, picture, thumbnail } = encoded;
            let (media_type, sizes) = (format.media_type(), (picture.len(), thumbnail.len()));
            writeln!(output, "{media_type} {width} {height} {} {}", sizes.0, sizes.1)?;
            output.write_all(&picture)?;
            output.write_all(&thumbnail)
        }
        Err(rejection) => output.write_all(rejection.name().as_bytes()),
    }
}

/// Draws a picture anew, upright and at most [`MAX_SIDE`] wide and high.
fn encode(file: &[u8]) -> Result<EncodedPicture, Rejection> {
    let (source_format, mut picture) = decode(file)?;
    if picture.width().max(picture.height()) > MAX_SIDE {
        picture = picture.resize(MAX_SIDE, MAX_SIDE, FilterType::CatmullRom);
    }
    let thumbnail = if picture.width().max(picture.height()) > MAX_THUMBNAIL_SIDE {
        &picture.resize(MAX_THUMBNAIL_SIDE, MAX_THUMBNAIL_SIDE, FilterType::CatmullRom)
    } else {
        &picture
    };
    let thumbnail = encode_jpeg(thumbnail, THUMBNAIL_QUALITY)?;
    let png = if source_format == ImageFormat::Jpeg { None } else { Some(encode_png(&picture)?) };
    let (format, encoded) = match png.filter(|png| png.len() <= MAX_PNG_BYTES) {
        Some(png) => (Format::Png, png),
        None => (Format::Jpeg, encode_jpeg(&picture, JPEG_QUALITY)?),
    };
    Ok(EncodedPicture { format, width: picture.width(), height: picture.height(), picture: encoded, thumbnail })
}

/// Decodes a picture to eight bits per channel and rotates it upright.
fn decode(file: &[u8]) -> Result<(ImageFormat, DynamicImage), Rejection> {
    let format = image::guess_format(file).map_err(|_| Rejection::NotAPicture)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP) {
        return Err(Rejection::NotAPicture);
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(reject)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Rejection::TooManyPixels);
    }
    // A picture whose orientation cannot be read is shown as it is.
    let orientation = decoder.orientation().ok();
    let picture = DynamicImage::from_decoder(decoder).map_err(reject)?;
    let mut picture = if picture.color().has_alpha() {
        DynamicImage::ImageRgba8(picture.into_rgba8())
    } else {
        DynamicImage::ImageRgb8(picture.into_rgb8())
    };
    if let Some(orientation) = orientation {
        picture.apply_orientation(orientation);
    }
    Ok((format, picture))
}

fn reject(error: ImageError) -> Rejection {
    match error {
        ImageError::Limits(_) => Rejection::TooManyPixels,
        _ => Rejection::Damaged,
    }
}

fn encode_png(picture: &DynamicImage) -> Result<Vec<u8>, Rejection> {
    let mut png = Vec::new();
    picture.write_with_encoder(PngEncoder::new(&mut png)).map_err(reject)?;
    Ok(png)
}

/// Encodes a JPEG, in which transparent pixels are white.
fn encode_jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, Rejection> {
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, quality);
    let written = match picture {
        DynamicImage::ImageRgba8(pixels) => {
            let on_white = |channel: u8, alpha: u8| {
                let (channel, alpha) = (u32::from(channel), u32::from(alpha));
                u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
            };
            let opaque = RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
                let [red, green, blue, alpha] = pixels.get_pixel(x, y).0;
                Rgb([red, green, blue].map(|channel| on_white(channel, alpha)))
            });
            opaque.write_with_encoder(encoder)
        }
        picture => picture.write_with_encoder(encoder),
    };
    written.map_err(reject)?;
    Ok(jpeg)
}

#[cfg(test)]
mod tests {
    use image::{ImageEncoder as _, Rgba, RgbaImage};

    use super::*;

    fn write(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        picture.write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    fn gradient(width: u32, height: u32) -> DynamicImage {
        let channel = |value: u32| u8::try_from(value % 256).unwrap();
        RgbImage::from_fn(width, height, |x, y| Rgb([channel(x), channel(y), channel(x / 7 + y / 3)])).into()
    }

    #[test]
    fn a_png_and_a_webp_stay_lossless_and_a_jpeg_stays_a_jpeg() {
        let picture = gradient(600, 300);
        for (source, format) in
            [(ImageFormat::Png, Format::Png), (ImageFormat::WebP, Format::Png), (ImageFormat::Jpeg, Format::Jpeg)]
        {
            let encoded = encode(&write(&picture, source)).unwrap();
            assert_eq!((encoded.format, encoded.width, encoded.height), (format, 600, 300), "{source:?}");
            let drawn = image::load_from_memory(&encoded.picture).unwrap();
            if format == Format::Png {
                assert_eq!(drawn.into_rgb8(), picture.to_rgb8(), "{source:?}");
            }
            let thumbnail = image::load_from_memory_with_format(&encoded.thumbnail, ImageFormat::Jpeg).unwrap();
            assert_eq!((thumbnail.width(), thumbnail.height()), (480, 240));
        }
    }

    #[test]
    fn removes_metadata_and_rotates_a_photo() {
        let mut jpeg = Vec::new();
        let mut encoder = JpegEncoder::new(&mut jpeg);
        // A little-endian EXIF directory with one entry: orientation 6, a quarter turn clockwise.
        let exif = b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
        encoder.set_exif_metadata(exif).unwrap();
        gradient(40, 20).write_with_encoder(encoder).unwrap();
        assert!(jpeg.windows(4).any(|bytes| bytes == b"Exif"));
        let encoded = encode(&jpeg).unwrap();
        assert_eq!((encoded.width, encoded.height), (20, 40));
        assert!(!encoded.picture.windows(4).any(|bytes| bytes == b"Exif"));
    }

    #[test]
    fn drops_what_follows_the_picture() {
        let mut file = write(&gradient(8, 8), ImageFormat::Png);
        file.extend_from_slice(b"<script>alert(1)</script>");
        let encoded = encode(&file).unwrap();
        assert!(!encoded.picture.windows(7).any(|bytes| bytes == b"<script"));
    }

    #[test]
    fn reduces_a_large_picture_and_stores_a_large_png_as_jpeg() {
        let encoded = encode(&write(&gradient(5_000, 400), ImageFormat::Png)).unwrap();
        assert_eq!((encoded.width, encoded.height), (4_096, 328));
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let noisy: DynamicImage = RgbImage::from_fn(1_000, 1_000, |_, _| Rgb([noise(), noise(), noise()])).into();
        let file = write(&noisy, ImageFormat::Png);
        assert!(file.len() > MAX_PNG_BYTES);
        assert_eq!(encode(&file).unwrap().format, Format::Jpeg);
    }

    #[test]
    fn transparent_pixels_are_white_in_the_thumbnail() {
        let transparent: DynamicImage = RgbaImage::from_pixel(16, 16, Rgba([0, 0, 0, 0])).into();
        let encoded = encode(&write(&transparent, ImageFormat::Png)).unwrap();
        let thumbnail = image::load_from_memory(&encoded.thumbnail).unwrap().into_rgb8();
        assert!(thumbnail.get_pixel(8, 8).0.iter().all(|channel| *channel > 250));
    }

    #[test]
    fn rejects_other_files_damaged_ones_and_too_many_pixels() {
        let rejection = |file: &[u8]| encode(file).err();
        assert_eq!(rejection(b""), Some(Rejection::NotAPicture));
        assert_eq!(rejection(b"Symbol,Date\nINFY,2026-11-20\n"), Some(Rejection::NotAPicture));
        assert_eq!(rejection(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Some(Rejection::NotAPicture));
        assert_eq!(rejection(b"GIF89a\x01\0\x01\0\0\0\0;"), Some(Rejection::NotAPicture));
        let png = write(&gradient(64, 64), ImageFormat::Png);
        assert_eq!(rejection(png.get(..png.len() / 2).unwrap()), Some(Rejection::Damaged));
        // A small file that claims 30,000 x 30,000 pixels.
        let mut bomb = png;
        let size = 30_000_u32.to_be_bytes();
        bomb.splice(16..24, size.into_iter().chain(size));
        let rejected = rejection(&bomb);
        assert!(matches!(rejected, Some(Rejection::TooManyPixels | Rejection::Damaged)), "{rejected:?}");
        let wide: DynamicImage = RgbImage::new(26_000, 1_000).into();
        assert_eq!(rejection(&write(&wide, ImageFormat::Png)), Some(Rejection::TooManyPixels));
    }
}
