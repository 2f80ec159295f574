//! Reading of profit and loss reports for a trader.

use rpc::imports::v1::{ProfitReport, ReadProfitReportRequest};
use tonic::Code;

use super::fixtures::profit_reports::{zerodha_equity, zerodha_fno};
use super::fixtures::{tax_reports, tradebook, xlsx};
use super::*;

impl ImportService {
    async fn read_report(&self, token: Option<&str>, file: &[u8]) -> Result<ProfitReport, Status> {
        let chunks: Vec<_> =
            file.chunks(CHUNK_BYTES).map(|chunk| ReadProfitReportRequest { chunk: chunk.to_vec() }).collect();
        let mut request = Request::new(tokio_stream::iter(chunks));
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        Ok(self.client.clone().read_profit_report(request).await?.into_inner().report.unwrap())
    }
}

#[tokio::test]
async fn returns_a_report_without_storing_it() {
    let service = ImportService::new();
    let report = service.read_report(Some("token"), &xlsx(&[zerodha_equity()])).await.unwrap();
    assert_eq!((report.format.as_str(), report.rows.len(), report.charges.len()), ("zerodha-equity-pnl", 2, 11));
    assert!(service.trade_log.recorded().is_empty());
    let anonymous = service.read_report(None, &xlsx(&[zerodha_equity()])).await.unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn returns_a_tax_report_without_storing_it() {
    let service = ImportService::new();
    let mut request =
        Request::new(tokio_stream::iter([ReadProfitReportRequest { chunk: xlsx(&[tax_reports::zerodha()]) }]));
    request.metadata_mut().insert("authorization", "Bearer token".parse().unwrap());
    let reply = service.client.clone().read_profit_report(request).await.unwrap().into_inner();
    let report = reply.tax_report.unwrap();
    assert_eq!((report.format.as_str(), report.lines.len()), ("zerodha-tax-pnl", 6));
    assert!(reply.report.is_none() && service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn rejects_other_files_with_their_reason() {
    let service = ImportService::new();
    for (file, code) in [
        (xlsx(&[tradebook()]), "TRADES_FILE"),
        (b"a,b\n".to_vec(), "FILE_NOT_SUPPORTED"),
        (Vec::new(), "FILE_EMPTY"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
    ] {
        let status = service.read_report(Some("token"), &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code));
    }
    let status = service.read_report(Some("token"), &vec![b'\n'; (32 << 20) + 1]).await.unwrap_err();
    assert_eq!(reason(&status), "FILE_TOO_LARGE");
}

#[tokio::test]
async fn rejects_parser_output_that_is_not_a_report() {
    // The output for trades, no output, and invalid output.
    for script_text in [format!("exec {PARSER} parse-file"), "exit 0".to_owned(), "echo rubbish".to_owned()] {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { parser_program: script(dir.path(), &script_text), ..Settings::default() };
        let service = ImportService::with(settings, FakeTradeLog::default());
        for file in [xlsx(&[tradebook()]), b"Dear customer,\n".repeat(1_000)] {
            let status = service.read_report(Some("token"), &file).await.unwrap_err();
            assert!(
                ["FILE_UNREADABLE", "FILE_NOT_SUPPORTED"].contains(&reason(&status).as_str()),
                "{script_text}: {status:?}"
            );
        }
    }
    let report = ImportService::new().read_report(Some("token"), &xlsx(&[zerodha_fno()])).await.unwrap();
    assert_eq!(report.rows.len(), 1);
}
