//! Openings: what the company looks for, one file each in `openings/`. To add one, add its file; to close one, let its
//! last date pass, or take the file away.

use serde::Deserialize;
use time::{Date, OffsetDateTime};

include!(concat!(env!("OUT_DIR"), "/openings.rs"));

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

/// A job that one can apply for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Its place in the list.
    pub order: u32,
    /// The code in its address, such as `FE101`.
    pub id: String,
    /// What the job is called.
    pub title: String,
    /// Where in the company it is.
    pub department: String,
    /// What one should know, in three words.
    pub skills: Vec<String>,
    /// Such as `Bengaluru, Karnataka`.
    pub location: String,
    /// Where one works.
    pub work_mode: WorkMode,
    /// Such as `6 months`.
    pub duration: String,
    /// What one is paid, in words.
    pub stipend: String,
    /// The same for search engines.
    pub salary: Salary,
    /// How many are looked for.
    pub seats: i32,
    /// Since when it is open.
    #[serde(with = "day")]
    pub posted_on: Date,
    /// The last day, in India, on which one can apply.
    #[serde(with = "day")]
    pub last_date: Date,
    /// Who we are, for this job.
    pub about_us: String,
    /// What one should have done before.
    pub experience: String,
    /// What the team works with.
    pub tech_stack: Vec<String>,
    /// What one should know, in sentences; the page shows the first four.
    pub technical_skills: Vec<String>,
    /// What one will do.
    pub responsibilities: Vec<Responsibilities>,
    /// What one gets beside the stipend.
    pub perks_and_benefits: Vec<String>,
}

/// Where one works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum WorkMode {
    Onsite,
    Hybrid,
    Remote,
}

impl WorkMode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Onsite => "onsite",
            Self::Hybrid => "hybrid",
            Self::Remote => "remote",
        }
    }
}

/// Rupees a month.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Salary {
    /// At least.
    pub min: u32,
    /// At most.
    pub max: u32,
}

/// Some things that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Responsibilities {
    /// What they are about.
    pub heading: String,
    /// Each of them.
    pub items: Vec<String>,
}

impl Opening {
    /// Whether one can apply on this day.
    pub fn is_open(&self, today: Date) -> bool {
        today <= self.last_date
    }
}

/// Every opening, in the order in which the site shows them.
///
/// # Errors
/// When a file is not an opening; a test reads them all.
pub fn openings() -> Result<Vec<Opening>, serde_json::Error> {
    let mut openings: Vec<Opening> = FILES.iter().map(|file| serde_json::from_str(file)).collect::<Result<_, _>>()?;
    openings.sort_by_key(|opening| opening.order);
    Ok(openings)
}

/// The day that it is in India.
pub(crate) fn today() -> Date {
    OffsetDateTime::now_utc().to_offset(time::macros::offset!(+5:30)).date()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// [3J-01] [3D-01] [3D-02] [3D-03]
    #[test]
    fn every_file_is_a_whole_opening_with_a_code_of_its_own() {
        let openings = openings().unwrap();
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
            assert!(opening.responsibilities.iter().all(|part| part.items.len() >= 2), "{id}");
            assert!(opening.posted_on < opening.last_date && opening.seats > 0, "{id}");
            assert!(0 < opening.salary.min && opening.salary.min <= opening.salary.max, "{id}");
            assert!(opening.about_us.len() > 200 && opening.experience.len() > 40, "{id}");
        }
    }

    #[test]
    fn an_opening_is_open_through_its_last_day() {
        let opening = openings().unwrap().remove(0);
        assert!(opening.is_open(opening.last_date));
        assert!(!opening.is_open(opening.last_date.next_day().unwrap()));
    }
}
