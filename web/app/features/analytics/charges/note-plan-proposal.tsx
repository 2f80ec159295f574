import { planLabel } from "#features/analytics/charges/brokerage-plan.ts";
import type { Schemas } from "#lib/api.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type NotePlanProposalProps = {
  plan: Schemas["NotePlan"];
  busy: boolean;
  onStore: () => void;
};

/** Price of an order that the stated charges of an account repeat, with the button that stores it. */
export function NotePlanProposal({ plan, busy, onStore }: NotePlanProposalProps) {
  const name = useAccountName();
  return (
    <div className="border-line border-t px-4 py-4 text-ui sm:px-6" data-print="no">
      <p>
        {`${name(plan)}: the charges of ${plural(plan.days, "day")} show another price of an order than the one we use for other days.`}
      </p>
      <Button
        variant="secondary"
        size="sm"
        pending={busy}
        onClick={onStore}
        className="mt-2 h-auto! min-h-10 whitespace-normal! py-1.5 text-left text-data! pointer-coarse:min-h-11"
      >
        {planLabel(plan.prices)}
      </Button>
    </div>
  );
}
