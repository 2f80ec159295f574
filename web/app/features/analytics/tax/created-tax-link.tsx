import { useEffect, useRef, useState } from "react";
import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import type { TaxLink } from "#features/analytics/tax/tax-link-texts.ts";
import { dateTime } from "#lib/format.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button } from "#ui/button.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** New link with its address, which the server returns only once. */
export type TaxLinkAddress = { url: string; link: TaxLink };

export type CreatedTaxLinkProps = {
  created: TaxLinkAddress;
  /** Name of the tax pack. */
  name: string;
  onDone: () => void;
};

/** Shows the address of a new link, with buttons to copy it and, on phones, to share it. */
export function CreatedTaxLink({ created: { url, link }, name, onDone }: CreatedTaxLinkProps) {
  const [status, setStatus] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const isPhone = useMedia("(pointer: coarse)");
  useEffect(() => heading.current?.focus(), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(url);
      setStatus("Copied.");
    } catch (error) {
      console.error(error);
      setStatus("The address could not be copied. Select it in the field and copy it there.");
    }
  }

  async function share() {
    setStatus("");
    try {
      await navigator.share({ title: name, url });
    } catch (error) {
      // The user closed the menu of the phone.
      if (error instanceof DOMException && error.name === "AbortError") return;
      console.error(error);
      setStatus("The address could not be shared. Copy it instead.");
    }
  }

  return (
    <div className="border-line border-t px-4 py-5 sm:px-6">
      <h3 ref={heading} tabIndex={-1} className="wrap-anywhere font-semibold text-ui outline-none">
        {`Link for ${link.recipient}`}
      </h3>
      <p className="mt-1 text-data">{name}</p>
      <p className="mt-1 text-data text-ink-2">
        Copy the address now: it is not shown again. Anyone who has it can see your trades of{" "}
        {yearInSentence(link.year)} until {dateTime(link.expiresAt)}.
      </p>
      <label htmlFor="taxLinkAddress" className="mt-3 mb-1 block text-data text-ink-2">
        Address
      </label>
      <TextInput
        id="taxLinkAddress"
        readOnly
        value={url}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <div className="mt-3 flex flex-wrap gap-3">
        <Button onClick={() => void copy()}>Copy</Button>
        {isPhone && typeof navigator.share === "function" && (
          <Button variant="secondary" onClick={() => void share()}>
            Share
          </Button>
        )}
        <Button variant="secondary" onClick={onDone}>
          Done
        </Button>
      </div>
      <p role="status" className="text-data text-ink-2 not-empty:mt-3">
        {status}
      </p>
    </div>
  );
}
