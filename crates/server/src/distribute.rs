//! Distribution of the tables over the nodes of a Citus cluster: `tradebahi migrate --distribute`.

use anyhow::{Context as _, ensure};
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Executor as _};

/// Placement of the rows of a table in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On the node of their account, together with its other rows.
    ByAccount,
    /// On the node of their journal, which may have no account.
    ByJournal,
    /// On the node given by this column, by which rows are looked up.
    ByColumn(&'static str),
    /// On every node: few rows that all queries need.
    EveryNode,
    /// On the coordinator, with the reason.
    Coordinator(&'static str),
}

const OUTBOX: &str = "the email sender reads due emails of all accounts";
const CLOCK: &str = "statements that use the database clock cannot be sent to a node";
const CAREERS: &str = "few rows compared with trades, and searches cover all of them";

/// Placement of every table. Unique constraints of a distributed table must contain its distribution column.
pub const TABLES: &[(&str, Placement)] = &[
    ("auth.account", Placement::ByAccount),
    ("auth.session", Placement::ByAccount),
    ("auth.known_device", Placement::ByAccount),
    ("auth.totp", Placement::ByAccount),
    ("auth.passkey", Placement::ByAccount),
    ("auth.recovery_code", Placement::ByAccount),
    ("auth.trusted_device", Placement::ByAccount),
    ("auth.tax_link", Placement::ByAccount),
    ("auth.tax_link_use", Placement::ByAccount),
    ("auth.login", Placement::ByColumn("login")),
    ("auth.client_id", Placement::ByColumn("client_id")),
    ("auth.refresh_token", Placement::ByColumn("token_hash")),
    ("auth.email_link_token", Placement::ByColumn("token_hash")),
    ("auth.second_factor_challenge", Placement::ByColumn("token_hash")),
    ("auth.used_token", Placement::ByColumn("token_id")),
    ("auth.google_identity", Placement::ByColumn("subject")),
    ("auth.ended_session", Placement::EveryNode),
    ("auth.signing_key", Placement::EveryNode),
    ("auth.outbox", Placement::Coordinator(OUTBOX)),
    ("auth.failed_login", Placement::Coordinator(CLOCK)),
    ("auth.phone_code", Placement::Coordinator(CLOCK)),
    ("auth.service_token", Placement::Coordinator(CLOCK)),
    ("trades.account", Placement::ByAccount),
    ("trades.idempotent_request", Placement::ByAccount),
    ("trades.book", Placement::ByAccount),
    ("trades.broker_account", Placement::ByAccount),
    ("trades.brokerage_price", Placement::ByAccount),
    ("trades.column_mapping", Placement::ByAccount),
    ("trades.contract_note", Placement::ByAccount),
    ("trades.ledger", Placement::ByAccount),
    ("trades.ledger_entry", Placement::ByAccount),
    ("trades.broker_trade", Placement::ByAccount),
    ("trades.change", Placement::ByAccount),
    ("trades.deleted_source_key", Placement::ByAccount),
    ("trades.import", Placement::ByAccount),
    ("trades.undo_copy", Placement::ByAccount),
    ("trades.preview", Placement::ByAccount),
    ("trades.preview_trade", Placement::ByAccount),
    ("trades.symbol", Placement::ByAccount),
    ("trades.trade", Placement::ByAccount),
    ("journal.account_journal", Placement::ByAccount),
    ("journal.account", Placement::ByAccount),
    ("journal.account_entry", Placement::ByAccount),
    ("journal.change", Placement::ByAccount),
    ("journal.playbook", Placement::ByAccount),
    ("journal.screenshot", Placement::ByAccount),
    ("journal.template", Placement::ByAccount),
    ("journal.journal", Placement::ByJournal),
    ("journal.entry", Placement::ByJournal),
    ("journal.total", Placement::ByJournal),
    ("analytics.account", Placement::ByAccount),
    ("analytics.adjustment", Placement::ByAccount),
    ("analytics.brought_forward_loss", Placement::ByAccount),
    ("analytics.tax_entry", Placement::ByAccount),
    ("analytics.confirmed_strategy", Placement::ByAccount),
    ("careers.access_log", Placement::Coordinator(CAREERS)),
    ("careers.idempotent_request", Placement::Coordinator(CAREERS)),
    ("careers.application", Placement::Coordinator(CAREERS)),
    ("careers.application_key", Placement::Coordinator(CAREERS)),
    ("careers.daily_recipient_total", Placement::Coordinator(CAREERS)),
    ("careers.daily_upload_total", Placement::Coordinator(CAREERS)),
    ("careers.email", Placement::Coordinator(CAREERS)),
    ("careers.step_history", Placement::Coordinator(CAREERS)),
];

impl Placement {
    /// Returns the distribution column, whose value determines the node of a row.
    pub fn column(self) -> Option<&'static str> {
        match self {
            Self::ByAccount => Some("account_id"),
            Self::ByJournal => Some("journal_id"),
            Self::ByColumn(column) => Some(column),
            Self::EveryNode | Self::Coordinator(_) => None,
        }
    }

    /// Returns the first table with this placement, with which the others are colocated; `None` for `ByColumn`.
    fn first_table(self) -> Option<&'static str> {
        let is_colocated =
            |(_, placement): &&(&str, Self)| *placement == self && !matches!(placement, Self::ByColumn(_));
        TABLES.iter().find(is_colocated).map(|(table, _)| *table)
    }

    /// Returns true if a table of this Citus type and distribution column has this placement.
    fn matches(self, table_type: &str, column: &str) -> bool {
        match self.column() {
            Some(expected) => table_type == "distributed" && column == expected,
            None => table_type == "reference" && self == Self::EveryNode,
        }
    }
}

/// Returns true if the database has the Citus extension.
pub async fn has_citus(connection: &mut PgConnection) -> anyhow::Result<bool> {
    let query = sqlx::query_scalar("select to_regproc('create_distributed_table') is not null");
    Ok(query.fetch_one(connection).await?)
}

/// Distributes every table that is not distributed yet, with its rows, and prints the result for each.
///
/// # Errors
/// If a table is distributed in another way, or the database fails. Tables distributed before stay so; another call
/// continues with the rest.
pub async fn distribute(connection: &mut PgConnection) -> anyhow::Result<()> {
    for (table, placement) in TABLES {
        let outcome = distribute_table(connection, table, *placement).await;
        println!("{table}: {}", outcome.with_context(|| format!("cannot distribute {table}"))?);
    }
    Ok(())
}

async fn distribute_table(connection: &mut PgConnection, table: &str, placement: Placement) -> anyhow::Result<String> {
    let current = sqlx::query_as::<_, (String, String)>(
        "select citus_table_type::text, distribution_column::text from citus_tables
         where table_name = $1::text::regclass",
    );
    let current = current.bind(table).fetch_optional(&mut *connection).await?;
    if let Some((table_type, column)) = current {
        ensure!(placement.matches(&table_type, &column), "the table is already {table_type} by {column}");
        return Ok("unchanged".to_owned());
    }
    let mut transaction = connection.begin().await?;
    let (outcome, create) = match (placement, placement.column()) {
        (Placement::Coordinator(reason), _) => return Ok(format!("on the coordinator: {reason}")),
        (_, Some(column)) => {
            let colocate_with = placement.first_table().filter(|first| *first != table).unwrap_or("none");
            let create = sqlx::query("select create_distributed_table($1::text::regclass, $2, colocate_with => $3)");
            (format!("distributed by {column}"), create.bind(table).bind(column).bind(colocate_with))
        }
        (_, None) => {
            ("on every node".to_owned(), sqlx::query("select create_reference_table($1::text::regclass)").bind(table))
        }
    };
    transaction.execute(create).await?;
    // The rows were copied to the nodes. The local copies are invisible to queries and would never be deleted.
    let truncate = sqlx::query("select truncate_local_data_after_distributing_table($1::text::regclass)");
    transaction.execute(truncate.bind(table)).await?;
    transaction.commit().await?;
    Ok(outcome)
}
