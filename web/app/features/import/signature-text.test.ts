import { describe, expect, it } from "vitest";
import { needsReview } from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";
import {
  type DocumentSignature,
  NOT_CHECKED,
  signatureMessage,
  signatureSummary,
} from "#features/import/signature-text.ts";

const UNCHANGED: DocumentSignature = {
  state: "unchanged",
  count: 1,
  organisation: "Example Broking Limited",
  commonName: "DS 1",
  issuerCommonName: "Example CA",
  signedAt: "2026-06-05T13:00:00Z",
};

describe("signature of a document", () => {
  it("claims no more than was checked", () => {
    const { title, text } = signatureMessage(UNCHANGED);
    expect(title).toBe(
      "Unchanged since it was signed with a certificate in the name of Example Broking Limited (DS 1), issued by Example CA.",
    );
    expect(text).toBe(`Signed on 5 Jun 2026, 6:30 pm, as the signer states. ${NOT_CHECKED}`);
  });

  it("warns only of an altered document, which needs review", () => {
    const states = ["unsigned", "unchanged", "extended", "changed", "unchecked"] as const;
    const results = states.map((state) => {
      const signature: DocumentSignature = { state, count: 1, signedAt: null };
      return [signatureMessage(signature).tone, needsReview({ ...aPreview, signature })];
    });
    expect(results).toEqual([
      ["info", false],
      ["gain", false],
      ["warn", true],
      ["loss", true],
      ["info", false],
    ]);
  });

  it("is summarized by statement", () => {
    const unsigned: DocumentSignature = { state: "unsigned", count: 0, signedAt: null };
    expect(signatureSummary([UNCHANGED, unsigned, UNCHANGED])).toEqual([
      `2 documents: ${signatureMessage(UNCHANGED).title}`,
      "1 document: This document has no digital signature.",
      NOT_CHECKED,
    ]);
    expect(signatureSummary([unsigned])).toEqual(["This document has no digital signature."]);
    expect(signatureSummary([])).toEqual([]);
  });
});
