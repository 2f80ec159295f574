import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import { type PackAccount, packAccounts, packNames } from "#features/analytics/tax/tax-heading-texts.ts";
import { date } from "#lib/format.ts";
import { useToday } from "#lib/use-today.ts";

export type TaxPrintHeadingProps = {
  /** Financial year, such as 2025-26. */
  year: string;
  /** Name of the login, for accounts without a known holder. */
  login: string;
  accounts: readonly PackAccount[];
};

/** Title of the printed tax pack: the year, the person, the accounts and the day. */
export function TaxPrintHeading({ year, login, accounts }: TaxPrintHeadingProps) {
  const today = useToday();
  return (
    <div className="tax-document hidden pb-5 print:block">
      <p className="wrap-anywhere font-heading font-semibold text-h3">
        {`Tax pack of ${packNames(accounts, login)}, ${yearInSentence(year)}`}
      </p>
      <p className="mt-2">{`Accounts: ${packAccounts(accounts) || "none"}`}</p>
      {today && <p>{`Printed on ${date(today)} with TradeBahi`}</p>}
    </div>
  );
}
