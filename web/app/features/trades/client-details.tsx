import clsx from "clsx";
import { phone } from "#features/trades/log-text.ts";
import type { TradePage } from "#features/trades/trade-pages.ts";

/** Placeholder about as wide as a client ID or a phone number. */
const PLACEHOLDER = <span className="inline-block w-20" />;

export type ClientDetailsProps = {
  user: { name: string; email: string };
  /** Undefined while loading; its space is reserved, so that the layout does not shift. */
  record: TradePage | undefined;
};

/** Name, client ID, email and phone of the trader, in a quiet line below the log. */
export function ClientDetails({ user, record }: ClientDetailsProps) {
  const details = [
    { term: "Client ID", value: record?.clientId },
    { term: "Email", value: record?.email ?? user.email },
    { term: "Phone", value: record && phone(record.phoneNumber) },
  ].filter(({ value }) => value !== "");
  return (
    <dl className={clsx("mt-4 flex flex-wrap gap-x-6 gap-y-1 text-data text-ink-2", !record && "invisible")}>
      <div className="min-w-0">
        <dt className="sr-only">Name</dt>
        <dd className="break-words">{record?.name ?? user.name}</dd>
      </div>
      {details.map(({ term, value }) => (
        <div key={term} className="flex min-w-0 gap-2">
          <dt className="shrink-0 text-ink-3">{term}</dt>
          <dd className="min-w-0 break-words text-ink-2">{value ?? PLACEHOLDER}</dd>
        </div>
      ))}
    </dl>
  );
}
