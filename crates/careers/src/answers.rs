//! What a candidate says, checked: the rules of the form, once more.

use rpc::careers::v1 as wire;
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::Date;
use url::Url;

const LONGEST_NAME: usize = 100;
const LONGEST_EMAIL: usize = 254;
const LONGEST_MOBILE: usize = 20;
const LONGEST_COLLEGE: usize = 200;
const LONGEST_LINKEDIN: usize = 300;
const LONGEST_MOTIVATION: usize = 5_000;
const LONGEST_VERSION: usize = 40;
const DEGREES: [&str; 6] = ["btech", "be", "bsc", "mtech", "mca", "other"];
const ROLES: [&str; 8] =
    ["frontend", "backend", "graphic", "marketing", "android", "fullstack", "contentwritter", "AIML"];
const MOST_EXPERIENCE: Decimal = Decimal::from_parts(50, 0, 0, false, 0);

/// Answers that keep all rules.
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
    /// Every field is looked at, so that a candidate corrects all at once.
    pub(crate) fn check(said: &wire::Answers, today: Date) -> Result<Self, Vec<Violation>> {
        let mut broken = Broken::default();
        let answers = Self {
            name: broken.note(line("name", &said.name, LONGEST_NAME, "Enter your name.")),
            email: broken.note(email(&said.email)),
            mobile: broken.note(mobile(&said.mobile)),
            college: broken.note(line("college", &said.college, LONGEST_COLLEGE, "Enter your college.")),
            degree: broken.note(one_of("degree", &said.degree, &DEGREES, "Choose your degree.")),
            passing_year: broken.note(passing_year(said.passing_year, today)),
            role: optional(&said.role)
                .map(|role| broken.note(one_of("role", role, &ROLES, "Choose one of the roles."))),
            experience: broken.note(experience(&said.experience)),
            linkedin: optional(&said.linkedin).map(|address| broken.note(linkedin(address))),
            motivation: broken.note(motivation(&said.motivation)),
        };
        if broken.0.is_empty() { Ok(answers) } else { Err(broken.0) }
    }

    /// The address as it is compared.
    pub(crate) fn email_key(&self) -> String {
        self.email.to_lowercase()
    }
}

/// To what a candidate agreed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Consents {
    pub(crate) application: bool,
    pub(crate) later_roles: bool,
    /// What was agreed to.
    pub(crate) notice_version: String,
}

impl Consents {
    /// Whoever was asked and did not agree has not applied.
    pub(crate) fn check(said: wire::Consents) -> Result<Self, Vec<Violation>> {
        let wire::Consents { application, later_roles, notice_version } = said;
        let mut broken = Vec::new();
        if !application {
            let message = "Agree that we use your details for this application.";
            broken.push(violation("consentApplication", "REQUIRED", message));
        }
        if notice_version.chars().count() > LONGEST_VERSION || notice_version.chars().any(is_unseen) {
            broken.push(violation("noticeVersion", "MALFORMED", "A version has up to 40 characters on one line."));
        }
        if broken.is_empty() { Ok(Self { application, later_roles, notice_version }) } else { Err(broken) }
    }
}

#[derive(Default)]
struct Broken(Vec<Violation>);

impl Broken {
    /// The value; something instead of it where it breaks a rule, which is noted.
    fn note<T: Default>(&mut self, value: Result<T, Violation>) -> T {
        value.unwrap_or_else(|violation| {
            self.0.push(violation);
            T::default()
        })
    }
}

fn optional(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn line(field: &'static str, text: &str, longest: usize, missing: &str) -> Result<String, Violation> {
    let text = text.trim();
    if text.is_empty() {
        return Err(violation(field, "REQUIRED", missing));
    }
    if text.chars().count() > longest {
        return Err(violation(field, "TOO_LONG", &format!("Keep this to {longest} characters.")));
    }
    if text.chars().any(is_unseen) {
        return Err(violation(field, "MALFORMED", "Write this on one line, without special characters."));
    }
    Ok(text.to_owned())
}

/// A sane address; whether anybody reads it, only a letter would tell.
fn email(text: &str) -> Result<String, Violation> {
    let email = line("email", text, LONGEST_EMAIL, "Enter your e-mail address.")?;
    let sane = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.contains('@')
            && domain.contains('.')
            && domain.split('.').all(|label| !label.is_empty())
    });
    if !sane || email.contains(char::is_whitespace) {
        return Err(violation("email", "MALFORMED", "Enter an e-mail address such as asha@example.in."));
    }
    Ok(email)
}

/// Ten digits. Spaces, dashes and the prefixes +91, 91 and 0 are understood.
fn mobile(text: &str) -> Result<String, Violation> {
    if text.trim().is_empty() {
        return Err(violation("mobile", "REQUIRED", "Enter your mobile number."));
    }
    let packed: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(LONGEST_MOBILE).collect();
    let national = match packed.strip_prefix("+91") {
        Some(rest) => rest,
        // Ten digits may begin with 91 themselves.
        None if packed.len() == 12 => packed.strip_prefix("91").unwrap_or(&packed),
        None => &packed,
    };
    let digits = if national.len() == 11 { national.strip_prefix('0').unwrap_or(national) } else { national };
    if digits.len() != 10 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(violation("mobile", "MALFORMED", "Enter a mobile number of ten digits."));
    }
    Ok(digits.to_owned())
}

fn one_of(field: &'static str, text: &str, known: &[&str], message: &str) -> Result<String, Violation> {
    let reason = if text.is_empty() { "REQUIRED" } else { "UNKNOWN" };
    known.contains(&text).then(|| text.to_owned()).ok_or_else(|| violation(field, reason, message))
}

/// One of six, from the year after next on downwards.
fn passing_year(year: i32, today: Date) -> Result<i32, Violation> {
    let (first, last) = (today.year() - 3, today.year() + 2);
    if (first..=last).contains(&year) {
        return Ok(year);
    }
    let reason = if year == 0 { "REQUIRED" } else { "OUT_OF_RANGE" };
    Err(violation("passingYear", reason, &format!("Choose a graduation year from {first} to {last}.")))
}

fn experience(text: &str) -> Result<Decimal, Violation> {
    if text.trim().is_empty() {
        return Err(violation("experience", "REQUIRED", "Enter your years of experience; 0 if you have none."));
    }
    let refused = || violation("experience", "OUT_OF_RANGE", "Years of experience go from 0 to 50.");
    let years: Decimal = text.trim().parse().map_err(|_| refused())?;
    if years.is_sign_negative() && !years.is_zero() || years > MOST_EXPERIENCE {
        return Err(refused());
    }
    if years.normalize().scale() > 2 {
        return Err(violation("experience", "TOO_PRECISE", "Years of experience have at most two decimals."));
    }
    Ok(years.normalize())
}

fn linkedin(text: &str) -> Result<String, Violation> {
    let sound = text.chars().count() <= LONGEST_LINKEDIN && !text.chars().any(is_unseen);
    let address = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !sound || address.is_none() {
        let message = "Enter the whole address, such as https://www.linkedin.com/in/asha.";
        return Err(violation("linkedin", "MALFORMED", message));
    }
    Ok(text.to_owned())
}

fn motivation(text: &str) -> Result<String, Violation> {
    let text = text.trim().replace("\r\n", "\n");
    if text.is_empty() {
        return Err(violation("motivation", "REQUIRED", "Tell us why you would like to join."));
    }
    if text.chars().count() > LONGEST_MOTIVATION {
        return Err(violation("motivation", "TOO_LONG", "Keep this to 5,000 characters."));
    }
    if text.chars().any(|c| is_unseen(c) && !matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}')) {
        return Err(violation("motivation", "MALFORMED", "Write this in plain text, without special characters."));
    }
    Ok(text)
}

/// Whether a character begins a line, or turns the way that what follows is read.
pub(crate) fn is_unseen(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

pub(crate) fn violation(field: &'static str, reason: &'static str, message: &str) -> Violation {
    Violation { field: field.into(), reason, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = time::macros::date!(2026 - 11 - 20);

    fn asha() -> wire::Answers {
        wire::Answers {
            name: "Asha Rao".to_owned(),
            email: "Asha.Rao@example.in".to_owned(),
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

    fn broken(change: impl FnOnce(&mut wire::Answers)) -> Vec<(String, &'static str)> {
        let mut said = asha();
        change(&mut said);
        let broken = Answers::check(&said, TODAY).err().unwrap_or_default();
        broken.into_iter().map(|rule| (rule.field.into_owned(), rule.reason)).collect()
    }

    /// [5A-01] [5A-02]
    #[test]
    fn every_missing_answer_is_named_and_two_are_optional() {
        let missing = broken(|said| *said = wire::Answers::default());
        let fields: Vec<&str> = missing.iter().map(|(field, _)| field.as_str()).collect();
        let required = ["name", "email", "mobile", "college", "degree", "passingYear", "experience", "motivation"];
        assert_eq!(fields, required);
        assert!(missing.iter().all(|(_, reason)| *reason == "REQUIRED"));
        assert_eq!(broken(|said| (said.role, said.linkedin) = Default::default()), []);
    }

    /// [3A-02] [3A-03] [3A-04] [5A-04] [5A-05] [9A-02] [9A-03] [9A-04]
    #[test]
    fn an_answer_is_refused_for_the_rule_it_breaks() {
        let one = |field: &str, reason: &'static str| vec![(field.to_owned(), reason)];
        assert_eq!(broken(|_| ()), []);
        assert_eq!(broken(|said| said.name = "a\u{202e}b".to_owned()), one("name", "MALFORMED"));
        assert_eq!(broken(|said| said.name = "a".repeat(101)), one("name", "TOO_LONG"));
        for email in ["asha", "@b.in", "a@b", "a@b..in", "a b@c.in", "a@b@c.in"] {
            assert_eq!(broken(|said| said.email = email.to_owned()), one("email", "MALFORMED"), "{email}");
        }
        for mobile in ["987654321", "98765432101", "98765x3210", "+1 9876543210"] {
            assert_eq!(broken(|said| said.mobile = mobile.to_owned()), one("mobile", "MALFORMED"), "{mobile}");
        }
        assert_eq!(broken(|said| said.degree = "phd".to_owned()), one("degree", "UNKNOWN"));
        assert_eq!(broken(|said| said.role = "contentwriter".to_owned()), one("role", "UNKNOWN"));
        for (year, fine) in [(2022, false), (2023, true), (2028, true), (2029, false)] {
            assert_eq!(broken(|said| said.passing_year = year).is_empty(), fine, "{year}");
        }
        for (years, fine) in [("0", true), ("50", true), ("2.25", true), ("50.01", false), ("-1", false), ("x", false)]
        {
            assert_eq!(broken(|said| said.experience = years.to_owned()).is_empty(), fine, "{years}");
        }
        for address in ["linkedin.com/in/asha", "javascript:alert(1)", "https://", "mailto:a@b.in"] {
            assert_eq!(broken(|said| said.linkedin = address.to_owned()), one("linkedin", "MALFORMED"), "{address}");
        }
        assert_eq!(broken(|said| said.motivation = "ß".repeat(5_000)), []);
        assert_eq!(broken(|said| said.motivation = "ß".repeat(5_001)), one("motivation", "TOO_LONG"));
        assert_eq!(broken(|said| said.motivation = "a\0b".to_owned()), one("motivation", "MALFORMED"));
    }

    #[test]
    fn a_mobile_number_is_understood_with_its_prefix() {
        for typed in ["98765 43210", "+91 98765-43210", "919876543210", "09876543210", "+91 0 98765 43210"] {
            let said = wire::Answers { mobile: typed.to_owned(), ..asha() };
            assert_eq!(Answers::check(&said, TODAY).unwrap().mobile, "9876543210", "{typed}");
        }
        let said = wire::Answers { mobile: "9198765432".to_owned(), ..asha() };
        assert_eq!(Answers::check(&said, TODAY).unwrap().mobile, "9198765432");
    }
}
