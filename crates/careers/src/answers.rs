//! Answers and consents of a candidate, validated with the same rules as the application form.

use rpc::careers::v1 as wire;
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::Date;
use url::Url;

use crate::form_choices::{self, Choice};

const MAX_NAME_CHARS: usize = 100;
/// Longest address that SMTP can carry (RFC 5321, section 4.5.3.1.3).
const MAX_EMAIL_CHARS: usize = 254;
const MAX_MOBILE_CHARS: usize = 20;
const MAX_COLLEGE_CHARS: usize = 200;
const MAX_LINKEDIN_CHARS: usize = 300;
const MAX_MOTIVATION_CHARS: usize = 5_000;
const MAX_NOTICE_VERSION_CHARS: usize = 40;
const MAX_EXPERIENCE_YEARS: Decimal = Decimal::from_parts(50, 0, 0, false, 0);

/// Valid answers of an application form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answers {
    pub(crate) name: String,
    pub(crate) email: String,
    /// Ten digits.
    pub(crate) mobile: String,
    pub(crate) college: String,
    pub(crate) degree: String,
    pub(crate) passing_year: i32,
    pub(crate) role: Option<String>,
    /// In years.
    pub(crate) experience: Decimal,
    pub(crate) linkedin: Option<String>,
    pub(crate) motivation: String,
}

impl Answers {
    /// Validates every field and returns all violations, so that a candidate can correct them at once. Their paths
    /// begin with `answers`.
    pub(crate) fn parse(answers: &wire::Answers, today: Date) -> Result<Self, Vec<Violation>> {
        let mut violations = Violations::default();
        let parsed = Self {
            name: violations.collect(parse_line("answers.name", &answers.name, MAX_NAME_CHARS)),
            email: violations.collect(parse_email("answers.email", &answers.email)),
            mobile: violations.collect(parse_mobile(&answers.mobile)),
            college: violations.collect(parse_line("answers.college", &answers.college, MAX_COLLEGE_CHARS)),
            degree: violations.collect(parse_choice("answers.degree", &answers.degree, form_choices::degrees())),
            passing_year: violations.collect(parse_passing_year(answers.passing_year, today)),
            role: non_empty(&answers.role)
                .map(|role| violations.collect(parse_choice("answers.role", role, form_choices::roles()))),
            experience: violations.collect(parse_experience(&answers.experience)),
            linkedin: non_empty(&answers.linkedin).map(|address| violations.collect(parse_linkedin(address))),
            motivation: violations.collect(parse_motivation(&answers.motivation)),
        };
        if violations.0.is_empty() { Ok(parsed) } else { Err(violations.0) }
    }

    /// Returns the answers with the fields of `changes` that an update mask names; `*` names all, and an empty mask those
    /// that are not empty (AIP-134).
    pub(crate) fn with_changes(self, changes: wire::Answers, mask: &[String]) -> Result<wire::Answers, Violation> {
        let mut answers = wire::Answers::from(self);
        let is_named = |path: &str, is_empty: bool| match mask {
            [] => !is_empty,
            _ => mask.iter().any(|named| named == path || named == "*"),
        };
        if is_named("passing_year", changes.passing_year == 0) {
            answers.passing_year = changes.passing_year;
        }
        let mut paths = vec!["*", "passing_year"];
        for (path, answer, change) in [
            ("name", &mut answers.name, changes.name),
            ("email", &mut answers.email, changes.email),
            ("mobile", &mut answers.mobile, changes.mobile),
            ("college", &mut answers.college, changes.college),
            ("degree", &mut answers.degree, changes.degree),
            ("role", &mut answers.role, changes.role),
            ("experience", &mut answers.experience, changes.experience),
            ("linkedin", &mut answers.linkedin, changes.linkedin),
            ("motivation", &mut answers.motivation, changes.motivation),
        ] {
            if is_named(path, change.is_empty()) {
                *answer = change;
            }
            paths.push(path);
        }
        let is_known = |named: &String| paths.contains(&named.as_str());
        if mask.iter().all(is_known) { Ok(answers) } else { Err(Violation::new("update_mask", "UNKNOWN_FIELD")) }
    }

    /// Returns the email address in lower case, for comparison.
    pub(crate) fn email_lower(&self) -> String {
        self.email.to_lowercase()
    }
}

/// Consents of a candidate to the use of personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Consents {
    pub(crate) this_application: bool,
    pub(crate) later_roles: bool,
    /// Version of the privacy notice that the candidate agreed to.
    pub(crate) notice_version: String,
}

impl Consents {
    /// Validates consents. The consent to this application is required if the client asked for it.
    pub(crate) fn parse(consents: wire::Consents) -> Result<Self, Vec<Violation>> {
        let wire::Consents { this_application, later_roles, notice_version } = consents;
        let mut violations = Vec::new();
        if !this_application {
            violations.push(Violation::new("form.consents.this_application", "REQUIRED"));
        }
        if notice_version.chars().count() > MAX_NOTICE_VERSION_CHARS || notice_version.chars().any(is_unprintable) {
            let violation = Violation::new("form.consents.notice_version", "MALFORMED");
            violations.push(violation.with("max_chars", MAX_NOTICE_VERSION_CHARS));
        }
        if violations.is_empty() { Ok(Self { this_application, later_roles, notice_version }) } else { Err(violations) }
    }
}

#[derive(Default)]
struct Violations(Vec<Violation>);

impl Violations {
    /// Returns the value, or records the violation and returns a default value.
    fn collect<T: Default>(&mut self, value: Result<T, Violation>) -> T {
        value.unwrap_or_else(|violation| {
            self.0.push(violation);
            T::default()
        })
    }
}

fn non_empty(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn parse_line(field: &'static str, text: &str, max_chars: usize) -> Result<String, Violation> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Violation::new(field, "REQUIRED"));
    }
    if text.chars().count() > max_chars {
        return Err(Violation::new(field, "TOO_LONG").with("max_chars", max_chars));
    }
    if text.chars().any(is_unprintable) {
        return Err(Violation::new(field, "MALFORMED"));
    }
    Ok(text.to_owned())
}

/// Parses an email address into the canonical form, in which it is compared, stored and written to.
pub(crate) fn parse_email(field: &'static str, text: &str) -> Result<String, Violation> {
    let email = parse_line(field, text, MAX_EMAIL_CHARS)?;
    mail::canonical_address(&email).ok_or_else(|| Violation::new(field, "MALFORMED"))
}

/// Parses an Indian mobile number of ten digits. Accepts spaces, dashes and the prefixes +91, 91 and 0.
fn parse_mobile(text: &str) -> Result<String, Violation> {
    if text.trim().is_empty() {
        return Err(Violation::new("answers.mobile", "REQUIRED"));
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(MAX_MOBILE_CHARS).collect();
    let national = match compact.strip_prefix("+91") {
        Some(rest) => rest,
        // A number of ten digits may itself begin with 91.
        None if compact.len() == 12 => compact.strip_prefix("91").unwrap_or(&compact),
        None => &compact,
    };
    let digits = if national.len() == 11 { national.strip_prefix('0').unwrap_or(national) } else { national };
    if digits.len() != 10 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Violation::new("answers.mobile", "MALFORMED"));
    }
    Ok(digits.to_owned())
}

fn parse_choice(field: &'static str, text: &str, choices: &[Choice]) -> Result<String, Violation> {
    let reason = if text.is_empty() { "REQUIRED" } else { "UNKNOWN" };
    choices
        .iter()
        .any(|choice| choice.value == text)
        .then(|| text.to_owned())
        .ok_or_else(|| Violation::new(field, reason))
}

/// Checks the graduation year: one of the six years up to two years from now.
fn parse_passing_year(year: i32, today: Date) -> Result<i32, Violation> {
    let (first, last) = (today.year() - 3, today.year() + 2);
    if (first..=last).contains(&year) {
        return Ok(year);
    }
    let reason = if year == 0 { "REQUIRED" } else { "OUT_OF_RANGE" };
    Err(Violation::new("answers.passing_year", reason).with("first", first).with("last", last))
}

fn parse_experience(text: &str) -> Result<Decimal, Violation> {
    if text.trim().is_empty() {
        return Err(Violation::new("answers.experience", "REQUIRED"));
    }
    let out_of_range = || Violation::new("answers.experience", "OUT_OF_RANGE").with("max", MAX_EXPERIENCE_YEARS);
    let years: Decimal = text.trim().parse().map_err(|_| out_of_range())?;
    if years.is_sign_negative() && !years.is_zero() || years > MAX_EXPERIENCE_YEARS {
        return Err(out_of_range());
    }
    if years.normalize().scale() > 2 {
        return Err(Violation::new("answers.experience", "TOO_PRECISE"));
    }
    Ok(years.normalize())
}

fn parse_linkedin(text: &str) -> Result<String, Violation> {
    let is_line = text.chars().count() <= MAX_LINKEDIN_CHARS && !text.chars().any(is_unprintable);
    let address = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_line || address.is_none() {
        return Err(Violation::new("answers.linkedin", "MALFORMED"));
    }
    Ok(text.to_owned())
}

fn parse_motivation(text: &str) -> Result<String, Violation> {
    let text = text.trim().replace("\r\n", "\n");
    if text.is_empty() {
        return Err(Violation::new("answers.motivation", "REQUIRED"));
    }
    if text.chars().count() > MAX_MOTIVATION_CHARS {
        return Err(Violation::new("answers.motivation", "TOO_LONG").with("max_chars", MAX_MOTIVATION_CHARS));
    }
    if text.chars().any(|c| is_unprintable(c) && !matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}')) {
        return Err(Violation::new("answers.motivation", "MALFORMED"));
    }
    Ok(text)
}

/// Returns true for control characters, line separators and characters that change the text direction.
pub(crate) fn is_unprintable(c: char) -> bool {
    let separator_or_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || separator_or_direction
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = time::macros::date!(2026 - 11 - 20);

    fn asha() -> wire::Answers {
        wire::Answers {
            name: "Asha Rao".to_owned(),
            email: "asha.rao@example.in".to_owned(),
            mobile: "9876543210".to_owned(),
            college: "NIT Surathkal".to_owned(),
            degree: "btech".to_owned(),
            passing_year: 2027,
            role: "AIML".to_owned(),
            experience: "0.5".to_owned(),
            linkedin: "https://www.linkedin.com/in/asha".to_owned(),
            motivation: "I like ledgers.\nAnd tests.".to_owned(),
        }
    }

    /// Returns the fields that are invalid after `change`, each with its reason code, which must have a text.
    fn violations_with(change: impl FnOnce(&mut wire::Answers)) -> Vec<(String, &'static str)> {
        let mut answers = asha();
        change(&mut answers);
        let violations = Answers::parse(&answers, TODAY).err().unwrap_or_default();
        let check_text = |violation: &Violation| {
            let value = |(name, value): &(&str, String)| (format!("{}:{name}", violation.field), value.clone());
            let params = violation.params.iter().map(value).collect();
            let text = texts::field_error("careers", &violation.field, violation.reason, &params);
            assert!(text.is_some_and(|text| !text.contains('…')), "no text, or one without a value: {violation:?}");
            (violation.field.replace("answers.", ""), violation.reason)
        };
        violations.iter().map(check_text).collect()
    }

    #[test]
    fn an_update_changes_the_fields_that_its_mask_names() {
        let stored = || Answers::parse(&asha(), TODAY).unwrap();
        let changes = wire::Answers { college: "IIT Madras".to_owned(), passing_year: 2028, ..Default::default() };
        let updated = |paths: &[&str]| {
            let mask: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            stored().with_changes(changes.clone(), &mask)
        };
        let college = wire::Answers { college: "IIT Madras".to_owned(), ..asha() };
        assert_eq!(updated(&["college"]).unwrap(), college);
        assert_eq!(updated(&["college", "role"]).unwrap(), wire::Answers { role: String::new(), ..college.clone() });
        assert_eq!(updated(&[]).unwrap(), wire::Answers { passing_year: 2028, ..college });
        assert_eq!(updated(&["*"]).unwrap(), changes);
        assert_eq!(updated(&["college", "salary"]).unwrap_err().reason, "UNKNOWN_FIELD");
    }

    #[test]
    fn s4_an_email_address_is_compared_stored_and_written_to_in_one_form() {
        let typed = wire::Answers { email: " Asha.Rao@B\u{fc}cher.IN ".to_owned(), ..asha() };
        let answers = Answers::parse(&typed, TODAY).unwrap();
        assert_eq!(
            (answers.email.as_str(), answers.email_lower().as_str()),
            ("asha.rao@xn--bcher-kva.in", "asha.rao@xn--bcher-kva.in")
        );
    }

    /// [5A-01] [5A-02]
    #[test]
    fn reports_every_missing_field_except_the_two_optional_ones() {
        let missing = violations_with(|answers| *answers = wire::Answers::default());
        let fields: Vec<&str> = missing.iter().map(|(field, _)| field.as_str()).collect();
        let required = ["name", "email", "mobile", "college", "degree", "passing_year", "experience", "motivation"];
        assert_eq!(fields, required);
        assert!(missing.iter().all(|(_, reason)| *reason == "REQUIRED"));
        assert_eq!(violations_with(|answers| (answers.role, answers.linkedin) = Default::default()), []);
    }

    /// [3A-02] [3A-03] [3A-04] [5A-04] [5A-05] [9A-02] [9A-03] [9A-04]
    #[test]
    fn rejects_each_invalid_field_with_its_reason() {
        let one = |field: &str, reason: &'static str| vec![(field.to_owned(), reason)];
        assert_eq!(violations_with(|_| ()), []);
        assert_eq!(violations_with(|answers| answers.name = "a\u{202e}b".to_owned()), one("name", "MALFORMED"));
        assert_eq!(violations_with(|answers| answers.name = "a".repeat(101)), one("name", "TOO_LONG"));
        for email in ["asha", "@b.in", "a@b", "a@b..in", "a b@c.in", "a@b@c.in", "asha\u{212a}umar@c.in"] {
            assert_eq!(
                violations_with(|answers| answers.email = email.to_owned()),
                one("email", "MALFORMED"),
                "{email}"
            );
        }
        for mobile in ["987654321", "98765432101", "98765x3210", "+1 9876543210"] {
            assert_eq!(
                violations_with(|answers| answers.mobile = mobile.to_owned()),
                one("mobile", "MALFORMED"),
                "{mobile}"
            );
        }
        let precise = violations_with(|answers| answers.experience = "0.125".to_owned());
        assert_eq!(precise, one("experience", "TOO_PRECISE"));
        assert_eq!(violations_with(|answers| answers.passing_year = 2022), one("passing_year", "OUT_OF_RANGE"));
        assert_eq!(violations_with(|answers| answers.degree = "phd".to_owned()), one("degree", "UNKNOWN"));
        assert_eq!(violations_with(|answers| answers.role = "contentwriter".to_owned()), one("role", "UNKNOWN"));
        for (year, is_valid) in [(2022, false), (2023, true), (2028, true), (2029, false)] {
            assert_eq!(violations_with(|answers| answers.passing_year = year).is_empty(), is_valid, "{year}");
        }
        for (years, is_valid) in
            [("0", true), ("50", true), ("2.25", true), ("50.01", false), ("-1", false), ("x", false)]
        {
            assert_eq!(
                violations_with(|answers| answers.experience = years.to_owned()).is_empty(),
                is_valid,
                "{years}"
            );
        }
        for address in ["linkedin.com/in/asha", "javascript:alert(1)", "https://", "mailto:a@b.in"] {
            assert_eq!(
                violations_with(|answers| answers.linkedin = address.to_owned()),
                one("linkedin", "MALFORMED"),
                "{address}"
            );
        }
        assert_eq!(violations_with(|answers| answers.motivation = "ß".repeat(5_000)), []);
        assert_eq!(violations_with(|answers| answers.motivation = "ß".repeat(5_001)), one("motivation", "TOO_LONG"));
        assert_eq!(violations_with(|answers| answers.motivation = "a\0b".to_owned()), one("motivation", "MALFORMED"));
    }

    #[test]
    fn accepts_a_mobile_number_with_spaces_dashes_and_prefixes() {
        for typed in ["98765 43210", "+91 98765-43210", "919876543210", "09876543210", "+91 0 98765 43210"] {
            let answers = wire::Answers { mobile: typed.to_owned(), ..asha() };
            assert_eq!(Answers::parse(&answers, TODAY).unwrap().mobile, "9876543210", "{typed}");
        }
        let answers = wire::Answers { mobile: "9198765432".to_owned(), ..asha() };
        assert_eq!(Answers::parse(&answers, TODAY).unwrap().mobile, "9198765432");
    }
}
