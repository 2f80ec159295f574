//! Fake service of accounts' journals: one empty journal.

use futures_util::stream;
use rpc::trader_journal::v1::trader_journal_service_server::TraderJournalService;
use rpc::trader_journal::v1::*;
use tonic::{Request, Response, Status, Streaming};

use super::Core;

/// Implements rpcs that only tests of the whole product call.
macro_rules! unimplemented_rpcs {
    ($($rpc:ident($request:ident) -> $response:ident;)*) => {
        #[tonic::async_trait]
        impl TraderJournalService for Core {
            async fn list_entries(&self, _: Request<ListEntriesRequest>) -> Result<Response<ListEntriesResponse>, Status> {
                Ok(Response::new(ListEntriesResponse::default()))
            }

            async fn list_playbooks(
                &self,
                _: Request<ListPlaybooksRequest>,
            ) -> Result<Response<ListPlaybooksResponse>, Status> {
                Ok(Response::new(ListPlaybooksResponse::default()))
            }

            async fn list_templates(
                &self,
                _: Request<ListTemplatesRequest>,
            ) -> Result<Response<ListTemplatesResponse>, Status> {
                Ok(Response::new(ListTemplatesResponse::default()))
            }

            type DownloadScreenshotStream = stream::BoxStream<'static, Result<DownloadScreenshotResponse, Status>>;

            async fn download_screenshot(
                &self,
                _: Request<DownloadScreenshotRequest>,
            ) -> Result<Response<Self::DownloadScreenshotStream>, Status> {
                Err(Status::unimplemented("not faked"))
            }

            async fn add_screenshot(
                &self,
                _: Request<Streaming<AddScreenshotRequest>>,
            ) -> Result<Response<AddScreenshotResponse>, Status> {
                Err(Status::unimplemented("not faked"))
            }

            $(
                async fn $rpc(&self, _: Request<$request>) -> Result<Response<$response>, Status> {
                    Err(Status::unimplemented("not faked"))
                }
            )*
        }
    };
}

unimplemented_rpcs! {
    look_up_entries(LookUpEntriesRequest) -> LookUpEntriesResponse;
    search_entries(SearchEntriesRequest) -> SearchEntriesResponse;
    group_entries(GroupEntriesRequest) -> GroupEntriesResponse;
    save_entry(SaveEntryRequest) -> SaveEntryResponse;
    delete_entry(DeleteEntryRequest) -> DeleteEntryResponse;
    attach_entry(AttachEntryRequest) -> AttachEntryResponse;
    delete_screenshot(DeleteScreenshotRequest) -> DeleteScreenshotResponse;
    restore_screenshot(RestoreScreenshotRequest) -> RestoreScreenshotResponse;
    list_keys(ListKeysRequest) -> ListKeysResponse;
    edit_entries(EditEntriesRequest) -> EditEntriesResponse;
    add_to_entries(AddToEntriesRequest) -> AddToEntriesResponse;
    list_changes(ListChangesRequest) -> ListChangesResponse;
    undo_change(UndoChangeRequest) -> UndoChangeResponse;
    save_playbook(SavePlaybookRequest) -> SavePlaybookResponse;
    delete_playbook(DeletePlaybookRequest) -> DeletePlaybookResponse;
    save_template(SaveTemplateRequest) -> SaveTemplateResponse;
    delete_template(DeleteTemplateRequest) -> DeleteTemplateResponse;
}
