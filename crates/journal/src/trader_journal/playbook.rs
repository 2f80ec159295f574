//! Playbooks and templates.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Maximum number of playbooks of an account.
pub(crate) const MAX_PLAYBOOKS: i64 = 100;
/// Maximum number of rules of a playbook.
pub(crate) const MAX_RULES: usize = 30;
pub(crate) const MAX_RULE_CHARS: usize = 200;
/// Maximum number of templates of an account.
pub(crate) const MAX_TEMPLATES: i64 = 50;
/// Maximum length of a playbook's description, and of each text of a template.
pub(crate) const MAX_TEXT_CHARS: usize = 5_000;

/// Rule of a checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Number within the account, never used again; 0 for a new rule.
    pub id: i64,
    /// Sentence of the trader.
    pub text: String,
}

/// Setup with a checklist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playbook {
    /// Number within the account; 0 for a new one.
    pub playbook_id: i64,
    /// Name of the setup.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// Checklist.
    pub rules: Vec<Rule>,
    /// Number of the edit, from 1.
    pub version: i64,
    /// Time of creation.
    pub created_at: OffsetDateTime,
}

/// Texts to begin the plan and the review of a day with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Number within the account; 0 for a new one.
    pub template_id: i64,
    /// Name, unique in any case.
    pub name: String,
    /// Markdown.
    pub plan: String,
    /// Markdown.
    pub note: String,
    /// Number of the edit, from 1.
    pub version: i64,
}
