//! JSON of openings and job descriptions.

use rpc::careers::v1 as wire;
use serde::{Serialize, Serializer};

/// Summary of an opening.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpeningJson {
    id: String,
    title: String,
    department: String,
    skills: Vec<String>,
    location: String,
    duration: String,
    stipend: String,
    posted_on: String,
    last_date: String,
}

impl From<wire::Opening> for OpeningJson {
    fn from(opening: wire::Opening) -> Self {
        let wire::Opening { id, title, department, skills, location, duration, stipend, posted_on, last_date } =
            opening;
        Self { id, title, department, skills, location, duration, stipend, posted_on, last_date }
    }
}

/// Opening with its job description. The specification of the product fixes the field names.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct JobDescriptionJson {
    title: String,
    #[serde(rename = "JobID")]
    job_id: String,
    location: String,
    duration: String,
    #[serde(rename = "Posting_Date")]
    posted_on: String,
    #[serde(rename = "Aboutus")]
    about_us: String,
    tech_stack: Vec<String>,
    experience: String,
    #[serde(rename = "KeySkillsandRequirements")]
    skills: Skills,
    key_responsibilities: Responsibilities,
    #[serde(rename = "PerksandBenefits")]
    perks_and_benefits: Vec<String>,
    department: String,
    stipend: String,
    work_mode: String,
    seats: i32,
    last_date: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Skills {
    technical: Vec<String>,
}

/// Responsibilities by heading; serialized as a JSON object in the order of the core.
struct Responsibilities(Vec<wire::Responsibilities>);

impl Serialize for Responsibilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|group| (&group.heading, &group.items)))
    }
}

impl From<wire::GetJobDescriptionResponse> for JobDescriptionJson {
    fn from(description: wire::GetJobDescriptionResponse) -> Self {
        let opening = description.opening.unwrap_or_default();
        Self {
            title: opening.title,
            job_id: opening.id,
            location: opening.location,
            duration: opening.duration,
            posted_on: opening.posted_on,
            about_us: description.about_us,
            tech_stack: description.tech_stack,
            experience: description.experience,
            skills: Skills { technical: description.technical_skills },
            key_responsibilities: Responsibilities(description.responsibilities),
            perks_and_benefits: description.perks_and_benefits,
            department: opening.department,
            stipend: opening.stipend,
            work_mode: description.work_mode,
            seats: description.seats,
            last_date: opening.last_date,
        }
    }
}
