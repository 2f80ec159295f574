//! Saved column mappings.

use rpc::column_mapping::MAX_MAPPINGS;
use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// Returns a request to save a mapping whose header begins with `first`.
pub(super) fn request(name: &str, first: &str) -> wire::SaveColumnMappingRequest {
    use wire::ColumnField::{Date, Price, Quantity, Side, Symbol};
    let columns = (0..).zip([Symbol, Side, Quantity, Price, Date]);
    let mapping = wire::ColumnMapping {
        header: [first, "B/S", "Qty", "Rate", "Day"].map(str::to_owned).to_vec(),
        broker: wire::Broker::Dhan.into(),
        segment: wire::Segment::Equity.into(),
        columns: columns.map(|(column, field)| wire::MappedColumn { column, field: field.into() }).collect(),
        exchange: wire::Exchange::Nse.into(),
        ..Default::default()
    };
    wire::SaveColumnMappingRequest { name: name.to_owned(), mapping: Some(mapping) }
}

async fn list_mappings(client: &mut Client) -> Vec<wire::SavedColumnMapping> {
    client.list_column_mappings(wire::ListColumnMappingsRequest {}).await.unwrap().into_inner().mappings
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_header_has_one_mapping_which_only_its_owner_reaches(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let mut other = client_as(&pool, Uuid::from_u128(2));
    let saved = client.save_column_mapping(request("b.csv", "Scrip")).await.unwrap().into_inner().mapping.unwrap();
    assert_eq!((&*saved.name, saved.header_digest.len()), ("b.csv", 32));
    client.save_column_mapping(request("a.csv", "Share")).await.unwrap();
    // Case and spaces of a header do not count.
    let month_first = {
        let mut request = request("", " SCRIP");
        request.mapping.as_mut().unwrap().month_first = true;
        request
    };
    client.save_column_mapping(month_first.clone()).await.unwrap();
    let listed = list_mappings(&mut client).await;
    let names: Vec<_> = listed.iter().map(|saved| saved.name.as_str()).collect();
    assert_eq!(names, ["a.csv", "table"]);
    assert_eq!((&listed[1].mapping, &listed[1].header_digest), (&month_first.mapping, &saved.header_digest));

    assert!(list_mappings(&mut other).await.is_empty());
    let delete = wire::DeleteColumnMappingRequest { header_digest: saved.header_digest.clone() };
    other.delete_column_mapping(delete.clone()).await.unwrap();
    assert_eq!(list_mappings(&mut client).await.len(), 2);
    for _ in 0..2 {
        client.delete_column_mapping(delete.clone()).await.unwrap();
    }
    assert_eq!(list_mappings(&mut client).await.len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_an_invalid_mapping_and_more_than_the_limit(pool: PgPool) {
    let mut client = client_as(&pool, Uuid::from_u128(1));
    let change = |change: &dyn Fn(&mut wire::ColumnMapping)| {
        let mut request = request("a.csv", "Scrip");
        change(request.mapping.as_mut().unwrap());
        request
    };
    for (request, field) in [
        (change(&|m| m.header.clear()), "mapping.header"),
        (change(&|m| m.header = vec!["x".repeat(100); 64]), "mapping.header"),
        (change(&|m| m.columns.clear()), "mapping.columns"),
        (change(&|m| m.columns[0].column = 9), "mapping.columns"),
        (change(&|m| m.broker = 0), "mapping.broker"),
        (change(&|m| m.broker_account = 21), "mapping.broker_account"),
        (change(&|m| m.segment = 0), "mapping.segment"),
        (change(&|m| m.exchange = 0), "mapping.exchange"),
        (change(&|m| m.quantity_in_lots = true), "mapping.lot_size"),
        (change(&|m| m.buy_labels = vec![String::new()]), "mapping.buy_labels"),
        (wire::SaveColumnMappingRequest { name: "x".repeat(151), ..change(&|_| ()) }, "name"),
    ] {
        let status = client.save_column_mapping(request).await.unwrap_err();
        let fields = invalid_fields(&status);
        assert!(fields.iter().any(|(invalid, _)| invalid == field), "{field}: {fields:?}");
    }
    for number in 0..MAX_MAPPINGS {
        client.save_column_mapping(request("a.csv", &format!("Scrip {number}"))).await.unwrap();
    }
    let status = client.save_column_mapping(request("a.csv", "One more")).await.unwrap_err();
    assert_eq!((field_of(&status), list_mappings(&mut client).await.len()), ("mapping".to_owned(), MAX_MAPPINGS));
    // The same header replaces its mapping.
    client.save_column_mapping(request("b.csv", "Scrip 0")).await.unwrap();
    let delete = wire::DeleteColumnMappingRequest { header_digest: vec![0; 31] };
    assert_eq!(field_of(&client.delete_column_mapping(delete).await.unwrap_err()), "header_digest");
}
