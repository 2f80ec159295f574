//! Postgres client for the tests: one query per connection.

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

/// Returns the first column of the result of `query` as text, or the error message.
pub fn query(url: &str, sql: &str) -> Result<Vec<String>, String> {
    run_query(url, sql).map_err(|error| error.to_string())
}

/// Returns the percent-decoded component of `url` that follows `prefix`.
pub fn url_component(url: &str, prefix: &str) -> String {
    let component = url.split_once(prefix).unwrap().1;
    let component = component.split('?').next().unwrap();
    let mut segments = component.split('%');
    let mut bytes = segments.next().unwrap().as_bytes().to_vec();
    for segment in segments {
        bytes.push(u8::from_str_radix(&segment[..2], 16).unwrap());
        bytes.extend_from_slice(&segment.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::main(flavor = "current_thread")]
async fn run_query(url: &str, sql: &str) -> sqlx::Result<Vec<String>> {
    let mut connection = PgConnection::connect(url).await?;
    // Raw SQL uses the protocol whose values are text.
    let rows = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_all(&mut connection).await?;
    connection.close().await?;
    rows.iter().map(|row: &PgRow| row.try_get_unchecked(0)).collect()
}
