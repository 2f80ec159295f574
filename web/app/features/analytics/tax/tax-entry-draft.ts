import { accountKey, isSameName } from "#features/analytics/tax/tax-groups.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { date } from "#lib/format.ts";
import { plainNumber } from "#lib/typed-number.ts";

export type TaxEntry = Schemas["TaxEntry"];
type Kind = Schemas["TaxEntryKind"];
/** Account of figures. */
export type EntryAccount = Pick<
  Schemas["BrokerAccount"],
  "broker" | "brokerAccount" | "holder" | "label" | "clientCode"
>;

/** Dividend as typed. `account` is a key such as zerodha-2. */
export type DividendDraft = {
  id: number;
  account: string;
  day: string;
  name: string;
  amount: string;
  taxDeducted: string;
};

/** Payment of advance tax as typed. `account` is the key of the person's account. */
export type PaymentDraft = { id: number; account: string; day: string; amount: string };

/** Figures of a tax year as typed. */
export type TaxEntriesDraft = {
  dividends: DividendDraft[];
  /** Typed totals by the keys of {@link totalKey}. */
  totals: Record<string, string>;
  /** Keys of the accounts whose delivered shares are business. */
  business: string[];
  payments: PaymentDraft[];
  /** Keys of the accounts of people who chose the old tax regime. */
  oldRegime: string[];
  /** Age classes by the keys of the people's accounts. */
  ages: Record<string, "age60" | "age80">;
};

export const AIS_TOTALS = [
  { kind: "aisShortTermSales", label: "Sale value, short term (₹)" },
  { kind: "aisLongTermSales", label: "Sale value, long term (₹)" },
  { kind: "aisDividends", label: "Dividends (₹)" },
] as const satisfies readonly { kind: Kind; label: string }[];

export const REPORT_TOTALS = [
  { kind: "reportSpeculative", label: "Intraday result (₹)" },
  { kind: "reportNonSpeculative", label: "F&O result (₹)" },
  { kind: "reportShortTerm", label: "Short-term result (₹)" },
  { kind: "reportLongTerm", label: "Long-term result (₹)" },
  { kind: "reportDividends", label: "Dividends (₹)" },
] as const satisfies readonly { kind: Kind; label: string }[];

export const TAX_TOTALS = [
  { kind: "salary", label: "Salary or pension (₹)" },
  { kind: "otherIncome", label: "Interest, rent and other income (₹)" },
  { kind: "taxDeducted", label: "TDS, except on dividends (₹)" },
  { kind: "taxPaidLater", label: "Tax paid after the year (₹)" },
] as const satisfies readonly { kind: Kind; label: string }[];

type Totals = typeof AIS_TOTALS | typeof REPORT_TOTALS | typeof TAX_TOTALS;
type TotalKind = Totals[number]["kind"];

/** Results of a report, which may be losses. */
const SIGNED: readonly Kind[] = [
  "reportSpeculative",
  "reportNonSpeculative",
  "reportShortTerm",
  "reportLongTerm",
];

/** Returns the key of a total and its account. It is also the id of the field. */
export function totalKey(kind: TotalKind, account: string): string {
  return `${kind}.${account}`;
}

/** Returns the accounts with those that only figures have, because they were removed since. */
export function withRemovedAccounts(
  accounts: readonly EntryAccount[],
  entries: readonly TaxEntry[],
): EntryAccount[] {
  const all = [...accounts];
  for (const entry of entries) {
    const { broker, brokerAccount = 1 } = entry;
    if (all.some((account) => accountKey(account) === accountKey(entry))) continue;
    all.push({ broker, brokerAccount, label: `${brokerAccountName(entry)} (removed)` });
  }
  return all;
}

/** Person with accounts. Figures of a person are stored with their first account. */
export type Person = { name: string; account: string; accounts: string[] };

/** Returns the people whose accounts these are. Accounts without a holder belong to the first person. */
export function peopleOf(accounts: readonly EntryAccount[]): Person[] {
  const people: Person[] = [];
  for (const account of accounts) {
    const key = accountKey(account);
    const { holder = "" } = account;
    const person = people.find(({ name }) => isSameName(name, holder));
    if (person) person.accounts.push(key);
    else people.push({ name: holder, account: key, accounts: [key] });
  }
  const [first, ...others] = people.toSorted(
    (one, other) => Number(one.name === "") - Number(other.name === ""),
  );
  if (!first) return [];
  const unnamed = others.filter(({ name }) => name === "").flatMap((person) => person.accounts);
  return [
    { ...first, accounts: [...first.accounts, ...unnamed] },
    ...others.filter(({ name }) => name !== ""),
  ];
}

export function toDraft(entries: readonly TaxEntry[], people: readonly Person[]): TaxEntriesDraft {
  const draft: TaxEntriesDraft = {
    dividends: [],
    totals: {},
    business: [],
    payments: [],
    oldRegime: [],
    ages: {},
  };
  for (const entry of entries) {
    const { kind, day = "", name = "", amount, taxDeducted } = entry;
    const account = accountKey(entry);
    const person = people.find(({ accounts }) => accounts.includes(account))?.account ?? account;
    if (kind === "dividend") {
      draft.dividends.push({
        id: draft.dividends.length,
        account,
        day,
        name,
        amount: String(amount ?? ""),
        taxDeducted: String(taxDeducted ?? ""),
      });
    } else if (kind === "sharesAsBusiness") {
      draft.business.push(account);
    } else if (kind === "advanceTax") {
      draft.payments.push({ id: draft.payments.length, account: person, day, amount: String(amount ?? "") });
    } else if (kind === "oldRegime") {
      if (!draft.oldRegime.includes(person)) draft.oldRegime.push(person);
    } else if (kind === "age60" || kind === "age80") {
      draft.ages[person] = kind;
    } else {
      const isOfPerson = [...AIS_TOTALS, ...TAX_TOTALS].some((total) => total.kind === kind);
      const key = totalKey(kind, isOfPerson ? person : account);
      // Two accounts can have become those of one person since.
      const sum = Number(draft.totals[key] ?? 0) + (amount ?? 0);
      draft.totals[key] = String(Math.round(sum * 100) / 100);
    }
  }
  return draft;
}

/** Mistake of a field, with the id of the field. */
export type Mistake = { id: string; message: string };

/** Returns the id of a field of a payment of advance tax. */
export function paymentFieldId(id: number, field: "day" | "amount"): string {
  return `payment-${id}-${field}`;
}

/** Returns the id of a field of a dividend. */
export function dividendFieldId(id: number, field: keyof DividendDraft): string {
  return `dividend-${id}-${field}`;
}

/** Returns the mistakes in the order of the fields; `firstDay` and `lastDay` are those of the tax year until today. */
export function draftMistakes(draft: TaxEntriesDraft, firstDay: string, lastDay: string): Mistake[] {
  const mistakes: Mistake[] = [];
  draft.dividends.forEach(({ id, day, name, amount, taxDeducted }, index) => {
    const add = (field: keyof DividendDraft, message: string) =>
      mistakes.push({ id: dividendFieldId(id, field), message: `Dividend ${index + 1}: ${message}` });
    if (day < firstDay || day > lastDay) add("day", dayMessage(firstDay, lastDay));
    if (name.trim() === "") add("name", "enter the company.");
    const mistake = paymentMistake(amount);
    if (mistake) add("amount", mistake);
    else if (
      taxDeducted.trim() !== "" &&
      !(isRupees(taxDeducted) && toAmount(taxDeducted) <= toAmount(amount))
    )
      add("taxDeducted", "enter rupees up to the amount of the dividend, or nothing.");
  });
  draft.payments.forEach(({ id, account, day, amount }) => {
    const number =
      draft.payments.filter((one) => one.account === account).findIndex((one) => one.id === id) + 1;
    const add = (field: "day" | "amount", message: string) =>
      mistakes.push({ id: paymentFieldId(id, field), message: `Payment ${number}: ${message}` });
    if (day < firstDay || day > lastDay) {
      add("day", `${dayMessage(firstDay, lastDay)} Tax that was paid later has a field of its own.`);
    }
    const mistake = paymentMistake(amount);
    if (mistake) add("amount", mistake);
  });
  for (const [key, text] of Object.entries(draft.totals)) {
    const isSigned = SIGNED.some((kind) => kind === key.split(".")[0]);
    const mistake = text.trim() === "" ? undefined : rupeesMistake(text, isSigned);
    if (mistake) mistakes.push({ id: key, message: `${totalLabel(key)}: ${mistake}` });
  }
  return mistakes;
}

function dayMessage(firstDay: string, lastDay: string): string {
  return `enter a day from ${date(firstDay)} to ${date(lastDay)}.`;
}

/** Returns what is wrong with a payment, which is above 0; undefined if nothing is. */
function paymentMistake(text: string): string | undefined {
  return rupeesMistake(text) ?? (toAmount(text) === 0 ? "enter an amount above 0." : undefined);
}

/** Returns what is wrong with an amount; undefined if nothing is. A signed one may be a loss. */
function rupeesMistake(text: string, isSigned = false): string | undefined {
  if (isRupees(isSigned ? withoutMinus(text) : text)) return undefined;
  const plain = plainNumber(withoutMinus(text));
  if (isRupees(plain)) return "the amount cannot be negative.";
  if (/^\d{12,}(\.\d*)?$/.test(plain)) return "the amount is too large, at most 11 digits.";
  if (/^\d+\.\d{3,}$/.test(plain)) return "at most 2 digits after the point.";
  return `enter digits only, such as 1200000 or 12,00,000${isSigned ? ", with a minus for a loss" : ""}.`;
}

/** Returns the label of a total without its unit. */
function totalLabel(key: string): string {
  const [kind] = key.split(".");
  const total = [...AIS_TOTALS, ...REPORT_TOTALS, ...TAX_TOTALS].find((one) => one.kind === kind);
  return (total?.label ?? "").replace(" (₹)", "");
}

/** Returns the figures for the API, without those that were left empty. */
export function toEntries(draft: TaxEntriesDraft): TaxEntry[] {
  const { dividends, totals, business, payments, oldRegime, ages } = draft;
  return [
    ...dividends.map(({ account, day, name, amount, taxDeducted }) => ({
      kind: "dividend" as const,
      ...toAccount(account),
      day,
      name: name.trim(),
      amount: toAmount(amount),
      ...(taxDeducted.trim() !== "" && { taxDeducted: toAmount(taxDeducted) }),
    })),
    ...Object.entries(totals)
      .filter(([, text]) => text.trim() !== "")
      .map(([key, text]) => {
        const [kind, account = ""] = key.split(".");
        return { kind: kind as Kind, ...toAccount(account), amount: toAmount(text) };
      }),
    ...business.map((account) => ({ kind: "sharesAsBusiness" as const, ...toAccount(account) })),
    ...payments.map(({ account, day, amount }) => ({
      kind: "advanceTax" as const,
      ...toAccount(account),
      day,
      amount: toAmount(amount),
    })),
    ...oldRegime.map((account) => ({ kind: "oldRegime" as const, ...toAccount(account) })),
    ...Object.entries(ages).map(([account, kind]) => ({ kind, ...toAccount(account) })),
  ];
}

function toAccount(key: string): Pick<TaxEntry, "broker" | "brokerAccount"> {
  const [broker, number] = key.split("-");
  return { broker: broker as TaxEntry["broker"], ...(number && { brokerAccount: Number(number) }) };
}

function isRupees(text: string): boolean {
  return /^\d{1,11}(\.\d{1,2})?$/.test(plainNumber(text));
}

function withoutMinus(text: string): string {
  return text.trim().replace(/^[-−]/, "");
}

function toAmount(text: string): number {
  const unsigned = withoutMinus(text);
  const amount = Number(plainNumber(unsigned));
  return unsigned === text.trim() ? amount : 0 - amount;
}
