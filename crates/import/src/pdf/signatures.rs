//! Compares a PDF document with its digital signatures, on the bytes of the file: the signature of an encrypted document is
//! not encrypted.
//!
//! The result states only that a document is or is not what the owner of a certificate signed. It does not state that the
//! certificate can be trusted: no root certificates, revocation lists or validity periods are checked.

use lopdf::{Dictionary, Document, Object};
use rpc::trades::v1::{DocumentSignature, SignatureProblem, SignatureState};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};

use super::MAX_DEPTH;
use super::signed_data::{self, Verification};
use crate::protocol::MAX_SIGNER_NAME_CHARS;
use crate::upload::remove_deceptive_chars;

/// Signatures of a document; brokers make one.
const MAX_SIGNATURES: usize = 16;
/// Bytes of a signature with its certificates; one with revocation lists has some 100,000.
const MAX_SIGNATURE_BYTES: usize = 256 * 1024;

/// Checked signature, with the end of its range.
struct Checked {
    result: DocumentSignature,
    end: usize,
}

/// Compares `document`, which was read from `file`, with its signatures. Returns the weakest result.
pub(super) fn check(document: &Document, file: &[u8]) -> DocumentSignature {
    let mut signatures = Vec::new();
    for object in document.objects.values() {
        collect_signatures(object, MAX_DEPTH, &mut signatures);
    }
    let count = u32::try_from(signatures.len()).unwrap_or(u32::MAX);
    if signatures.len() > MAX_SIGNATURES {
        return DocumentSignature { count, ..unchecked(SignatureProblem::TooLarge) };
    }
    let mut checked: Vec<_> = signatures.into_iter().map(|signature| check_signature(signature, file)).collect();
    checked.sort_by_key(|signature| signature.end);
    // A valid signature of the whole file also covers earlier signatures, and all that was added after them.
    let covers_all = |signature: &Checked| signature.result.state() == SignatureState::Unchanged;
    let is_covered = checked.iter().any(covers_all);
    checked.retain(|signature| !is_covered || signature.result.state() != SignatureState::Extended);
    let weakest = checked.into_iter().min_by_key(|signature| strength(signature.result.state()));
    match weakest {
        Some(weakest) => DocumentSignature { count, ..weakest.result },
        None => DocumentSignature { state: SignatureState::Unsigned.into(), ..DocumentSignature::default() },
    }
}

/// Orders the states by what they prove.
fn strength(state: SignatureState) -> u8 {
    match state {
        SignatureState::Changed => 0,
        SignatureState::Unspecified | SignatureState::Unsigned | SignatureState::Unchecked => 1,
        SignatureState::Extended => 2,
        SignatureState::Unchanged => 3,
    }
}

fn unchecked(problem: SignatureProblem) -> DocumentSignature {
    DocumentSignature {
        state: SignatureState::Unchecked.into(),
        problem: problem.into(),
        ..DocumentSignature::default()
    }
}

/// Adds the signature dictionaries in `object`; they are the only ones with a range of bytes.
fn collect_signatures<'d>(object: &'d Object, depth: usize, signatures: &mut Vec<&'d Dictionary>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match object {
        Object::Dictionary(dictionary) if dictionary.has(b"ByteRange") && dictionary.has(b"Contents") => {
            signatures.push(dictionary);
        }
        Object::Dictionary(dictionary) => {
            dictionary.iter().for_each(|(_, value)| collect_signatures(value, depth, signatures));
        }
        Object::Array(values) => values.iter().for_each(|value| collect_signatures(value, depth, signatures)),
        Object::Stream(_)
        | Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::String(..)
        | Object::Reference(_) => {}
    }
}

fn check_signature(signature: &Dictionary, file: &[u8]) -> Checked {
    let at_end = |result| Checked { result, end: file.len() };
    let Some(range) = read_range(signature) else { return at_end(unchecked(SignatureProblem::Damaged)) };
    // A range with another gap than the signature, or beyond the file, is that of another document or leaves a place for
    // what was not signed.
    let content = signature.get(b"Contents").and_then(Object::as_str).unwrap_or_default();
    let Some((signed, end)) = split(file, range, content) else {
        return at_end(DocumentSignature { state: SignatureState::Changed.into(), ..DocumentSignature::default() });
    };
    if content.len() > MAX_SIGNATURE_BYTES {
        return Checked { result: unchecked(SignatureProblem::TooLarge), end };
    }
    let verification = signed_data::verify(content, signed);
    // An email program may add a line break, which changes nothing that a reader shows.
    let is_whole = file.get(end..).is_some_and(|rest| rest.trim_ascii().is_empty());
    let state = match verification.outcome {
        Ok(true) if is_whole => SignatureState::Unchanged,
        Ok(true) => SignatureState::Extended,
        Ok(false) => SignatureState::Changed,
        Err(_) => SignatureState::Unchecked,
    };
    Checked { result: to_wire(state, &verification, signature), end }
}

fn to_wire(state: SignatureState, verification: &Verification, signature: &Dictionary) -> DocumentSignature {
    let signer = verification.signer.clone().unwrap_or_default();
    let clean = |name: String| remove_deceptive_chars(&name).chars().take(MAX_SIGNER_NAME_CHARS).collect();
    let stated_at = || signature.get(b"M").and_then(Object::as_str).ok().and_then(parse_date);
    let signed_at = signer.signed_at.or_else(stated_at);
    DocumentSignature {
        state: state.into(),
        problem: verification.outcome.err().unwrap_or_default().into(),
        count: 1,
        common_name: clean(signer.subject.common_name),
        organisation: clean(signer.subject.organisation),
        issuer_common_name: clean(signer.issuer.common_name),
        issuer_organisation: clean(signer.issuer.organisation),
        signed_at: signed_at.map(|seconds| prost_types::Timestamp { seconds, nanos: 0 }),
    }
}

/// Returns the two parts of the file that the signature dictionary names, each as its first byte and its length.
fn read_range(signature: &Dictionary) -> Option<[usize; 4]> {
    let numbers = signature.get(b"ByteRange").and_then(Object::as_array).ok()?;
    let numbers = numbers.iter().map(|number| usize::try_from(number.as_i64().ok()?).ok());
    numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Returns the signed parts of `file`, and their end. Returns `None` unless they begin with the file, and exactly the
/// signature, as a hexadecimal string, is between them.
fn split<'f>(
    file: &'f [u8],
    [start, first_length, second_start, second_length]: [usize; 4],
    signature: &[u8],
) -> Option<([&'f [u8]; 2], usize)> {
    let end = second_start.checked_add(second_length)?;
    let (before, gap, after) =
        (file.get(..first_length)?, file.get(first_length..second_start)?, file.get(second_start..end)?);
    let digits = gap.strip_prefix(b"<")?.strip_suffix(b">")?;
    let digits: Vec<u8> = digits.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let is_signature = start == 0 && hex::decode(digits).is_ok_and(|bytes| bytes == signature);
    is_signature.then_some(([before, after], end))
}

/// Parses a date of a PDF document, such as `D:20260605183000+05'30'`, to seconds since 1970. Without a zone it is UTC.
fn parse_date(text: &[u8]) -> Option<i64> {
    const FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[year][month][day][hour][minute][second]");
    let text = str::from_utf8(text).ok()?.strip_prefix("D:")?;
    let (time, zone) = text.split_at_checked(14)?;
    let time = PrimitiveDateTime::parse(time, FORMAT).ok()?;
    let zone: String = zone.chars().filter(|c| *c != '\'').collect();
    let offset = match zone.split_at_checked(1) {
        Some((sign @ ("+" | "-"), digits)) => {
            let part = |range| digits.get(range).map_or(Some(0), |part: &str| part.parse::<i8>().ok());
            let (hours, minutes) = (part(0..2)?, part(2..4)?);
            let sign = if sign == "-" { -1 } else { 1 };
            UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()?
        }
        _ => UtcOffset::UTC,
    };
    let time: OffsetDateTime = time.assume_offset(offset);
    Some(time.unix_timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_dates_of_documents() {
        for (text, seconds) in [
            ("D:20260605183000+05'30'", Some(1_780_664_400)),
            ("D:20260605183000+05'30", Some(1_780_664_400)),
            ("D:20260605130000Z", Some(1_780_664_400)),
            ("D:20260605130000", Some(1_780_664_400)),
            ("D:20260605080000-05'00'", Some(1_780_664_400)),
            ("D:20261305130000", None),
            ("D:20260605130000+99'99'", None),
            ("D:2026", None),
            ("", None),
        ] {
            assert_eq!(parse_date(text.as_bytes()), seconds, "{text}");
        }
    }
}
