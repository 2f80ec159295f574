//! Deletion of the data of an account.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn deleting_an_account_deletes_all_its_rows_and_no_others(pool: PgPool) {
    let mut other_rows = Vec::new();
    for account in [1, 2] {
        let mut client = client_as(&pool, Uuid::from_u128(account));
        import(&mut client, ZERODHA_EQUITY, &fills(0..5)).await;
        add_with_key(&mut client, ZERODHA_EQUITY, manual_trade(0), "k").await.unwrap();
        let trades = list(&mut client, None).await.1;
        edit(&mut client, trades[1].id, manual_trade(3)).await.unwrap();
        delete(&mut client, trades[2].id, false).await.unwrap();
        let brokerage = vec![wire::BrokeragePrice {
            kind: wire::BrokerageKind::Options.into(),
            flat: "15".to_owned(),
            ..Default::default()
        }];
        let settings = Some(wire::BrokerAccountSettings { brokerage, ..Default::default() });
        let named =
            wire::SaveBrokerAccountRequest { broker: wire::Broker::Groww.into(), settings, ..Default::default() };
        client.save_broker_account(named).await.unwrap();
        client.save_column_mapping(column_mappings::request("orders.csv", "Scrip")).await.unwrap();
        preview(&mut client, ZERODHA_EQUITY, &fills(0..2)).await;
        let note = contract_notes::note("CN-1", "2026-03-30", "8.76");
        contract_notes::import_notes(&mut client, ZERODHA_EQUITY, &[], &[note]).await.unwrap();
        client.import_ledger(ledgers::ledger(0..=2)).await.unwrap();
        sqlx::query(
            "insert into trades.brokerage_price (account_id, broker_account, kind, first_day, flat)
             values ($1, 'groww', 'options', '2026-01-01', 15)",
        )
        .bind(Uuid::from_u128(account))
        .execute(&pool)
        .await
        .unwrap();
    }
    let tables = sqlx::query_scalar::<_, String>(
        "select table_name::text from information_schema.columns
         where table_schema = 'trades' and column_name = 'account_id'",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let count = async |table: &str, account: u128| {
        let query = format!("select count(*) from trades.{table} where account_id = $1");
        sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(query))
            .bind(Uuid::from_u128(account))
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    for table in &tables {
        other_rows.push(count(table, 2).await);
        assert!(count(table, 1).await > 0, "{table} has no row of the account");
    }
    crate::delete_account(&pool, Uuid::from_u128(1)).await.unwrap();
    for (table, other_rows) in tables.iter().zip(other_rows) {
        assert_eq!((count(table, 1).await, count(table, 2).await), (0, other_rows), "{table}");
    }
}
