//! Openings, one file each in `openings/`. To add an opening, add its file. To close one, let its last date pass or
//! remove the file.

use serde::Deserialize;
use time::{Date, OffsetDateTime};

include!(concat!(env!("OUT_DIR"), "/openings.rs"));

time::serde::format_description!(iso_date, Date, "[year]-[month]-[day]");

/// Job opening.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Position in the list of openings.
    pub order: u32,
    /// Opening code in URLs, such as `FE101`.
    pub id: String,
    /// Job title.
    pub title: String,
    /// Department of the company.
    pub department: String,
    /// Three main skills.
    pub skills: Vec<String>,
    /// City and state, such as `Bengaluru, Karnataka`.
    pub location: String,
    /// Place of work.
    pub work_mode: WorkMode,
    /// Duration, such as `6 months`.
    pub duration: String,
    /// Stipend as text.
    pub stipend: String,
    /// Stipend as numbers, for search engines.
    pub salary: Salary,
    /// Number of seats.
    pub seats: i32,
    /// Publication date.
    #[serde(with = "iso_date")]
    pub posted_on: Date,
    /// Last day, in India, on which applications are accepted.
    #[serde(with = "iso_date")]
    pub last_date: Date,
    /// Description of the company for this job.
    pub about_us: String,
    /// Expected experience.
    pub experience: String,
    /// Technologies that the team uses.
    pub tech_stack: Vec<String>,
    /// Required skills as sentences; the page shows the first four.
    pub technical_skills: Vec<String>,
    /// Responsibilities, grouped by topic.
    pub responsibilities: Vec<Responsibilities>,
    /// Perks and benefits in addition to the stipend.
    pub perks_and_benefits: Vec<String>,
}

/// Place of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum WorkMode {
    Onsite,
    Hybrid,
    Remote,
}

impl WorkMode {
    /// Returns the name used in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Onsite => "onsite",
            Self::Hybrid => "hybrid",
            Self::Remote => "remote",
        }
    }
}

/// Salary range in rupees per month.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Salary {
    /// Minimum.
    pub min: u32,
    /// Maximum.
    pub max: u32,
}

/// Responsibilities under one heading.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Responsibilities {
    /// Topic of the items.
    pub heading: String,
    /// Items, each a sentence.
    pub items: Vec<String>,
}

impl Opening {
    /// Returns true if applications are accepted on the day `today`.
    pub fn is_open(&self, today: Date) -> bool {
        today <= self.last_date
    }
}

/// Parses all opening files; returns them in the order in which the site shows them.
///
/// # Errors
/// If a file is invalid. A test parses all of them.
pub fn load_openings() -> Result<Vec<Opening>, serde_json::Error> {
    let mut openings: Vec<Opening> = FILES.iter().map(|file| serde_json::from_str(file)).collect::<Result<_, _>>()?;
    openings.sort_by_key(|opening| opening.order);
    Ok(openings)
}

/// Returns today's date in India.
pub(crate) fn today() -> Date {
    OffsetDateTime::now_utc().to_offset(time::macros::offset!(+5:30)).date()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// [3J-01] [3D-01] [3D-02] [3D-03]
    #[test]
    fn every_file_is_a_complete_opening_with_a_unique_code() {
        let openings = load_openings().unwrap();
        let ids: Vec<&str> = openings.iter().map(|opening| opening.id.as_str()).collect();
        assert_eq!(ids, ["FE101", "BE101", "AD101", "FS101", "CW101", "MK101", "AI101", "GD101"]);
        let orders: BTreeSet<u32> = openings.iter().map(|opening| opening.order).collect();
        assert_eq!(orders.len(), ids.len());
        for opening in &openings {
            let id = &opening.id;
            assert_eq!(opening.skills.len(), 3, "{id}");
            assert!(opening.technical_skills.len() >= 6, "{id}");
            assert!(opening.tech_stack.len() >= 4 && opening.perks_and_benefits.len() >= 4, "{id}");
            assert!(opening.responsibilities.len() >= 2, "{id}");
            assert!(opening.responsibilities.iter().all(|group| group.items.len() >= 2), "{id}");
            assert!(opening.posted_on < opening.last_date && opening.seats > 0, "{id}");
            assert!(0 < opening.salary.min && opening.salary.min <= opening.salary.max, "{id}");
            assert!(opening.about_us.len() > 200 && opening.experience.len() > 40, "{id}");
        }
    }

    #[test]
    fn an_opening_is_open_until_the_end_of_its_last_date() {
        let opening = load_openings().unwrap().remove(0);
        assert!(opening.is_open(opening.last_date));
        assert!(!opening.is_open(opening.last_date.next_day().unwrap()));
    }
}
