//! Openings. Owns what the company looks for, one file each in `openings/`.
//!
//! Job descriptions and applications are not here yet.

use serde::Deserialize;

/// A job that one can apply for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The code in its address, such as `FE101`.
    pub id: String,
    /// What the job is called.
    pub title: String,
    /// Where in the company it is.
    pub department: String,
    /// What one should know.
    pub skills: Vec<String>,
}

/// Every opening, in the order in which the site shows them.
const FILES: [&str; 8] = [
    include_str!("../openings/FE101.json"),
    include_str!("../openings/BE101.json"),
    include_str!("../openings/AD101.json"),
    include_str!("../openings/FS101.json"),
    include_str!("../openings/CW101.json"),
    include_str!("../openings/MK101.json"),
    include_str!("../openings/AI101.json"),
    include_str!("../openings/GD101.json"),
];

/// Reads the openings.
///
/// # Errors
/// When a file is not an opening; a test reads them all.
pub fn openings() -> Result<Vec<Opening>, serde_json::Error> {
    FILES.into_iter().map(serde_json::from_str).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_is_an_opening_with_a_code_of_its_own_and_three_skills() {
        let openings = openings().unwrap();
        let codes: BTreeSet<&str> = openings.iter().map(|opening| opening.id.as_str()).collect();
        assert_eq!(codes.len(), 8);
        assert!(openings.iter().all(|opening| opening.skills.len() == 3));
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/openings")).unwrap().count();
        assert_eq!(files, openings.len(), "a file is not listed");
    }
}
