import type { Schemas } from "#lib/api.ts";
import { dateTime, plural } from "#lib/format.ts";

export type DocumentSignature = Schemas["DocumentSignature"];

type SignatureMessage = {
  tone: "info" | "gain" | "warn" | "loss";
  /** Statement that claims no more than was checked. */
  title: string;
  text: string;
};

/** Limit of what a matching signature proves. */
export const NOT_CHECKED =
  "TradeBahi does not check whether the issuer can be trusted, or whether the certificate was revoked or had expired.";

const PROBLEMS: Record<NonNullable<DocumentSignature["problem"]>, string> = {
  damaged: "It is damaged.",
  unsupported: "This kind of signature is not supported.",
  weak: "Its algorithm or key, such as SHA-1, is too weak to rely on.",
  certificateMissing: "It does not contain the certificate of its signer.",
  tooLarge: "It is too large, or the document has too many.",
};

/** Returns true if the document may not be what was signed, so that the trader must decide about it. */
export function isAltered(signature: DocumentSignature | undefined): boolean {
  return signature?.state === "changed" || signature?.state === "extended";
}

/** Describes the comparison of a document with its signatures. */
export function signatureMessage(signature: DocumentSignature): SignatureMessage {
  switch (signature.state) {
    case "unchanged":
      return { tone: "gain", title: unchangedTitle(signature), text: unchangedText(signature) };
    case "unsigned":
      return {
        tone: "info",
        title: "This document has no digital signature.",
        text: "It cannot be checked whether it was changed.",
      };
    case "extended":
      return {
        tone: "warn",
        title: "Something was added to this document after it was signed.",
        text: "What it shows may not be what was signed. Download it from your broker again, and upload it unchanged.",
      };
    case "changed":
      return {
        tone: "loss",
        title: "This document was changed after it was signed.",
        text: "Its digital signature does not match. Download the document from your broker again, and upload it unchanged. Import this file only if you know the reason, such as a password that you removed.",
      };
    case "unchecked":
      return {
        tone: "info",
        title: "The digital signature of this document was not checked.",
        text: signature.problem ? PROBLEMS[signature.problem] : "",
      };
  }
}

function unchangedTitle({
  organisation,
  commonName,
  issuerOrganisation,
  issuerCommonName,
}: DocumentSignature) {
  const signer = nameOf(organisation, commonName);
  const issuer = nameOf(issuerOrganisation, issuerCommonName);
  return `Unchanged since it was signed with a certificate in the name of ${signer}, issued by ${issuer}.`;
}

function unchangedText({ signedAt, count }: DocumentSignature): string {
  const time = signedAt ? `Signed on ${dateTime(signedAt)}, as the signer states. ` : "";
  const others = count > 1 ? `The document has ${count} signatures; this one covers all of it. ` : "";
  return time + others + NOT_CHECKED;
}

function nameOf(organisation = "", commonName = ""): string {
  if (organisation && commonName) return `${organisation} (${commonName})`;
  return organisation || commonName || "an unknown name";
}

/** Summarizes the signatures of imported files: each statement with the number of files, and the limit of what it proves. */
export function signatureSummary(signatures: readonly DocumentSignature[]): string[] {
  const counts = new Map<string, number>();
  for (const signature of signatures) {
    const { title } = signatureMessage(signature);
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  const total = signatures.length;
  const lines = [...counts].map(([title, count]) =>
    total === 1 ? title : `${plural(count, "document")}: ${title}`,
  );
  return signatures.some(({ state }) => state === "unchanged") ? [...lines, NOT_CHECKED] : lines;
}
