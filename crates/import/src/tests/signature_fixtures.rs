//! Signed PDF documents: a signature is added to the end of a file, as signing services do.

use aws_lc_rs::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
    RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RsaEncoding, RsaKeyPair,
};
use cms::cert::x509::Certificate;
use cms::cert::x509::attr::Attribute;
use cms::cert::x509::der::asn1::{Any, ObjectIdentifier, OctetString, SetOfVec, UtcTime};
use cms::cert::x509::der::oid::db::{rfc5911, rfc5912};
use cms::cert::x509::der::{DateTime, Decode, Encode};
use cms::cert::x509::ext::pkix::SubjectKeyIdentifier;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::{CertificateChoices, IssuerAndSerialNumber};
use cms::content_info::{CmsVersion, ContentInfo};
use cms::signed_data::{EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo};
use rcgen::{CertificateParams, DnType, Issuer, KeyPair};

pub const ORGANISATION: &str = "Example Broking Limited";
pub const COMMON_NAME: &str = "DS EXAMPLE BROKING LIMITED 1";
pub const ISSUER_ORGANISATION: &str = "Example Certifying Authority";
/// Time of signing, in the signature.
pub const SIGNED_AT: i64 = 1_780_664_400;

/// Bytes for a signature in a file; the rest of them is zero.
const PLACEHOLDER_BYTES: usize = 8192;

/// Algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    RsaSha256,
    RsaSha384,
    RsaSha512,
    EcdsaP256,
    EcdsaP384,
    /// The digest is only named, and is another one.
    Sha1,
    UnknownDigest,
}

/// Form of a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    pub has_no_certificate: bool,
    pub names_the_key: bool,
    /// The attributes are signed and stored in this order: the content type last.
    pub is_unsorted: bool,
    pub is_indefinite: bool,
    pub has_other_content_type: bool,
    pub signs_other_attributes: bool,
    pub has_two_signers: bool,
    pub has_no_attributes: bool,
}

/// Signer with a certificate that an authority issued.
pub struct Signer {
    algorithm: Algorithm,
    key: KeyPair,
    certificate: Certificate,
}

impl Signer {
    pub fn new(algorithm: Algorithm) -> Self {
        let key_algorithm = match algorithm {
            Algorithm::EcdsaP256 => &rcgen::PKCS_ECDSA_P256_SHA256,
            Algorithm::EcdsaP384 => &rcgen::PKCS_ECDSA_P384_SHA384,
            Algorithm::RsaSha256
            | Algorithm::RsaSha384
            | Algorithm::RsaSha512
            | Algorithm::Sha1
            | Algorithm::UnknownDigest => &rcgen::PKCS_RSA_SHA256,
        };
        let key = KeyPair::generate_for(key_algorithm).unwrap();
        let name = |organisation: &str, common_name: &str| {
            let mut params = CertificateParams::default();
            params.distinguished_name = rcgen::DistinguishedName::new();
            params.distinguished_name.push(DnType::OrganizationName, organisation);
            params.distinguished_name.push(DnType::CommonName, common_name);
            params.is_ca = rcgen::IsCa::ExplicitNoCa;
            params
        };
        let authority_key = KeyPair::generate().unwrap();
        let authority = name(ISSUER_ORGANISATION, "Example CA 2026");
        let issuer = Issuer::from_params(&authority, &authority_key);
        let certificate = name(ORGANISATION, COMMON_NAME).signed_by(&key, &issuer).unwrap();
        let certificate = Certificate::from_der(certificate.der()).unwrap();
        Self { algorithm, key, certificate }
    }

    /// Returns the signature of a content.
    fn sign(&self, content: &[u8], form: Form) -> Vec<u8> {
        let (digest_oid, hash) = match self.algorithm {
            Algorithm::RsaSha256 | Algorithm::EcdsaP256 => (rfc5912::ID_SHA_256, &digest::SHA256),
            Algorithm::RsaSha384 | Algorithm::EcdsaP384 => (rfc5912::ID_SHA_384, &digest::SHA384),
            Algorithm::RsaSha512 => (rfc5912::ID_SHA_512, &digest::SHA512),
            Algorithm::Sha1 => (rfc5912::ID_SHA_1, &digest::SHA1_FOR_LEGACY_USE_ONLY),
            Algorithm::UnknownDigest => (rfc5912::ID_SHA_224, &digest::SHA224),
        };
        let content_type = if form.has_other_content_type { rfc5911::ID_SIGNED_DATA } else { rfc5911::ID_DATA };
        let attribute = |oid, value: Any| Attribute { oid, values: SetOfVec::try_from(vec![value]).unwrap() };
        let time = UtcTime::from_date_time(DateTime::new(2026, 6, 5, 13, 0, 0).unwrap()).unwrap();
        let digest = OctetString::new(digest::digest(hash, content).as_ref()).unwrap();
        let mut attributes = vec![
            attribute(rfc5911::ID_CONTENT_TYPE, Any::encode_from(&content_type).unwrap()),
            attribute(rfc5911::ID_SIGNING_TIME, Any::encode_from(&time).unwrap()),
            attribute(rfc5911::ID_MESSAGE_DIGEST, Any::encode_from(&digest).unwrap()),
        ];
        let sorted = SetOfVec::try_from(attributes.clone()).unwrap();
        attributes.reverse();
        let attributes = if form.is_unsorted {
            let encoded: Vec<u8> = attributes.iter().flat_map(|attribute| attribute.to_der().unwrap()).collect();
            SetOfVec::<Attribute>::from_ber(&[&[0x31, u8::try_from(encoded.len()).unwrap()], &encoded[..]].concat())
                .unwrap()
        } else {
            sorted
        };
        let mut encoded = attributes.to_der().unwrap();
        if form.signs_other_attributes {
            encoded.push(0);
        }
        let algorithm = |oid| AlgorithmIdentifierOwned { oid, parameters: None };
        let tbs = self.certificate.tbs_certificate();
        let sid = if form.names_the_key {
            let (_, key) = tbs.get_extension::<SubjectKeyIdentifier>().unwrap().unwrap();
            SignerIdentifier::SubjectKeyIdentifier(key)
        } else {
            SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: tbs.issuer().clone(),
                serial_number: tbs.serial_number().clone(),
            })
        };
        let is_ecdsa = [Algorithm::EcdsaP256, Algorithm::EcdsaP384].contains(&self.algorithm);
        let signer = SignerInfo {
            version: CmsVersion::V1,
            sid,
            digest_alg: algorithm(digest_oid),
            signed_attrs: (!form.has_no_attributes).then_some(attributes),
            signature_algorithm: algorithm(self.signature_oid(is_ecdsa)),
            signature: OctetString::new(self.sign_bytes(&encoded)).unwrap(),
            unsigned_attrs: None,
        };
        let mut other = signer.clone();
        other.version = CmsVersion::V3;
        let signers = if form.has_two_signers { vec![signer, other] } else { vec![signer] };
        let certificates = (!form.has_no_certificate)
            .then(|| vec![CertificateChoices::Certificate(self.certificate.clone())].try_into().unwrap());
        let signed = SignedData {
            version: CmsVersion::V1,
            digest_algorithms: SetOfVec::try_from(vec![algorithm(digest_oid)]).unwrap(),
            encap_content_info: EncapsulatedContentInfo { econtent_type: rfc5911::ID_DATA, econtent: None },
            certificates,
            crls: None,
            signer_infos: signers.try_into().unwrap(),
        };
        let content = Any::encode_from(&signed).unwrap();
        if form.is_indefinite {
            // A sequence and an explicit tag without lengths, as some signing services write them.
            let oid = rfc5911::ID_SIGNED_DATA.to_der().unwrap();
            return [&[0x30, 0x80], &oid[..], &[0xa0, 0x80], &content.to_der().unwrap(), &[0; 4]].concat();
        }
        ContentInfo { content_type: rfc5911::ID_SIGNED_DATA, content }.to_der().unwrap()
    }

    fn signature_oid(&self, is_ecdsa: bool) -> ObjectIdentifier {
        match self.algorithm {
            Algorithm::RsaSha384 => rfc5912::SHA_384_WITH_RSA_ENCRYPTION,
            Algorithm::EcdsaP256 => rfc5912::ECDSA_WITH_SHA_256,
            Algorithm::EcdsaP384 => rfc5912::ECDSA_WITH_SHA_384,
            Algorithm::RsaSha256 | Algorithm::RsaSha512 | Algorithm::Sha1 | Algorithm::UnknownDigest => {
                assert!(!is_ecdsa);
                rfc5912::RSA_ENCRYPTION
            }
        }
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        let ecdsa = |algorithm: &'static EcdsaSigningAlgorithm| {
            let key = EcdsaKeyPair::from_pkcs8(algorithm, &self.key.serialize_der()).unwrap();
            key.sign(&random, bytes).unwrap().as_ref().to_vec()
        };
        let rsa = |encoding: &'static dyn RsaEncoding| {
            let key = RsaKeyPair::from_pkcs8(&self.key.serialize_der()).unwrap();
            let mut signature = vec![0; key.public_modulus_len()];
            key.sign(encoding, &random, bytes, &mut signature).unwrap();
            signature
        };
        match self.algorithm {
            Algorithm::EcdsaP256 => ecdsa(&ECDSA_P256_SHA256_ASN1_SIGNING),
            Algorithm::EcdsaP384 => ecdsa(&ECDSA_P384_SHA384_ASN1_SIGNING),
            Algorithm::RsaSha384 => rsa(&RSA_PKCS1_SHA384),
            Algorithm::RsaSha512 => rsa(&RSA_PKCS1_SHA512),
            Algorithm::RsaSha256 | Algorithm::Sha1 | Algorithm::UnknownDigest => rsa(&RSA_PKCS1_SHA256),
        }
    }

    /// Returns the file with a signature of all of it at its end.
    pub fn sign_file(&self, file: &[u8], form: Form) -> Vec<u8> {
        let (mut file, gap) = append_placeholder(file);
        let content = [&file[..gap.start], &file[gap.end..]].concat();
        let digits = hex::encode(self.sign(&content, form));
        file[gap.start + 1..][..digits.len()].copy_from_slice(digits.as_bytes());
        file
    }
}

/// Returns the place of the signature in the last signature dictionary of a file, with its brackets.
pub fn last_gap(file: &[u8]) -> std::ops::Range<usize> {
    let label = b"/Contents<";
    let start = file.windows(label.len()).rposition(|window| window == label).unwrap() + label.len() - 1;
    let end = start + file[start..].iter().position(|byte| *byte == b'>').unwrap() + 1;
    start..end
}

/// Adds a signature dictionary without a signature, and returns the place for it.
fn append_placeholder(file: &[u8]) -> (Vec<u8>, std::ops::Range<usize>) {
    let dictionary = format!(
        "<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/ByteRange[{:>10}{:>11}{:>11}{:>11}]/Contents<{}>>>",
        0,
        0,
        0,
        0,
        "0".repeat(2 * PLACEHOLDER_BYTES)
    );
    let mut file = append_object(file, &dictionary);
    let gap = last_gap(&file);
    let range = format!("{:>10}{:>11}{:>11}{:>11}", 0, gap.start, gap.end, file.len() - gap.end);
    set_last_range(&mut file, &range);
    (file, gap)
}

/// Replaces the numbers of the last range in the file.
pub fn set_last_range(file: &mut [u8], numbers: &str) {
    let label = b"/ByteRange[";
    let start = file.windows(label.len()).rposition(|window| window == label).unwrap() + label.len();
    file[start..][..43].copy_from_slice(format!("{numbers:>43}").as_bytes());
}

/// Adds an object to a file by an incremental update.
pub fn append_object(file: &[u8], object: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(file);
    let after = |label: &str| text.rsplit_once(label).map(|(_, rest)| rest.trim_start());
    let number = |label| after(label).unwrap().split(|c: char| !c.is_ascii_digit()).next().unwrap();
    let size: usize = number("/Size ").parse().unwrap();
    let encrypt =
        if text.contains("/Encrypt ") { format!("/Encrypt {} 0 R", number("/Encrypt ")) } else { String::new() };
    let (root, previous) = (number("/Root "), number("startxref"));
    let id = "(0123456789abcdef)";
    let trailer = format!("<</Size {}/Root {root} 0 R/Prev {previous}/ID[{id}{id}]{encrypt}>>", size + 1);
    let mut out = [file, b"\n"].concat();
    let offset = out.len();
    out.extend(format!("{size} 0 obj\n{object}\nendobj\n").bytes());
    let table = out.len();
    let entry = format!("{size} 1\n{offset:010} 00000 n \n");
    out.extend(format!("xref\n{entry}trailer\n{trailer}\nstartxref\n{table}\n%%EOF\n").bytes());
    out
}
