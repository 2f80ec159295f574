import { FormattedText, TypeText } from "#features/api-docs/formatted-text.tsx";
import type { Field } from "../../../api-reference/build-reference.ts";

/** Lists fields, parameters or headers with name, type and description. */
export function FieldList({ fields }: { fields: readonly (Field & { location?: string })[] }) {
  return (
    <dl className="border-line border-t">
      {fields.map(({ name, type, required, text, location }) => (
        <div
          key={`${location} ${name}`}
          className="grid gap-x-6 border-line border-b py-2 text-data sm:grid-cols-[15rem_1fr]"
        >
          <dt className="min-w-0 font-mono wrap-anywhere">
            {name}
            {required && <span className="font-sans text-floor text-ink-3"> required</span>}
            {location && <span className="font-sans text-floor text-ink-3"> in {location}</span>}
          </dt>
          <dd className="min-w-0 text-ink-2 wrap-anywhere">
            <span className="font-mono text-floor text-ink-3">
              <TypeText parts={type} />
            </span>
            <p>
              <FormattedText text={text} />
            </p>
          </dd>
        </div>
      ))}
    </dl>
  );
}
