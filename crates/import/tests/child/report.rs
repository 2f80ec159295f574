//! Profit and loss reports, for a trader.

use rpc::imports::v1::{ProfitReport, ReadProfitReportRequest};
use tonic::Code;

use super::fixtures::profit::{zerodha_equity, zerodha_fno};
use super::fixtures::{tradebook, xlsx};
use super::*;

impl Product {
    async fn report(&self, token: Option<&str>, file: &[u8]) -> Result<ProfitReport, Status> {
        let chunks: Vec<_> =
            file.chunks(CHUNK).map(|chunk| ReadProfitReportRequest { chunk: chunk.to_vec() }).collect();
        let mut request = Request::new(tokio_stream::iter(chunks));
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        Ok(self.client.clone().read_profit_report(request).await?.into_inner().report.unwrap())
    }
}

#[tokio::test]
async fn a_report_is_handed_back_and_nothing_of_it_is_stored() {
    let product = Product::new();
    let report = product.report(Some("token"), &xlsx(&[zerodha_equity()])).await.unwrap();
    assert_eq!((report.format.as_str(), report.rows.len(), report.charges.len()), ("zerodha-equity-pnl", 2, 11));
    assert!(product.log.seen().is_empty());
    let stranger = product.report(None, &xlsx(&[zerodha_equity()])).await.unwrap_err();
    assert_eq!(stranger.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn what_is_no_report_is_refused_by_its_name() {
    let product = Product::new();
    for (file, code) in [
        (xlsx(&[tradebook()]), "FILE_OF_TRADES"),
        (b"a,b\n".to_vec(), "FILE_UNKNOWN"),
        (Vec::new(), "FILE_EMPTY"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
    ] {
        let status = product.report(Some("token"), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
    }
    let status = product.report(Some("token"), &vec![b'\n'; (32 << 20) + 1]).await.unwrap_err();
    assert_eq!(reason(&status), "FILE_TOO_LARGE");
}

#[tokio::test]
async fn a_child_that_says_what_no_report_can_be_is_not_believed() {
    // What a child writes where trades are wanted, and nothing at all.
    for text in [format!("exec {CHILD} parse-file"), "exit 0".to_owned(), "echo rubbish".to_owned()] {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { child: script(dir.path(), &text), ..Settings::default() };
        let product = Product::with(settings, Log::default());
        for file in [xlsx(&[tradebook()]), b"Dear customer,\n".repeat(1_000)] {
            let status = product.report(Some("token"), &file).await.unwrap_err();
            assert!(["FILE_UNREADABLE", "FILE_UNKNOWN"].contains(&reason(&status).as_str()), "{text}: {status:?}");
        }
    }
    let report = Product::new().report(Some("token"), &xlsx(&[zerodha_fno()])).await.unwrap();
    assert_eq!(report.rows.len(), 1);
}
