//! Spreading the tables over the nodes of a Citus cluster: `tradebahi migrate --distribute`.

use anyhow::{Context as _, ensure};
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Executor as _};

/// Where the rows of a table live on a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the node of their account, beside everything else of it.
    Account,
    /// On the node of their journal, which may have no account.
    Journal,
    /// On the node that this column leads to: what one looks up by it.
    Own(&'static str),
    /// On every node: few, and asked for by all.
    Everywhere,
    /// On the coordinator, for this reason.
    Coordinator(&'static str),
}

const QUEUE: &str = "whoever writes letters takes the ones that are due, whosesoever they are";
const CLOCK: &str = "a statement that counts by the clock of the database cannot be sent to a node";
const CAREERS: &str = "few beside trades, and the company searches all of them";

/// Every table, and where it lives. What is unique in a table names the column that leads to the node.
pub const TABLES: &[(&str, Place)] = &[
    ("auth.account", Place::Account),
    ("auth.sign_in", Place::Account),
    ("auth.known_device", Place::Account),
    ("auth.login", Place::Own("login")),
    ("auth.client_id", Place::Own("client_id")),
    ("auth.refresh_token", Place::Own("token_hash")),
    ("auth.ticket", Place::Own("ticket_hash")),
    ("auth.used_token", Place::Own("token_id")),
    ("auth.google_identity", Place::Own("subject")),
    ("auth.ended_sign_in", Place::Everywhere),
    ("auth.signing_key", Place::Everywhere),
    ("auth.letter", Place::Coordinator(QUEUE)),
    ("auth.failed_login", Place::Coordinator(CLOCK)),
    ("auth.service_token", Place::Coordinator(CLOCK)),
    ("trades.account", Place::Account),
    ("trades.account_journal", Place::Account),
    ("trades.answered_request", Place::Account),
    ("trades.book", Place::Account),
    ("trades.broker_trade", Place::Account),
    ("trades.change", Place::Account),
    ("trades.deleted_source", Place::Account),
    ("trades.import", Place::Account),
    ("trades.kept_trade", Place::Account),
    ("trades.preview", Place::Account),
    ("trades.preview_trade", Place::Account),
    ("trades.symbol", Place::Account),
    ("trades.trade", Place::Account),
    ("trades.journal", Place::Journal),
    ("trades.journal_entry", Place::Journal),
    ("trades.journal_tally", Place::Journal),
    ("analytics.account", Place::Account),
    ("analytics.adjustment", Place::Account),
    ("careers.access_record", Place::Coordinator(CAREERS)),
    ("careers.answered_request", Place::Coordinator(CAREERS)),
    ("careers.application", Place::Coordinator(CAREERS)),
    ("careers.application_key", Place::Coordinator(CAREERS)),
    ("careers.day", Place::Coordinator(CAREERS)),
    ("careers.letter", Place::Coordinator(CAREERS)),
];

impl Place {
    /// The column that says on which node a row lives.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Self::Account => Some("account_id"),
            Self::Journal => Some("journal_id"),
            Self::Own(column) => Some(column),
            Self::Everywhere | Self::Coordinator(_) => None,
        }
    }

    /// The first table whose rows live as these do; a table by its own key stands alone.
    fn first(self) -> Option<&'static str> {
        let alike = |(_, place): &&(&str, Self)| *place == self && !matches!(place, Self::Own(_));
        TABLES.iter().find(alike).map(|(table, _)| *table)
    }

    fn is_that_of(self, table_type: &str, column: &str) -> bool {
        match self.key() {
            Some(key) => table_type == "distributed" && column == key,
            None => table_type == "reference" && self == Self::Everywhere,
        }
    }
}

/// Whether the database has the extension.
pub async fn is_cluster(connection: &mut PgConnection) -> anyhow::Result<bool> {
    let found = sqlx::query_scalar("select to_regproc('create_distributed_table') is not null");
    Ok(found.fetch_one(connection).await?)
}

/// Spreads every table that is not spread yet, with its rows, and says what became of each.
///
/// # Errors
/// When a table is spread otherwise than it should be, or the database fails. Tables before it stay spread; asked
/// again, it goes on from there.
pub async fn distribute(connection: &mut PgConnection) -> anyhow::Result<()> {
    for (table, place) in TABLES {
        let done = spread(connection, table, *place).await.with_context(|| format!("{table} is not distributed"))?;
        println!("{table}: {done}");
    }
    Ok(())
}

async fn spread(connection: &mut PgConnection, table: &str, place: Place) -> anyhow::Result<String> {
    let now = sqlx::query_as::<_, (String, String)>(
        "select citus_table_type::text, distribution_column::text from citus_tables
         where table_name = $1::text::regclass",
    );
    let now = now.bind(table).fetch_optional(&mut *connection).await?;
    if let Some((table_type, column)) = now {
        ensure!(place.is_that_of(&table_type, &column), "it is {table_type} by {column} already");
        return Ok("as it was".to_owned());
    }
    let mut transaction = connection.begin().await?;
    let (done, create) = match (place, place.key()) {
        (Place::Coordinator(reason), _) => return Ok(format!("on the coordinator: {reason}")),
        (_, Some(key)) => {
            let beside = place.first().filter(|first| *first != table).unwrap_or("none");
            let create = sqlx::query("select create_distributed_table($1::text::regclass, $2, colocate_with => $3)");
            (format!("distributed by {key}"), create.bind(table).bind(key).bind(beside))
        }
        (_, None) => {
            ("on every node".to_owned(), sqlx::query("select create_reference_table($1::text::regclass)").bind(table))
        }
    };
    transaction.execute(create).await?;
    // The rows were copied to the nodes. What is left of them here nobody would see, and nobody erase.
    let truncate = sqlx::query("select truncate_local_data_after_distributing_table($1::text::regclass)");
    transaction.execute(truncate.bind(table)).await?;
    transaction.commit().await?;
    Ok(done)
}
