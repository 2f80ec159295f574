import { TypeWords, Words } from "#features/api-docs/words.tsx";
import type { Field } from "../../../api-reference/read-contract.ts";

/** Fields, parameters or headers: what each is called, what it takes, and what it means. */
export function FieldList({ fields }: { fields: readonly (Field & { place?: string })[] }) {
  return (
    <dl className="border-line border-t">
      {fields.map(({ name, type, required, text, place }) => (
        <div
          key={`${place} ${name}`}
          className="grid gap-x-6 border-line border-b py-2 text-data sm:grid-cols-[15rem_1fr]"
        >
          <dt className="min-w-0 font-mono wrap-anywhere">
            {name}
            {required && <span className="font-sans text-floor text-ink-3"> required</span>}
            {place && <span className="font-sans text-floor text-ink-3"> in {place}</span>}
          </dt>
          <dd className="min-w-0 text-ink-2 wrap-anywhere">
            <span className="font-mono text-floor text-ink-3">
              <TypeWords words={type} />
            </span>
            <p>
              <Words text={text} />
            </p>
          </dd>
        </div>
      ))}
    </dl>
  );
}
