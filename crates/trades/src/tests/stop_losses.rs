//! Where a trader means to get out at a loss.

use sqlx::PgPool;
use uuid::Uuid;

use super::entries::{get, refused_fields};
use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn a_stop_loss_is_the_traders_own_note(pool: PgPool) {
    let mut client = client_of(&pool, Uuid::from_u128(1));
    let stop = |trade: &wire::Trade| trade.notes.clone().unwrap_or_default().stop_loss;
    let with_stop = |new: wire::NewTrade, stop_loss: &str| {
        let notes = wire::Notes { stop_loss: stop_loss.to_owned(), ..wire::Notes::default() };
        wire::NewTrade { notes: Some(notes), ..new }
    };
    // Bought at 3.5, and sold at 2.5.
    let (bought, sold) = (entry(2), entry(1));
    let id = add(&mut client, GROWW_EQUITY, with_stop(bought.clone(), "3.4500")).await.trade.unwrap().id;
    assert_eq!(stop(&get(&mut client, id).await.unwrap()), "3.45");
    let trade = add(&mut client, GROWW_EQUITY, with_stop(sold.clone(), "2.75")).await.trade.unwrap();
    assert_eq!(stop(&trade), "2.75");
    for (new, stop_loss, why) in [
        (&bought, "3.5", "STOP_LOSS_WRONG_SIDE"),
        (&sold, "2.5", "STOP_LOSS_WRONG_SIDE"),
        (&bought, "0", "STOP_LOSS_OUT_OF_RANGE"),
        (&bought, "3.00005", "STOP_LOSS_TOO_PRECISE"),
        (&bought, "three", "STOP_LOSS_NOT_A_NUMBER"),
    ] {
        let new = with_stop(new.clone(), stop_loss);
        let refused = add_keyed(&mut client, GROWW_EQUITY, new, "").await.unwrap_err();
        assert_eq!(refused_fields(&refused), [("trade.stopLoss".to_owned(), why.to_owned())]);
    }

    // A file's trade takes one, and keeps it when the file comes again and when the broker corrects the trade.
    import(&mut client, ZERODHA_EQUITY, &fills(4..5)).await;
    let imported = list(&mut client, None).await.1.into_iter().find(|trade| trade.imported).unwrap();
    assert_eq!((imported.price.as_str(), imported.side()), ("5.05", wire::Side::Buy));
    let set = |stop_loss: &str| wire::EditTradeRequest {
        id: imported.id,
        stop_loss: Some(stop_loss.to_owned()),
        ..wire::EditTradeRequest::default()
    };
    let noted = client.edit_trade(set("4.9")).await.unwrap().into_inner();
    assert_eq!((stop(noted.trade.as_ref().unwrap()).as_str(), noted.trade.unwrap().edited), ("4.9", false));
    let mut corrected = fill(4);
    corrected.price = "4.8".to_owned();
    let preview = preview(&mut client, ZERODHA_EQUITY, &[corrected]).await;
    assert_eq!(preview.conflict_count, 1);
    let take = all_of(&preview, wire::Resolution::Take);
    let taken = commit(&mut client, take).await.unwrap().unwrap().result.unwrap();
    let now = get(&mut client, imported.id).await.unwrap();
    assert_eq!((now.price.as_str(), stop(&now).as_str()), ("4.8", "4.9"));
    // That it is above the price now hinders nothing that is not about it.
    let note = wire::EditTradeRequest { notes: Some("Hm.".to_owned()), stop_loss: None, ..set("") };
    client.edit_trade(note).await.unwrap();
    for (stop_loss, why) in [("4.85", "STOP_LOSS_WRONG_SIDE"), ("0", "STOP_LOSS_OUT_OF_RANGE")] {
        let refused = client.edit_trade(set(stop_loss)).await.unwrap_err();
        assert_eq!(refused_fields(&refused), [("stopLoss".to_owned(), why.to_owned())]);
    }
    let dearer = wire::EditTradeRequest { price: Some("4.7".to_owned()), stop_loss: None, ..set("") };
    assert_eq!(refused_fields(&client.edit_trade(dearer).await.unwrap_err())[0].0, "price");
    client.edit_trade(set("")).await.unwrap();
    assert_eq!(stop(&get(&mut client, imported.id).await.unwrap()), "");
    // With the changes since goes what they wrote, and what was there before comes back.
    undo(&mut client, taken.change_id, 2).await.unwrap();
    let back = get(&mut client, imported.id).await.unwrap();
    assert_eq!((back.price.as_str(), stop(&back).as_str()), ("5.05", "4.9"));
}
