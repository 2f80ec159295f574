import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { type EntryList, resetEntries } from "#features/journal/entries.ts";
import { api } from "#lib/api.ts";
import { plural } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type SaveToAccountProps = { account: string; lists: readonly (EntryList | undefined)[] };

/** Tells a visitor where the journal is stored, and lets a logged-in user move it to the account. */
export function SaveToAccount({ account, lists }: SaveToAccountProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [savedCount, setSavedCount] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const anonymous = lists.some((list) => list?.anonymous);
  const total = lists.reduce((sum, list) => sum + (list?.total ?? 0), 0);

  async function saveToAccount() {
    setBusy(true);
    setFailure(undefined);
    try {
      const { data, error, response } = await api.POST("/journal/take-over");
      if (data) setSavedCount(data.entries);
      else setFailure(failureMessage(response, error));
      if (data || response.status === 404) await resetEntries(client);
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(false);
  }

  if (savedCount !== undefined) {
    const title = `${plural(savedCount, "trade")} ${savedCount === 1 ? "is" : "are"} now in your account.`;
    return (
      <Banner
        role="status"
        tone="gain"
        title={title}
        onDismiss={() => setSavedCount(undefined)}
        className="mb-5"
      />
    );
  }
  if (!anonymous || total === 0 || lists.includes(undefined)) return null;
  if (!account) {
    return (
      <p className="mb-4 text-data text-ink-2">
        Stored for this browser only, until 90 days after your last trade.{" "}
        <Link to="/login" className="link">
          Log in
        </Link>{" "}
        to keep {total === 1 ? "it" : "them"} in an account.
      </p>
    );
  }
  return (
    <Banner
      title={`${plural(total, "trade")} ${total === 1 ? "is" : "are"} stored for this browser only.`}
      className="mb-5"
      actions={
        <Button size="sm" pending={busy} onClick={() => void saveToAccount()} className="max-sm:w-full">
          {`Keep ${total === 1 ? "this trade" : `these ${plural(total, "trade")}`} in your account`}
        </Button>
      }
    >
      Here they are deleted 90 days after the last one. In your account they are kept.
      <span role="alert" className="block font-semibold text-loss">
        {failure}
      </span>
    </Banner>
  );
}
