import { lastSeen } from "#features/account/session-text.ts";
import type { Schemas } from "#lib/api.ts";
import { date } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type SessionRowProps = { session: Schemas["Session"]; ending: boolean; onEnd: () => void };

export function SessionRow({ session, ending, onEnd }: SessionRowProps) {
  const { device, address, createdAt, lastSeenAt, current } = session;
  return (
    <li className="flex min-h-16 items-center gap-4 border-line border-b px-4 py-3 last:border-b-0 sm:px-5">
      <div className="min-w-0 flex-1 text-ui">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
          {device}
          {current && (
            <span className="rounded-tag bg-brand-soft px-2 py-0.5 text-brand text-floor">This device</span>
          )}
        </p>
        <p className="text-data text-ink-2">
          {address && <span className="figures">{address} · </span>}Last seen{" "}
          {lastSeen(lastSeenAt, Date.now())}
        </p>
        <p className="text-data text-ink-3">Logged in on {date(createdAt)}</p>
      </div>
      {!current && (
        <Button
          variant="secondary"
          size="sm"
          pending={ending}
          onClick={onEnd}
          aria-label={`Log out ${device}`}
        >
          Log out
        </Button>
      )}
    </li>
  );
}
