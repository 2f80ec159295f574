//! The journal of an account in the export of its data.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt, pin_mut, stream};
use http_server::problem::Problem;
use rpc::trader_journal::v1::{
    DownloadScreenshotRequest, Entry, ListEntriesRequest, ListPlaybooksRequest, ListTemplatesRequest, Playbook,
    Template,
};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use crate::api::trader_journal::routes::{Client, read};
use crate::api::trader_journal::screenshots::open_screenshot;
use crate::caller::Trader;
use crate::json::JsonError;
use crate::state::Shared;
use crate::stream_error::StreamError;

/// Returns the playbooks of the trader.
pub(crate) async fn list_playbooks(app: &Shared, trader: &Trader) -> Result<Vec<Playbook>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_playbooks(request).await };
    Ok(read(app, trader, ListPlaybooksRequest {}, rpc).await?.playbooks)
}

/// Returns the templates of the trader.
pub(crate) async fn list_templates(app: &Shared, trader: &Trader) -> Result<Vec<Template>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_templates(request).await };
    Ok(read(app, trader, ListTemplatesRequest {}, rpc).await?.templates)
}

/// Streams the elements of the JSON array of all entries.
pub(crate) fn stream_entries(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, StreamError>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    stream::try_unfold(Some(String::new()), move |page_token| {
        let (app, trader) = (app.clone(), trader.clone());
        async move {
            let Some(page_token) = page_token else { return Ok(None) };
            let is_first_page = page_token.is_empty();
            let request = ListEntriesRequest { page_size: 0, page_token, without_text: false };
            let rpc = |mut core: Client, request| async move { core.list_entries(request).await };
            let page = read(&app, &trader, request, rpc).await.map_err(StreamError::Page)?;
            let mut out = Vec::new();
            for (index, entry) in page.entries.iter().enumerate() {
                if !is_first_page || index > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, entry).map_err(JsonError::from)?;
            }
            Ok(Some((out.into(), Some(page.next_page_token).filter(|token| !token.is_empty()))))
        }
    })
}

/// Bytes of an archive that were written and not sent yet.
#[derive(Clone, Default)]
struct Unsent(Arc<Mutex<Vec<u8>>>);

impl Unsent {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Unsent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Archive of screenshots that is being written.
struct ScreenshotArchive {
    app: Shared,
    trader: Trader,
    zip: ZipWriter<StreamWriter<Unsent>>,
    unsent: Unsent,
    /// Ids of screenshots that are not written yet, with their names in the archive.
    due: VecDeque<(String, String)>,
    /// Token of the next page of entries; none after the last one.
    page_token: Option<String>,
    /// Names of the screenshots that could not be read, one per line.
    missing: String,
}

/// Streams a ZIP of all screenshots. Holds one screenshot at a time.
pub(crate) fn stream_screenshots(
    app: &Shared,
    trader: &Trader,
) -> impl Stream<Item = Result<Bytes, StreamError>> + use<> {
    let unsent = Unsent::default();
    let archive = ScreenshotArchive {
        app: app.clone(),
        trader: trader.clone(),
        zip: ZipWriter::new_stream(unsent.clone()),
        unsent,
        due: VecDeque::new(),
        page_token: Some(String::new()),
        missing: String::new(),
    };
    stream::try_unfold(Some(archive), |archive| async move {
        let Some(mut archive) = archive else { return Ok(None) };
        if archive.write_next().await? {
            return Ok(Some((archive.unsent.take(), Some(archive))));
        }
        if !archive.missing.is_empty() {
            archive.zip.start_file("missing.txt", SimpleFileOptions::default())?;
            archive.zip.write_all(archive.missing.as_bytes())?;
        }
        archive.zip.finish()?;
        Ok(Some((archive.unsent.take(), None)))
    })
}

impl ScreenshotArchive {
    /// Writes the next screenshot; returns false if there is none.
    async fn write_next(&mut self) -> Result<bool, StreamError> {
        while self.due.is_empty() {
            let Some(page_token) = self.page_token.take() else { return Ok(false) };
            let request = ListEntriesRequest { page_size: 0, page_token, without_text: true };
            let rpc = |mut core: Client, request| async move { core.list_entries(request).await };
            let page = read(&self.app, &self.trader, request, rpc).await.map_err(StreamError::Page)?;
            self.page_token = Some(page.next_page_token).filter(|token| !token.is_empty());
            self.due.extend(page.entries.iter().flat_map(name_screenshots));
        }
        let Some((id, name)) = self.due.pop_front() else { return Ok(false) };
        let request = DownloadScreenshotRequest { id, thumbnail: false };
        let Ok((_, chunks)) = open_screenshot(&self.app, &self.trader, request).await else {
            // Deleted meanwhile, or lost: the others are still worth having.
            self.missing += &format!("{name}\n");
            return Ok(true);
        };
        pin_mut!(chunks);
        // Pictures are already compressed.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.zip.start_file(name, options)?;
        while let Some(chunk) = chunks.try_next().await? {
            self.zip.write_all(&chunk)?;
        }
        Ok(true)
    }
}

/// Returns the ids of an entry's screenshots with their names in the archive, such as `2026-11-20 INFY 5a0b6f2e-….png`.
fn name_screenshots(entry: &Entry) -> Vec<(String, String)> {
    let subject = entry.subject.clone().unwrap_or_default();
    let keep = |character: char| if character.is_alphanumeric() || "-&.".contains(character) { character } else { ' ' };
    let symbol: String = subject.symbol.chars().map(keep).collect();
    let title = format!("{} {}", subject.day, symbol.trim());
    let named = entry.screenshots.iter().map(|screenshot| {
        let extension = if screenshot.media_type == "image/png" { "png" } else { "jpg" };
        (screenshot.id.clone(), format!("{} {}.{extension}", title.trim_end(), screenshot.id))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use rpc::trader_journal::v1::{Screenshot, Subject};

    use super::*;

    #[test]
    fn a_screenshot_is_named_after_the_day_and_the_symbol() {
        let screenshot = |id: &str, media_type: &str| Screenshot {
            id: id.to_owned(),
            media_type: media_type.to_owned(),
            ..Default::default()
        };
        let subject =
            |symbol: &str| Subject { day: "2026-11-20".to_owned(), symbol: symbol.to_owned(), ..Default::default() };
        let entry = |symbol: &str| Entry {
            subject: Some(subject(symbol)),
            screenshots: vec![screenshot("5a0b6f2e-8a52", "image/png"), screenshot("1b2c3d4e-8a52", "image/jpeg")],
            ..Default::default()
        };
        let names =
            |symbol: &str| name_screenshots(&entry(symbol)).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(names("M&M"), ["2026-11-20 M&M 5a0b6f2e-8a52.png", "2026-11-20 M&M 1b2c3d4e-8a52.jpg"]);
        assert_eq!(names("../a/b")[0], "2026-11-20 .. a b 5a0b6f2e-8a52.png");
        assert_eq!(names("")[0], "2026-11-20 5a0b6f2e-8a52.png");
    }
}
