//! Stated charges of contract notes and tradebooks that were imported.
//!
//! The last imported version of a contract note counts. A file that was downloaded during the day has only a part of the
//! day, so all versions of a day of a tradebook are kept: the one with the trades of the log counts.

use prost::Message as _;
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use uuid::Uuid;

use super::columns::parse_book;
use super::connections::Store;
use super::write::AccountWrite;
use crate::contract_note::{BookNote, ContractNote, parse_notes};
use crate::error::Error;
use crate::trade::Book;

/// Maximum number of contract notes of an account.
const MAX_NOTES: i64 = 20_000;

impl Store {
    /// Returns the last version of each contract note, and all versions of the days of tradebooks, newest first.
    pub async fn list_contract_notes(&self, account_id: Uuid) -> Result<Vec<BookNote>, Error> {
        let rows = sqlx::query!(
            "
            select distinct on (
                       day, broker_account, segment, note_number, case when from_tradebook then change_id end
                   )
                   broker_account, segment, day, note_number, turnover, brokerage, stt, exchange_charges, sebi, ipft,
                   stamp_duty, gst, from_tradebook
            from trades.contract_note
            where account_id = $1
            order by day desc, broker_account, segment, note_number,
                     case when from_tradebook then change_id end desc, change_id desc
            limit $2
            ",
            account_id,
            MAX_NOTES,
        )
        .fetch_all(self.requests())
        .await?;
        let notes = rows.into_iter().map(|row| {
            Ok(BookNote {
                book: parse_book(&row.broker_account, &row.segment)?,
                note: ContractNote {
                    number: row.note_number,
                    day: row.day,
                    turnover: row.turnover.normalize(),
                    brokerage: row.brokerage.normalize(),
                    stt: row.stt.normalize(),
                    exchange: row.exchange_charges.normalize(),
                    sebi: row.sebi.normalize(),
                    ipft: row.ipft.normalize(),
                    stamp_duty: row.stamp_duty.normalize(),
                    gst: row.gst.normalize(),
                    from_tradebook: row.from_tradebook,
                },
            })
        });
        notes.collect()
    }
}

impl AccountWrite {
    /// Stores the notes of an import with the number of its change, except those whose last version is the same; of a day
    /// of a tradebook, the last one with its turnover.
    pub(super) async fn save_contract_notes(&mut self, book: Book, notes: &[ContractNote]) -> Result<(), Error> {
        if notes.is_empty() {
            return Ok(());
        }
        let (account_id, change_id) = (self.account_id, self.next_change_id);
        let column = |amount: fn(&ContractNote) -> rust_decimal::Decimal| notes.iter().map(amount).collect::<Vec<_>>();
        let inserted = sqlx::query!(
            "
            insert into trades.contract_note (
                account_id, broker_account, segment, change_id, day, note_number, turnover, brokerage, stt,
                exchange_charges, sebi, ipft, stamp_duty, gst, from_tradebook
            )
            select $1, $2, $3, $4, n.*
            from unnest(
                $5::date[], $6::text[], $7::numeric[], $8::numeric[], $9::numeric[], $10::numeric[], $11::numeric[],
                $12::numeric[], $13::numeric[], $14::numeric[], $15::boolean[]
            ) as n (
                day, note_number, turnover, brokerage, stt, exchange_charges, sebi, ipft, stamp_duty, gst, from_tradebook
            )
            left join lateral (
                select c.turnover, c.brokerage, c.stt, c.exchange_charges, c.sebi, c.ipft, c.stamp_duty, c.gst
                from trades.contract_note c
                where c.account_id = $1 and c.broker_account = $2 and c.segment = $3 and c.day = n.day
                  and c.note_number = n.note_number
                  and (not n.from_tradebook or c.turnover = n.turnover)
                order by c.change_id desc
                limit 1
            ) last on true
            where (last.turnover, last.brokerage, last.stt, last.exchange_charges, last.sebi, last.ipft,
                   last.stamp_duty, last.gst)
                  is distinct from (n.turnover, n.brokerage, n.stt, n.exchange_charges, n.sebi, n.ipft, n.stamp_duty, n.gst)
            on conflict do nothing
            ",
            account_id,
            &book.broker_account.key(),
            book.segment.name(),
            change_id,
            &notes.iter().map(|note| note.day).collect::<Vec<_>>(),
            &notes.iter().map(|note| note.number.clone()).collect::<Vec<_>>(),
            &column(|note| note.turnover),
            &column(|note| note.brokerage),
            &column(|note| note.stt),
            &column(|note| note.exchange),
            &column(|note| note.sebi),
            &column(|note| note.ipft),
            &column(|note| note.stamp_duty),
            &column(|note| note.gst),
            &notes.iter().map(|note| note.from_tradebook).collect::<Vec<_>>(),
        )
        .execute(self.connection())
        .await?;
        if inserted.rows_affected() == 0 {
            return Ok(());
        }
        let count = sqlx::query_scalar!(
            r#"select count(*) as "count!" from trades.contract_note where account_id = $1"#,
            account_id
        )
        .fetch_one(self.connection())
        .await?;
        if count > MAX_NOTES {
            return Err(Violation::new("end.notes", "TOO_MANY").with("max", MAX_NOTES).into());
        }
        self.increase_broker_accounts_version().await
    }

    /// Deletes the notes that these changes brought.
    pub(super) async fn delete_contract_notes(&mut self, changes: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        let deleted = sqlx::query!(
            "delete from trades.contract_note where account_id = $1 and change_id = any($2)",
            account_id,
            changes
        )
        .execute(self.connection())
        .await?;
        if deleted.rows_affected() > 0 { self.increase_broker_accounts_version().await } else { Ok(()) }
    }
}

/// Encodes notes for the row of a preview, if there are any.
pub(super) fn encode_notes(notes: &[ContractNote]) -> Option<Vec<u8>> {
    if notes.is_empty() {
        return None;
    }
    let notes = notes.iter().map(|note| note.to_wire(wire::Book::default())).collect();
    Some(wire::ImportEnd { notes, ..wire::ImportEnd::default() }.encode_to_vec())
}

/// Decodes the notes of a preview.
pub(super) fn decode_notes(encoded: Option<&[u8]>) -> Result<Vec<ContractNote>, Error> {
    let end =
        wire::ImportEnd::decode(encoded.unwrap_or_default()).map_err(|error| sqlx::Error::Decode(error.into()))?;
    parse_notes(&end.notes)
}
