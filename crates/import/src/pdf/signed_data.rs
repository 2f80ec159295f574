//! Verifies a detached signature in the Cryptographic Message Syntax (RFC 5652).

use aws_lc_rs::digest::{self, Context};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P256_SHA512_ASN1, ECDSA_P384_SHA256_ASN1,
    ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA512_ASN1, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey, VerificationAlgorithm,
};
use cms::cert::CertificateChoices;
use cms::cert::x509::Certificate;
use cms::cert::x509::attr::Attributes;
use cms::cert::x509::der::asn1::{Any, ObjectIdentifier, OctetString, SetOfVec, UintRef};
use cms::cert::x509::der::oid::db::{rfc5911, rfc5912};
use cms::cert::x509::der::{self, Choice, Decode, DecodeValue, Encode, EncodingRules, Reader, SliceReader};
use cms::cert::x509::ext::pkix::SubjectKeyIdentifier;
use cms::cert::x509::ext::pkix::name::DirectoryString;
use cms::cert::x509::name::Name;
use cms::cert::x509::time::Time;
use cms::content_info::ContentInfo;
use cms::signed_data::{SignedData, SignerIdentifier, SignerInfo};
use rpc::trades::v1::SignatureProblem;

/// Bytes of the modulus of an RSA key of 2,048 bits; NIST disallows shorter ones since 2014.
const MIN_MODULUS_BYTES: usize = 256;
/// Bytes of the longest modulus that the library verifies, of 8,192 bits.
const MAX_MODULUS_BYTES: usize = 1024;

/// Result of a verification.
pub(super) struct Verification {
    /// True if the document is what was signed, or the reason why that is unknown.
    pub outcome: Result<bool, SignatureProblem>,
    /// Signer as the certificate and the signature state it, also of a signature that does not match.
    pub signer: Option<Signer>,
}

/// Signer of a document.
#[derive(Clone, Default)]
pub(super) struct Signer {
    pub subject: DistinguishedName,
    pub issuer: DistinguishedName,
    /// Seconds since 1970.
    pub signed_at: Option<i64>,
}

/// Parts of a name in a certificate; empty if it has none.
#[derive(Clone, Default)]
pub(super) struct DistinguishedName {
    pub common_name: String,
    pub organisation: String,
}

/// Verifies that `signature` signs the content, which is in two parts. Bytes after the signature are its padding.
pub(super) fn verify(signature: &[u8], content: [&[u8]; 2]) -> Verification {
    let failed = |problem| Verification { outcome: Err(problem), signer: None };
    let Some(signed) = parse(signature) else { return failed(SignatureProblem::Damaged) };
    // PDF allows exactly one signer.
    let [info] = signed.signer_infos.0.as_slice() else { return failed(SignatureProblem::Unsupported) };
    let Some(certificate) = find_certificate(&signed, &info.sid) else {
        return failed(SignatureProblem::CertificateMissing);
    };
    let outcome = verify_with(&signed, info, certificate, content);
    let tbs = certificate.tbs_certificate();
    let signed_at = info.signed_attrs.as_ref().and_then(|attributes| {
        let time: Time = decode(find_attribute(attributes, rfc5911::ID_SIGNING_TIME)?)?;
        i64::try_from(time.to_unix_duration().as_secs()).ok()
    });
    let signer = Signer { subject: read_name(tbs.subject()), issuer: read_name(tbs.issuer()), signed_at };
    Verification { outcome, signer: Some(signer) }
}

/// Parses signed data. Some signers do not use the distinguished encoding.
fn parse(signature: &[u8]) -> Option<SignedData> {
    let mut reader = SliceReader::new_with_encoding_rules(signature, EncodingRules::Ber).ok()?;
    let info = ContentInfo::decode(&mut reader).ok()?;
    if info.content_type != rfc5911::ID_SIGNED_DATA {
        return None;
    }
    info.content.decode_as_encoding(EncodingRules::Ber).ok()
}

fn find_certificate<'s>(signed: &'s SignedData, signer: &SignerIdentifier) -> Option<&'s Certificate> {
    let certificates = signed.certificates.as_ref()?.0.iter().filter_map(|choice| match choice {
        CertificateChoices::Certificate(certificate) => Some(certificate),
        CertificateChoices::Other(_) => None,
    });
    let mut certificates = certificates.filter(|certificate| {
        let tbs = certificate.tbs_certificate();
        match signer {
            SignerIdentifier::IssuerAndSerialNumber(of) => {
                (tbs.issuer(), tbs.serial_number()) == (&of.issuer, &of.serial_number)
            }
            SignerIdentifier::SubjectKeyIdentifier(of) => {
                matches!(tbs.get_extension::<SubjectKeyIdentifier>(), Ok(Some((_, key))) if key == *of)
            }
        }
    });
    certificates.next()
}

fn verify_with(
    signed: &SignedData,
    info: &SignerInfo,
    certificate: &Certificate,
    content: [&[u8]; 2],
) -> Result<bool, SignatureProblem> {
    if signed.encap_content_info.econtent.is_some() {
        // A time stamp, or the SHA-1 digest of a document.
        return Err(SignatureProblem::Unsupported);
    }
    let (digest, verifier) = select_algorithms(info, certificate)?;
    let attributes = info.signed_attrs.as_ref().ok_or(SignatureProblem::Unsupported)?;
    let stated_digest = find_attribute(attributes, rfc5911::ID_MESSAGE_DIGEST).ok_or(SignatureProblem::Damaged)?;
    let stated_digest: OctetString = decode(stated_digest).ok_or(SignatureProblem::Damaged)?;
    let content_type = find_attribute(attributes, rfc5911::ID_CONTENT_TYPE).ok_or(SignatureProblem::Damaged)?;
    let content_type: ObjectIdentifier = decode(content_type).ok_or(SignatureProblem::Damaged)?;
    let mut context = Context::new(digest);
    content.iter().for_each(|part| context.update(part));
    if context.finish().as_ref() != stated_digest.as_bytes() || content_type != signed.encap_content_info.econtent_type
    {
        return Ok(false);
    }
    let key = certificate.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes();
    let key = UnparsedPublicKey::new(verifier, key);
    let verifies = |attributes: &Attributes| {
        let encoded = attributes.to_der().map_err(|_| SignatureProblem::Damaged)?;
        Ok(key.verify(&encoded, info.signature.as_bytes()).is_ok())
    };
    // The attributes are signed in the distinguished encoding, which sorts them; some signers leave them unsorted.
    let sorted = SetOfVec::try_from(attributes.as_slice().to_vec()).map_err(|_| SignatureProblem::Damaged)?;
    Ok(verifies(&sorted)? || verifies(attributes)?)
}

/// Returns the algorithms of the digest and of the signature.
fn select_algorithms(
    info: &SignerInfo,
    certificate: &Certificate,
) -> Result<(&'static digest::Algorithm, &'static dyn VerificationAlgorithm), SignatureProblem> {
    let (digest, signature) = (info.digest_alg.oid, info.signature_algorithm.oid);
    let weak =
        [rfc5912::ID_SHA_1, rfc5912::ID_MD_5, rfc5912::SHA_1_WITH_RSA_ENCRYPTION, rfc5912::MD_5_WITH_RSA_ENCRYPTION];
    if weak.contains(&digest) || weak.contains(&signature) {
        return Err(SignatureProblem::Weak);
    }
    let ([with_rsa, with_ecdsa], digest_algorithm, rsa, [p256, p384]): (_, _, _, [&dyn VerificationAlgorithm; 2]) =
        match digest {
            rfc5912::ID_SHA_256 => (
                [rfc5912::SHA_256_WITH_RSA_ENCRYPTION, rfc5912::ECDSA_WITH_SHA_256],
                &digest::SHA256,
                &RSA_PKCS1_2048_8192_SHA256,
                [&ECDSA_P256_SHA256_ASN1, &ECDSA_P384_SHA256_ASN1],
            ),
            rfc5912::ID_SHA_384 => (
                [rfc5912::SHA_384_WITH_RSA_ENCRYPTION, rfc5912::ECDSA_WITH_SHA_384],
                &digest::SHA384,
                &RSA_PKCS1_2048_8192_SHA384,
                [&ECDSA_P256_SHA384_ASN1, &ECDSA_P384_SHA384_ASN1],
            ),
            rfc5912::ID_SHA_512 => (
                [rfc5912::SHA_512_WITH_RSA_ENCRYPTION, rfc5912::ECDSA_WITH_SHA_512],
                &digest::SHA512,
                &RSA_PKCS1_2048_8192_SHA512,
                [&ECDSA_P256_SHA512_ASN1, &ECDSA_P384_SHA512_ASN1],
            ),
            _ => return Err(SignatureProblem::Unsupported),
        };
    let key = certificate.tbs_certificate().subject_public_key_info();
    if key.algorithm.oid == rfc5912::RSA_ENCRYPTION && [rfc5912::RSA_ENCRYPTION, with_rsa].contains(&signature) {
        return match modulus_bytes(key.subject_public_key.raw_bytes()) {
            None => Err(SignatureProblem::Damaged),
            Some(..MIN_MODULUS_BYTES) => Err(SignatureProblem::Weak),
            Some(MIN_MODULUS_BYTES..=MAX_MODULUS_BYTES) => Ok((digest_algorithm, rsa)),
            Some(_) => Err(SignatureProblem::Unsupported),
        };
    }
    if key.algorithm.oid != rfc5912::ID_EC_PUBLIC_KEY || ![rfc5912::ID_EC_PUBLIC_KEY, with_ecdsa].contains(&signature) {
        return Err(SignatureProblem::Unsupported);
    }
    let curve = key.algorithm.parameters.as_ref().and_then(decode::<ObjectIdentifier>);
    match curve {
        Some(rfc5912::SECP_256_R_1) => Ok((digest_algorithm, p256)),
        Some(rfc5912::SECP_384_R_1) => Ok((digest_algorithm, p384)),
        _ => Err(SignatureProblem::Unsupported),
    }
}

/// Returns the length of the modulus of an RSA key.
fn modulus_bytes(key: &[u8]) -> Option<usize> {
    let mut reader = SliceReader::new(key).ok()?;
    let modulus = reader.sequence(|reader| {
        let modulus = UintRef::decode(reader)?.as_bytes().len();
        UintRef::decode(reader)?;
        Ok::<_, der::Error>(modulus)
    });
    modulus.ok()
}

/// Returns the value of an attribute that occurs once, with one value.
fn find_attribute(attributes: &Attributes, oid: ObjectIdentifier) -> Option<&Any> {
    let mut matching = attributes.iter().filter(|attribute| attribute.oid == oid);
    match (matching.next()?.values.as_slice(), matching.next()) {
        ([value], None) => Some(value),
        _ => None,
    }
}

fn read_name(name: &Name) -> DistinguishedName {
    let text = |value: der::Result<Option<DirectoryString>>| value.ok().flatten().map(|text| text.value().into_owned());
    DistinguishedName {
        common_name: text(name.common_name()).unwrap_or_default(),
        organisation: text(name.organization()).unwrap_or_default(),
    }
}

/// Decodes the value of an attribute or a parameter.
fn decode<'a, T: Choice<'a> + DecodeValue<'a>>(value: &'a Any) -> Option<T> {
    value.decode_as_encoding(EncodingRules::Ber).ok()
}
