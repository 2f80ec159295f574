//! Contract notes of imports.

use sqlx::PgPool;
use tonic::Code;
use uuid::Uuid;

use super::*;

/// Returns a note as an import sends it, without its book.
pub(super) fn note(number: &str, date: &str, brokerage: &str) -> wire::ContractNote {
    let amount = |text: &str| text.to_owned();
    wire::ContractNote {
        book: None,
        number: number.to_owned(),
        date: date.to_owned(),
        turnover: amount("29200.5"),
        brokerage: amount(brokerage),
        stt: amount("4"),
        exchange: amount("0.87"),
        sebi: amount("0.03"),
        ipft: amount("0"),
        stamp_duty: amount("-1"),
        gst: amount("1.74"),
        from_tradebook: false,
    }
}

fn end(trades: i64, notes: &[wire::ContractNote]) -> wire::ImportEnd {
    wire::ImportEnd { trades, issues: None, notes: notes.to_vec() }
}

pub(super) async fn import_notes(
    client: &mut Client,
    book: wire::Book,
    fills: &[wire::ImportedTrade],
    notes: &[wire::ContractNote],
) -> Result<wire::ImportTradesResponse, Status> {
    let end = import_part::Part::End(end(i64::try_from(fills.len()).unwrap(), notes));
    send_import(client, vec![import_head(book), import_batch(fills.to_vec()), end]).await
}

async fn list_notes(client: &mut Client) -> Vec<wire::ContractNote> {
    client.list_contract_notes(wire::ListContractNotesRequest {}).await.unwrap().into_inner().notes
}

async fn version(client: &mut Client) -> i64 {
    list(client, None).await.0.broker_accounts_version
}

fn in_book(book: wire::Book, note: wire::ContractNote) -> wire::ContractNote {
    wire::ContractNote { book: Some(book), ..note }
}

async fn undo(client: &mut Client, change_id: i64) {
    undo_with(client, change_id, 0).await;
}

/// Undoes a change and the newer ones.
async fn undo_with(client: &mut Client, change_id: i64, expected_newer_changes: i64) {
    let request = wire::UndoChangeRequest { change_id, expected_newer_changes };
    client.undo_change(request).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn notes_of_an_import_are_listed_and_undone_with_it(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let notes = [note("CN-1", "2026-03-30", "8.76"), note("CN-2", "2026-03-31", "0.01")];
    let imported = import_notes(&mut client, ZERODHA_EQUITY, &fills(0..3), &notes).await.unwrap();
    let [first, second] = notes.map(|note| in_book(ZERODHA_EQUITY, note));
    assert_eq!(list_notes(&mut client).await, [second, first]);
    assert_eq!(version(&mut client).await, 1);
    assert_eq!(list_notes(&mut client_as(&pool, Uuid::from_u128(2))).await, []);
    undo(&mut client, imported.change_id).await;
    assert_eq!(list_notes(&mut client).await, []);
    assert_eq!(version(&mut client).await, 2);
}

#[sqlx::test(migrations = "../../migrations")]
async fn notes_are_stored_even_if_the_log_has_all_trades_and_once_only(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    import(&mut client, ZERODHA_EQUITY, &fills(0..3)).await;
    let notes = [note("CN-1", "2026-03-30", "8.76")];
    for _ in 0..2 {
        let imported = import_notes(&mut client, ZERODHA_EQUITY, &fills(0..3), &notes).await.unwrap();
        assert_eq!(imported.added, 0);
        assert_eq!((list_notes(&mut client).await.len(), version(&mut client).await), (1, 1));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_last_version_of_a_note_counts_until_it_is_undone(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let versions = ["8.76", "9.5", "8.76"].map(|brokerage| note("CN-1", "2026-03-30", brokerage));
    let mut last_change = 0;
    for version in &versions {
        let imported = import_notes(&mut client, ZERODHA_EQUITY, &fills(0..3), std::slice::from_ref(version)).await;
        last_change = imported.unwrap().change_id;
        assert_eq!(list_notes(&mut client).await, [in_book(ZERODHA_EQUITY, version.clone())]);
    }
    undo(&mut client, last_change).await;
    assert_eq!(list_notes(&mut client).await[0].brokerage, "9.5");
}

/// Returns the charges of a day that a tradebook states, without its book.
fn tradebook_day(turnover: &str, brokerage: &str) -> wire::ContractNote {
    let turnover = turnover.to_owned();
    wire::ContractNote { turnover, from_tradebook: true, ..note("", "2026-03-30", brokerage) }
}

#[sqlx::test(migrations = "../../migrations")]
async fn each_version_of_a_day_of_a_tradebook_is_stored_once_and_undone(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let [half, whole, of_note] =
        [tradebook_day("14600", "4"), tradebook_day("29200.5", "8.76"), note("CN-1", "2026-03-30", "8.75")];
    let mut changes = Vec::new();
    for note in [&of_note, &half, &whole, &half, &whole] {
        let imported = import_notes(&mut client, ZERODHA_EQUITY, &fills(0..3), std::slice::from_ref(note)).await;
        changes.push(imported.unwrap().change_id);
    }
    let in_book = |notes: &[&wire::ContractNote]| -> Vec<_> {
        notes.iter().map(|note| in_book(ZERODHA_EQUITY, (*note).clone())).collect()
    };
    assert_eq!(list_notes(&mut client).await, in_book(&[&whole, &half, &of_note]));
    assert_eq!(version(&mut client).await, 3);
    // Of two versions with the same trades, that of the last import counts.
    let corrected = tradebook_day("29200.5", "8.5");
    for note in [&corrected, &whole] {
        import_notes(&mut client, ZERODHA_EQUITY, &fills(0..3), std::slice::from_ref(note)).await.unwrap();
        assert_eq!(list_notes(&mut client).await[0].brokerage, note.brokerage);
    }
    undo_with(&mut client, changes[2], 4).await;
    assert_eq!(list_notes(&mut client).await, in_book(&[&half, &of_note]));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_preview_brings_its_notes_with_the_commit(pool: PgPool) {
    use wire::preview_trades_request::Part;
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let import_part::Part::Head(head) = import_head(ZERODHA_EQUITY) else { unreachable!() };
    let batch = wire::ImportBatch { trades: fills(0..3) };
    let notes = [note("CN-1", "2026-03-30", "8.76")];
    let parts = [Part::Head(head), Part::Batch(batch), Part::End(end(3, &notes))];
    let messages = parts.map(|part| wire::PreviewTradesRequest { part: Some(part) });
    let preview = client.preview_trades(tokio_stream::iter(messages)).await.unwrap().into_inner().preview.unwrap();
    assert_eq!(list_notes(&mut client).await, []);
    commit(&mut client, commit_request(&preview, wire::Resolution::Unspecified)).await.unwrap().unwrap();
    assert_eq!(list_notes(&mut client).await, notes.map(|note| in_book(ZERODHA_EQUITY, note)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn invalid_notes_are_rejected_with_the_field(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let valid = note("CN-1", "2026-03-30", "8.76");
    let too_many = vec![valid.clone(); 4_001];
    let invalid = |change: fn(&mut wire::ContractNote)| {
        let mut note = valid.clone();
        change(&mut note);
        vec![note]
    };
    for notes in [
        too_many,
        invalid(|note| note.number = String::new()),
        invalid(|note| note.number = "x".repeat(41)),
        invalid(|note| note.from_tradebook = true),
        invalid(|note| note.date = "2026-02-30".to_owned()),
        invalid(|note| note.date = "1989-12-31".to_owned()),
        invalid(|note| note.gst = "1.23456".to_owned()),
        invalid(|note| note.stt = "NaN".to_owned()),
        invalid(|note| note.turnover = "100000000000".to_owned()),
    ] {
        let status = import_notes(&mut client, ZERODHA_EQUITY, &fills(0..1), &notes).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{:?}", notes[0]);
    }
    assert_eq!((list_notes(&mut client).await, list(&mut client, None).await.0.total), (Vec::new(), 0));
}
