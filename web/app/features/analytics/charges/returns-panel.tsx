import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "react-router";
import { FRESH } from "#features/analytics/analytics-api.ts";
import {
  type Advice,
  basisNotes,
  type ChosenPeriod,
  missingText,
  needsPeriodReturn,
  periodReturnText,
  returnsTitle,
  timeWeightedText,
  totalNotes,
  xirrText,
} from "#features/analytics/charges/returns-texts.ts";
import { useSymbolPrices } from "#features/analytics/charges/use-symbol-prices.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { Figure } from "#features/analytics/figures/figure.tsx";
import { type Filters, filterQuery } from "#features/analytics/filters/analytics-view.ts";
import { type StackedColumn, StackedTable } from "#features/analytics/tables/stacked-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { date, inrPaise, plural, signed } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { signedPercent } from "#lib/ratio-format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type AccountReturns = Schemas["AccountReturns"];
type CapitalReturns = Schemas["CapitalReturns"];
type MeasuredAccount = AccountReturns & { returns: CapitalReturns };

/** Returns on the capital of the accounts. The period and the broker of the filters apply. */
export function ReturnsPanel({ filters }: { filters: Filters }) {
  const viewer = useViewer();
  const { from, to, broker, brokerAccount } = filterQuery(filters);
  const prices = useSymbolPrices();
  const query = {
    ...(from && { from }),
    ...(to && { to }),
    ...(broker && { broker }),
    ...(brokerAccount && { brokerAccount }),
    ...(prices && { prices }),
  };
  const { data, error, isError, isFetching, refetch } = $api.useQuery(
    "get",
    "/analytics/returns-on-capital",
    { params: { query }, ...viewer.requestInit },
    { ...FRESH, placeholderData: keepPreviousData },
  );
  return (
    <Panel
      title={returnsTitle(data?.total ?? null)}
      text="What your money with the broker earned, until the last day of the ledger. It counts results of trades and costs; it leaves out dividends, and unsold holdings count at cost unless you type prices."
    >
      {data ? (
        <Returns accounts={data.accounts} total={data.total} chosen={{ from, to }} />
      ) : (
        <div className="px-4 pb-6 sm:px-6">
          {isError ? (
            <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />
          ) : (
            <TableSkeleton label="Loading returns" columns={4} />
          )}
        </div>
      )}
      <Definitions />
    </Panel>
  );
}

type ReturnsProps = {
  accounts: readonly AccountReturns[];
  total: CapitalReturns | null;
  /** Period of the filters. */
  chosen: ChosenPeriod;
};

function Returns({ accounts, total, chosen }: ReturnsProps) {
  const accountName = useAccountName(useViewer().requestInit);
  const measured = accounts.filter((account): account is MeasuredAccount => account.returns !== null);
  const notes = accounts.flatMap((account) => {
    const own = account.missing ? [missingText(account.missing, account)] : basisNotes(account, chosen);
    return own.map((note) => ({ ...note, account: accountName(account) }));
  });
  const isPart = measured.length > 0 && measured.length < accounts.length;
  const part = isPart
    ? [{ text: `These figures count ${measured.length} of ${plural(accounts.length, "account")}.` }]
    : [];
  if (accounts.length === 0)
    return (
      <Notes
        notes={[
          {
            text: "No ledger is imported for this broker. Import Zerodha's ledger (Console, Funds, Statement) or Groww's balance statement.",
            link: { to: "/dashboard?panel=0", label: "Add trades" },
          },
        ]}
      />
    );
  return (
    <>
      {total && (
        <Figures returns={total} endsVary={new Set(measured.map((one) => one.returns.to)).size > 1} />
      )}
      {measured.length > 1 && (
        <StackedTable
          caption="Returns on capital by account"
          columns={columnsOf(accountName)}
          rows={measured}
          rowKey={({ broker, brokerAccount = 1 }) => `${broker} ${brokerAccount}`}
        />
      )}
      <Notes notes={[...part, ...totalNotes(total, accounts), ...notes]} />
    </>
  );
}

function Figures({ returns, endsVary }: { returns: CapitalReturns; endsVary: boolean }) {
  const { startValue, deposits, withdrawals, transfers, gain, timeWeightedAnnual: annual } = returns;
  const invested = [
    startValue !== 0 && `${inrPaise(startValue)} at the start`,
    `${inrPaise(deposits)} deposited`,
    `${inrPaise(withdrawals)} withdrawn`,
    transfers !== 0 && `${signed(transfers)} in shares, or paid to the bank`,
  ].filter((part) => part !== false);
  return (
    <>
      <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">
        {`Period: ${period(returns.from, returns.to)}`}
      </p>
      <dl className="grid grid-cols-1 border-line border-t min-[24rem]:grid-cols-2 min-[56rem]:grid-cols-5">
        <Figure term="Invested, net" value={inrPaise(returns.invested)} foot={invested.join(", ")} />
        <Figure
          term={endsVary ? "Value at the end of each ledger" : `Value on ${date(returns.to)}`}
          value={inrPaise(returns.endValue)}
          foot="Cash and open positions"
        />
        <Figure term="Gain" value={<Result value={gain} />} foot="Value less what is invested" />
        <Figure
          term="XIRR"
          value={rate(returns.xirr)}
          foot={xirrText(returns) || "A year, weighted by your money"}
        />
        <Figure
          term="Time-weighted return"
          value={rate(returns.timeWeighted)}
          foot={
            timeWeightedText(returns) ||
            (annual === null
              ? "In this period, without the effect of deposits"
              : `${signedPercent(annual)} a year`)
          }
        />
        {needsPeriodReturn(returns) && (
          <Figure
            term="Return of the period"
            value={rate(returns.periodReturn)}
            foot={periodReturnText(returns) || "Gain divided by the average capital"}
          />
        )}
      </dl>
    </>
  );
}

function columnsOf(accountName: (account: AccountReturns) => string): StackedColumn<MeasuredAccount>[] {
  return [
    {
      label: "Account",
      cell: (account) => (
        <>
          <span className="block font-semibold">{accountName(account)}</span>
          <span className="block text-floor text-ink-2">
            {period(account.returns.from, account.returns.to)}
          </span>
        </>
      ),
    },
    { label: "XIRR", figures: true, cell: ({ returns }) => rate(returns.xirr) },
    {
      label: "Invested, net",
      figures: true,
      secondary: true,
      cell: ({ returns }) => inrPaise(returns.invested),
    },
    {
      label: "Value",
      figures: true,
      secondary: true,
      cell: ({ returns }) => inrPaise(returns.endValue),
    },
    { label: "Gain", figures: true, secondary: true, cell: ({ returns }) => <Result value={returns.gain} /> },
    {
      label: "Period",
      figures: true,
      secondary: true,
      cell: ({ returns }) => rate(returns.periodReturn),
    },
    {
      label: "Time-weighted",
      figures: true,
      secondary: true,
      cell: ({ returns }) => rate(returns.timeWeighted),
    },
  ];
}

function rate(value: number | null): string {
  return value === null ? "–" : signedPercent(value);
}

function Notes({ notes }: { notes: readonly (Advice & { account?: string })[] }) {
  const { isOwner } = useViewer();
  return (
    <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 empty:hidden sm:px-6">
      {notes.map(({ account, text, link }) => (
        <li key={`${account} ${text}`}>
          {account && <span className="font-semibold text-ink">{`${account}: `}</span>}
          {text}{" "}
          {isOwner && link && (
            <Link className="font-medium text-link underline underline-offset-2" to={link.to}>
              {link.label}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

const DEFINITIONS = [
  {
    term: "Value",
    text: "Cash of the ledger, with trades that are not settled yet, and open positions at cost. If the ledger ends in the last seven days and no trade is later, prices that you typed or added count as those of its last day, for positions that were opened in the period. After a later split, bonus, merger or demerger, and for bonus shares on older holdings, they do not. Shares that were not bought in this account count at the cost that you entered.",
  },
  {
    term: "Shares outside the trades",
    text: "Shares that are not in your trades, such as a gift or a transfer from another broker, are left out until you enter them as opening holdings. Shares that you gave away or transferred still count, because no trade closes them.",
  },
  {
    term: "XIRR",
    text: "The rate per year at which your deposits, withdrawals and the value at the end balance (actual/365, as in Excel). It depends on when money came in. For less than 90 days with at least ₹100 and 1% of the highest capital, only the return of the period is shown.",
  },
  {
    term: "Time-weighted return",
    text: "The returns of the days, linked, so that the size and time of deposits and withdrawals do not change it. A deposit counts from the start of its day, a withdrawal until the end of its day. Holdings count at cost until they are sold, and dividends are left out. If money came in or left while futures were open or not settled, or bonus shares counted at ₹0, there is no figure. Money that moves between your accounts on one day does not change the returns of the total.",
  },
  {
    term: "Small amounts",
    text: "Less than ₹100 is no capital: it begins no period. The time-weighted return leaves out days with less than 1% of the highest capital, too; if their results are more than ₹100, there is no figure. Entries of an unknown kind count as costs up to ₹100 in all.",
  },
  {
    term: "Return of the period",
    text: "Gain divided by the average capital, in which each deposit and withdrawal counts for the days that remain until the last day with at least ₹100 and 1% of the highest capital (Modified Dietz). If the average is less than a tenth of the highest capital, or less than half of the mean of these days, there is no figure.",
  },
];

function Definitions() {
  return (
    <details className="border-line border-t px-4 py-4 text-data sm:px-6" data-print="no">
      <summary className="cursor-pointer font-semibold">How we calculate returns</summary>
      <dl className="mt-2 max-w-prose space-y-2">
        {DEFINITIONS.map(({ term, text }) => (
          <div key={term}>
            <dt className="font-semibold">{term}</dt>
            <dd className="text-ink-2">{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
