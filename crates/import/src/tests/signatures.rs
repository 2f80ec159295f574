//! Signatures of contract notes.

use rpc::trades::v1::{DocumentSignature, SignatureProblem, SignatureState};

use super::pdf_fixtures::contract_notes::{Layout, document, file, note};
use super::pdf_fixtures::documents::{ENCRYPTIONS, Encryption, save_encrypted};
use super::signature_fixtures::{
    Algorithm, COMMON_NAME, Form, ISSUER_ORGANISATION, ORGANISATION, SIGNED_AT, Signer, append_object, last_gap,
    set_last_range,
};
use super::*;

const PAN: &str = "ABCDE1234F";

/// Returns the result for a note, of which the trades are read whatever its signature is.
#[track_caller]
fn check(file: &[u8]) -> DocumentSignature {
    let options = ParserOptions { password: PAN.to_owned(), ..ParserOptions::default() };
    let outcome = read_with(file, Segment::Equity, &options);
    assert!(outcome.rejection.is_none(), "{:?}", outcome.rejection);
    assert_eq!(outcome.trades.len(), 12);
    *outcome.summary.unwrap().signature.unwrap()
}

#[track_caller]
fn assert_unchecked(file: &[u8], problem: SignatureProblem) {
    let signature = check(file);
    assert_eq!((signature.state(), signature.problem()), (SignatureState::Unchecked, problem), "{signature:?}");
}

#[track_caller]
fn assert_state(file: &[u8], state: SignatureState) {
    let signature = check(file);
    assert_eq!(signature.state(), state, "{signature:?}");
    assert_eq!(signature.problem(), SignatureProblem::Unspecified);
}

fn unsigned() -> Vec<u8> {
    file(&note(Layout::Zerodha, 7, "05-06-2026", 12))
}

fn signed() -> Vec<u8> {
    Signer::new(Algorithm::EcdsaP256).sign_file(&unsigned(), Form::default())
}

#[test]
fn a_document_without_a_signature_is_unsigned() {
    assert_eq!(
        check(&unsigned()),
        DocumentSignature { state: SignatureState::Unsigned.into(), ..DocumentSignature::default() }
    );
}

#[test]
fn a_table_has_no_result_of_a_signature() {
    let outcome = read(b"Date,Symbol\n2026-06-05,SBIN\n");
    assert!(outcome.summary.is_none_or(|summary| summary.signature.is_none()));
}

#[test]
fn verifies_every_algorithm_and_states_the_signer() {
    for algorithm in
        [Algorithm::RsaSha256, Algorithm::RsaSha384, Algorithm::RsaSha512, Algorithm::EcdsaP256, Algorithm::EcdsaP384]
    {
        let file = Signer::new(algorithm).sign_file(&unsigned(), Form::default());
        let expected = DocumentSignature {
            state: SignatureState::Unchanged.into(),
            problem: 0,
            count: 1,
            common_name: COMMON_NAME.to_owned(),
            organisation: ORGANISATION.to_owned(),
            issuer_common_name: "Example CA 2026".to_owned(),
            issuer_organisation: ISSUER_ORGANISATION.to_owned(),
            signed_at: Some(prost_types::Timestamp { seconds: SIGNED_AT, nanos: 0 }),
        };
        assert_eq!(check(&file), expected, "{algorithm:?}");
    }
}

#[test]
fn verifies_encrypted_documents_on_the_bytes_of_the_file() {
    let signer = Signer::new(Algorithm::RsaSha256);
    for encryption in ENCRYPTIONS {
        let note = document(&[note(Layout::Zerodha, 7, "05-06-2026", 12)]);
        let mut file = signer.sign_file(&save_encrypted(note, encryption, PAN), Form::default());
        assert_state(&file, SignatureState::Unchanged);
        change_a_byte(&mut file);
        assert_state(&file, SignatureState::Changed);
    }
}

#[test]
fn verifies_every_form_that_signers_use() {
    let signer = Signer::new(Algorithm::EcdsaP256);
    for form in [
        Form { names_the_key: true, ..Form::default() },
        Form { is_unsorted: true, ..Form::default() },
        Form { is_indefinite: true, ..Form::default() },
    ] {
        let signature = check(&signer.sign_file(&unsigned(), form));
        assert_eq!(
            (signature.state(), signature.organisation.as_str()),
            (SignatureState::Unchanged, ORGANISATION),
            "{form:?}"
        );
    }
}

/// Changes a byte that no reader shows, in the second line.
fn change_a_byte(file: &mut [u8]) {
    assert_eq!((file[8], file[9]), (b'\n', b'%'));
    file[10] ^= 1;
}

#[test]
fn a_changed_byte_is_found_before_and_after_the_signature() {
    let mut file = signed();
    change_a_byte(&mut file);
    assert_state(&file, SignatureState::Changed);
    let mut file = signed();
    let last = file.len() - 1;
    assert_eq!(file[last], b'\n');
    file[last] = b' ';
    assert_state(&file, SignatureState::Changed);
}

#[test]
fn a_signature_of_something_else_does_not_match() {
    let signer = Signer::new(Algorithm::RsaSha256);
    for form in [
        Form { signs_other_attributes: true, ..Form::default() },
        Form { has_other_content_type: true, ..Form::default() },
    ] {
        assert_state(&signer.sign_file(&unsigned(), form), SignatureState::Changed);
    }
    // The signature of another document by the same signer.
    let other = signer.sign_file(&file(&note(Layout::Zerodha, 8, "05-06-2026", 12)), Form::default());
    let mut file = signer.sign_file(&unsigned(), Form::default());
    let (from, to) = (last_gap(&other), last_gap(&file));
    file[to].copy_from_slice(&other[from]);
    assert_state(&file, SignatureState::Changed);
}

#[test]
fn something_added_after_the_signature_is_reported() {
    assert_state(&append_object(&signed(), "<</Type/Example>>"), SignatureState::Extended);
    assert_state(&[signed(), b"%".to_vec()].concat(), SignatureState::Extended);
}

#[test]
fn a_line_break_after_a_document_changes_nothing() {
    assert_state(&[signed(), b"\r\n".to_vec()].concat(), SignatureState::Unchanged);
}

#[test]
fn a_later_signature_covers_what_was_added_before_it() {
    let signer = Signer::new(Algorithm::EcdsaP384);
    let extended = append_object(&signed(), "<</Type/Example>>");
    let twice = signer.sign_file(&extended, Form::default());
    assert_state(&twice, SignatureState::Unchanged);
    assert_eq!(check(&twice).count, 2);
    assert_state(&append_object(&twice, "<</Type/Example>>"), SignatureState::Extended);
    // A valid later signature does not hide that an earlier one does not match or is not checked.
    let mut changed = signed();
    change_a_byte(&mut changed);
    assert_state(&signer.sign_file(&changed, Form::default()), SignatureState::Changed);
    let weak = Signer::new(Algorithm::Sha1).sign_file(&unsigned(), Form::default());
    assert_unchecked(&signer.sign_file(&weak, Form::default()), SignatureProblem::Weak);
}

#[test]
fn a_forged_range_does_not_count_as_signed() {
    let file = signed();
    let (gap, end) = (last_gap(&file), file.len());
    let (start, after) = (gap.start, gap.end);
    for numbers in [
        // Not from the first byte.
        [1, start - 1, after, end - after],
        // A gap with more than the signature, before it and after it.
        [0, start - 20, after, end - after],
        [0, start, after + 20, end - after - 20],
        // Overlapping parts, no gap, the wrong order, and beyond the end.
        [0, after, start, end - start],
        [0, end, end, 0],
        [after, end - after, 0, start],
        [0, start, after, end - after + 1],
        [0, start, usize::MAX >> 40, 10],
    ] {
        let mut forged = file.clone();
        set_last_range(&mut forged, &numbers.map(|number| number.to_string()).join(" "));
        assert_state(&forged, SignatureState::Changed);
    }
    for numbers in ["", "0 1", "0 1 2 3 4 5", "0 1 2 -3", "0 1 2 /A"] {
        let mut damaged = file.clone();
        set_last_range(&mut damaged, numbers);
        assert_unchecked(&damaged, SignatureProblem::Damaged);
    }
}

#[test]
fn an_object_in_the_gap_is_not_signed() {
    let mut file = signed();
    let gap = last_gap(&file);
    // In the zeros behind the signature.
    let hidden = b"><</Type/Example>>";
    file[gap.end - 1 - hidden.len()..gap.end - 1].copy_from_slice(hidden);
    let outcome = read(&file);
    let state = outcome.summary.and_then(|summary| summary.signature).map(|signature| signature.state());
    assert_ne!(state, Some(SignatureState::Unchanged));
    assert_ne!(state, Some(SignatureState::Extended));
}

#[test]
fn weak_unknown_and_incomplete_signatures_are_not_checked() {
    let sign = |algorithm, form| Signer::new(algorithm).sign_file(&unsigned(), form);
    for (algorithm, form, problem) in [
        (Algorithm::Sha1, Form::default(), SignatureProblem::Weak),
        (Algorithm::UnknownDigest, Form::default(), SignatureProblem::Unsupported),
        (
            Algorithm::EcdsaP256,
            Form { has_no_certificate: true, ..Form::default() },
            SignatureProblem::CertificateMissing,
        ),
        (Algorithm::EcdsaP256, Form { has_two_signers: true, ..Form::default() }, SignatureProblem::Unsupported),
        (Algorithm::EcdsaP256, Form { has_no_attributes: true, ..Form::default() }, SignatureProblem::Unsupported),
    ] {
        assert_unchecked(&sign(algorithm, form), problem);
    }
    // The signer is stated also of a signature that is too weak to rely on.
    assert_eq!(check(&sign(Algorithm::Sha1, Form::default())).organisation, ORGANISATION);
}

#[test]
fn damaged_and_hostile_signatures_are_not_checked() {
    let file = signed();
    let gap = last_gap(&file);
    let capacity = (gap.len() - 2) / 2;
    for content in [
        vec![0; capacity],
        vec![0xff; capacity],
        b"garbage".repeat(100),
        // Nested sequences without lengths, and with a length beyond the end.
        [0x30, 0x80].repeat(capacity / 2),
        [0x30, 0x84, 0xff, 0xff, 0xff, 0xff].repeat(100),
        [
            &[0x30, 0x80, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02, 0xa0, 0x80],
            &[0x31, 0x80].repeat(4000)[..],
        ]
        .concat(),
    ] {
        let mut hostile = file.clone();
        let digits = hex::encode(content);
        hostile[gap.start + 1..gap.end - 1].fill(b'0');
        hostile[gap.start + 1..][..digits.len()].copy_from_slice(digits.as_bytes());
        assert_unchecked(&hostile, SignatureProblem::Damaged);
    }
}

#[test]
fn every_cut_of_a_signature_is_rejected_without_a_failure() {
    let file = signed();
    let gap = last_gap(&file);
    for kept in (0..1400).step_by(14) {
        let mut cut = file.clone();
        cut[gap.start + 1 + kept..gap.end - 1].fill(b'0');
        assert!(!matches!(check(&cut).state(), SignatureState::Unchanged | SignatureState::Extended), "{kept}");
    }
}

#[test]
fn a_huge_signature_and_many_signatures_are_not_checked() {
    let huge = format!("<</Type/Sig/ByteRange[0 1 2 3]/Contents<{}>>>", "30".repeat(300 * 1024));
    let mut file = append_object(&unsigned(), &huge);
    let gap = last_gap(&file);
    let range = format!("0 {} {} {}", gap.start, gap.end, file.len() - gap.end);
    let label = file.windows(11).rposition(|window| window == b"/ByteRange[").unwrap();
    file.splice(label + 11..label + 18, range.bytes());
    let moved = range.len() - 7;
    let range = format!("0 {} {} {}", gap.start + moved, gap.end + moved, file.len() - gap.end - moved);
    file.splice(label + 11..label + 18 + moved, range.bytes());
    assert_unchecked(&file, SignatureProblem::TooLarge);

    let many =
        (0..17).fold(unsigned(), |file, _| append_object(&file, "<</Type/Sig/ByteRange[0 1 2 3]/Contents<30>>>"));
    assert_unchecked(&many, SignatureProblem::TooLarge);
    assert_eq!(check(&many).count, 17);
}

/// Signed note of the tests of the server and of the browser.
const SIGNED_NOTE: &str = "src/tests/fixtures/pdf/zerodha-contract-note-signed.pdf";

#[test]
fn reads_the_signed_note_of_other_tests() {
    let mut file = std::fs::read(SIGNED_NOTE).unwrap();
    assert_state(&file, SignatureState::Unchanged);
    change_a_byte(&mut file);
    assert_state(&file, SignatureState::Changed);
}

#[test]
#[ignore = "writes a file: run it after a change of the generator"]
fn writes_the_signed_note_of_other_tests() {
    let note = document(&[note(Layout::Zerodha, 9, "08-06-2026", 12)]);
    let file = save_encrypted(note, Encryption::Aes256Revision6, PAN);
    std::fs::write(SIGNED_NOTE, Signer::new(Algorithm::RsaSha256).sign_file(&file, Form::default())).unwrap();
}
