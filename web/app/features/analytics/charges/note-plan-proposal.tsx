import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { planLabel, saveAccountSettings, withPrices } from "#features/analytics/charges/brokerage-plan.ts";
import type { Schemas } from "#lib/api.ts";
import { useAccountName, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { plural } from "#lib/format.ts";
import { NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";

/** Price of an order that the contract notes of an account repeat, with the button that stores it. */
export function NotePlanProposal({ plan }: { plan: Schemas["NotePlan"] }) {
  const client = useQueryClient();
  const name = useAccountName();
  const accounts = useBrokerAccounts().data?.accounts ?? [];
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const { broker, brokerAccount = 1, prices, days } = plan;
  const account = accounts.find((one) => one.broker === broker && one.brokerAccount === brokerAccount);

  async function save() {
    if (!account) return;
    setPending(true);
    const message = await saveAccountSettings(account, withPrices(account.settings, prices)).catch(
      () => NO_ANSWER,
    );
    setFailure(message);
    // Charges and tax depend on the settings.
    await client.invalidateQueries();
    setPending(false);
  }

  return (
    <div className="border-line border-t px-4 py-4 text-ui sm:px-6" data-print="no">
      <p>
        {`${name(plan)}: the notes of ${plural(days, "day")} state another brokerage than the price list that we use. Days without a note are estimated with it.`}
      </p>
      {failure && (
        <p role="alert" className="font-semibold text-data text-loss">
          {failure}
        </p>
      )}
      <Button
        variant="secondary"
        size="sm"
        pending={pending}
        onClick={() => void save()}
        className="mt-2 h-auto! min-h-10 whitespace-normal! py-1.5 text-left text-data! pointer-coarse:min-h-11"
      >
        {planLabel(prices)}
      </Button>
    </div>
  );
}
