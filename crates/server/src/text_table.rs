//! Tables of terminal commands.

use time::OffsetDateTime;
use time::macros::offset;

/// Maximum number of rows printed per table; `--json` prints more.
const MAX_TABLE_ROWS: usize = 50;

/// Appends a table, unless it has no rows. `total` counts the rows that exist.
pub(crate) fn append_table<const N: usize>(
    out: &mut String,
    title: &str,
    headings: &[&str; N],
    rows: &[[String; N]],
    total: i64,
) {
    let shown = rows.get(..MAX_TABLE_ROWS).unwrap_or(rows);
    append_all_rows(out, title, headings, shown);
    let more = total - i64::try_from(shown.len()).unwrap_or(i64::MAX);
    if more > 0 && !rows.is_empty() {
        *out += &format!("  … and {more} more\n");
    }
}

/// Appends a table with all rows, unless it has none.
pub(crate) fn append_all_rows<const N: usize>(
    out: &mut String,
    title: &str,
    headings: &[&str; N],
    rows: &[[String; N]],
) {
    if rows.is_empty() {
        return;
    }
    let cells = || std::iter::once(headings.map(str::to_owned)).chain(rows.iter().cloned());
    let mut widths = [0; N];
    for line in cells() {
        for (width, cell) in widths.iter_mut().zip(&line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    *out += &format!("\n{title}\n");
    for line in cells() {
        let mut text = String::from(" ");
        for (cell, width) in line.iter().zip(widths) {
            // Removes control characters, which a file could use as terminal commands.
            let plain: String = cell.chars().filter(|c| !c.is_control()).collect();
            text += &format!(" {plain:<width$} ");
        }
        *out += text.trim_end();
        out.push('\n');
    }
}

/// Returns a time in seconds since 1970 as a time in India; `None` before the year -9999 or after 9999.
pub(crate) fn in_india(seconds: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(seconds).ok()?.checked_to_offset(offset!(+5:30))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn converts_no_time_that_is_after_the_year_9999_in_india() {
        let last = datetime!(9999-12-31 23:59:59 +5:30);
        let seconds = last.unix_timestamp();
        assert_eq!(in_india(seconds), Some(last));
        assert_eq!(in_india(0), Some(datetime!(1970-01-01 5:30 +5:30)));
        for out_of_range in [seconds + 1, datetime!(9999-12-31 23:00 UTC).unix_timestamp(), i64::MAX, i64::MIN] {
            assert_eq!(in_india(out_of_range), None, "{out_of_range}");
        }
    }
}
