//! Stop losses.

use sqlx::PgPool;
use uuid::Uuid;

use super::edit::get;
use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn a_stop_loss_is_validated_and_survives_imports_and_corrections(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let stop_loss_of = |trade: &wire::Trade| trade.notes.clone().unwrap_or_default().stop_loss;
    let with_stop_loss = |new: wire::NewTrade, stop_loss: &str| {
        let notes = wire::Notes { stop_loss: stop_loss.to_owned(), ..wire::Notes::default() };
        wire::NewTrade { notes: Some(notes), ..new }
    };
    // Bought at 3.5, and sold at 2.5.
    let (bought, sold) = (manual_trade(2), manual_trade(1));
    let id = add(&mut client, GROWW_EQUITY, with_stop_loss(bought.clone(), "3.4500")).await.trade.unwrap().id;
    assert_eq!(stop_loss_of(&get(&mut client, id).await.unwrap()), "3.45");
    let trade = add(&mut client, GROWW_EQUITY, with_stop_loss(sold.clone(), "2.75")).await.trade.unwrap();
    assert_eq!(stop_loss_of(&trade), "2.75");
    for (new, stop_loss, reason) in [
        (&bought, "3.5", "STOP_LOSS_WRONG_SIDE"),
        (&sold, "2.5", "STOP_LOSS_WRONG_SIDE"),
        (&bought, "0", "STOP_LOSS_OUT_OF_RANGE"),
        (&bought, "3.00005", "STOP_LOSS_TOO_PRECISE"),
        (&bought, "three", "STOP_LOSS_NOT_A_NUMBER"),
    ] {
        let new = with_stop_loss(new.clone(), stop_loss);
        let status = add_with_key(&mut client, GROWW_EQUITY, new, "").await.unwrap_err();
        assert_eq!(invalid_fields(&status), [("trade.notes.stop_loss".to_owned(), reason.to_owned())]);
    }

    // An imported trade can have a stop loss, and keeps it when the broker corrects the trade.
    import(&mut client, ZERODHA_EQUITY, &fills(4..5)).await;
    let imported = list(&mut client, None).await.1.into_iter().find(|trade| trade.imported).unwrap();
    assert_eq!((imported.price.as_str(), imported.side()), ("5.05", wire::Side::Buy));
    let no_fields = || wire::Trade { id: imported.id, ..wire::Trade::default() };
    let set_stop_loss = |stop_loss: &str| {
        let notes = Some(wire::Notes { stop_loss: stop_loss.to_owned(), ..wire::Notes::default() });
        update_request(wire::Trade { notes, ..no_fields() }, &["notes.stop_loss"])
    };
    let edited = client.update_trade(set_stop_loss("4.9")).await.unwrap().into_inner();
    assert_eq!((stop_loss_of(edited.trade.as_ref().unwrap()).as_str(), edited.trade.unwrap().edited), ("4.9", false));
    let mut corrected = fill(4);
    corrected.price = "4.8".to_owned();
    let preview = preview(&mut client, ZERODHA_EQUITY, &[corrected]).await;
    assert_eq!(preview.conflict_count, 1);
    let replace = commit_request(&preview, wire::Resolution::Replace);
    let committed = commit(&mut client, replace).await.unwrap().unwrap().result.unwrap();
    let now = get(&mut client, imported.id).await.unwrap();
    assert_eq!((now.price.as_str(), stop_loss_of(&now).as_str()), ("4.8", "4.9"));
    // The stop loss is now above the price, which does not prevent other edits.
    let notes = Some(wire::Notes { notes: "Hm.".to_owned(), ..wire::Notes::default() });
    update(&mut client, wire::Trade { notes, ..no_fields() }, &["notes.notes"]).await.unwrap();
    for (stop_loss, reason) in [("4.85", "STOP_LOSS_WRONG_SIDE"), ("0", "STOP_LOSS_OUT_OF_RANGE")] {
        let status = client.update_trade(set_stop_loss(stop_loss)).await.unwrap_err();
        assert_eq!(invalid_fields(&status), [("trade.notes.stop_loss".to_owned(), reason.to_owned())]);
    }
    let higher_price = wire::Trade { price: "4.7".to_owned(), ..no_fields() };
    let status = update(&mut client, higher_price, &["price"]).await.unwrap_err();
    assert_eq!(invalid_fields(&status)[0].0, "trade.price");
    client.update_trade(set_stop_loss("")).await.unwrap();
    assert_eq!(stop_loss_of(&get(&mut client, imported.id).await.unwrap()), "");
    // Undoing the correction and the later edits restores the earlier values.
    undo(&mut client, committed.change_id, 2).await.unwrap();
    let back = get(&mut client, imported.id).await.unwrap();
    assert_eq!((back.price.as_str(), stop_loss_of(&back).as_str()), ("5.05", "4.9"));
}
