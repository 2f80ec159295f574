import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { type EntryList, forgetEntries } from "#features/journal/entries.ts";
import { api } from "#lib/api.ts";
import { plural } from "#lib/format.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type KeepingProps = { account: string; lists: readonly (EntryList | undefined)[] };

/** Where the journal is kept: in this browser for a while, and once signed in, with one click, in the account. */
export function Keeping({ account, lists }: KeepingProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [kept, setKept] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const anonymous = lists.some((list) => list?.anonymous);
  const total = lists.reduce((sum, list) => sum + (list?.total ?? 0), 0);

  async function keep() {
    setBusy(true);
    setFailure(undefined);
    try {
      const { data, error, response } = await api.POST("/journal/take-over");
      if (data) setKept(data.entries);
      else setFailure(failureLine(response, error));
      if (data || response.status === 404) await forgetEntries(client);
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(false);
  }

  if (kept !== undefined) {
    const title = `${plural(kept, "trade")} ${kept === 1 ? "is" : "are"} kept in your account now.`;
    return (
      <Banner role="status" tone="gain" title={title} onDismiss={() => setKept(undefined)} className="mb-5" />
    );
  }
  if (!anonymous || total === 0 || lists.includes(undefined)) return null;
  if (!account) {
    return (
      <p className="mb-4 text-data text-ink-2">
        Kept for this browser alone, until 90 days after the last trade.{" "}
        <Link to="/login" className="link">
          Log in
        </Link>{" "}
        to keep {total === 1 ? "it" : "them"} in an account.
      </p>
    );
  }
  return (
    <Banner
      title={`${plural(total, "trade")} ${total === 1 ? "is" : "are"} kept for this browser alone.`}
      className="mb-5"
      actions={
        <Button size="sm" pending={busy} onClick={() => void keep()} className="max-sm:w-full">
          {`Keep ${total === 1 ? "this trade" : `these ${plural(total, "trade")}`} in your account`}
        </Button>
      }
    >
      Here they end 90 days after the last one; in your account they stay.
      <span role="alert" className="block font-semibold text-loss">
        {failure}
      </span>
    </Banner>
  );
}
