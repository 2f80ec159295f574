import { phone } from "#features/trades/log-words.ts";
import type { TradePage } from "#features/trades/trade-pages.ts";

/** Whose log it is, in one line under the title. */
export function ClientDetails({ record }: { record: TradePage }) {
  const details = [
    { term: "Client ID", value: record.clientId },
    { term: "Email", value: record.email },
    { term: "Phone", value: phone(record.phoneNumber) },
  ].filter(({ value }) => value !== "");
  return (
    <dl className="mt-3 flex flex-wrap gap-x-7 gap-y-1 text-ui">
      <div>
        <dt className="sr-only">Name</dt>
        <dd className="font-semibold">{record.name}</dd>
      </div>
      {details.map(({ term, value }) => (
        <div key={term} className="flex min-w-0 gap-2">
          <dt className="shrink-0 text-ink-3">{term}</dt>
          <dd className="min-w-0 break-words text-ink-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
