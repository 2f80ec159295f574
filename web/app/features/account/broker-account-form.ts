import type { Schemas } from "#lib/api.ts";
import { brokerName } from "#lib/books.ts";
import { plainNumber } from "#lib/typed-number.ts";
import brokerPlans from "../../../../crates/trades/broker-plans.json";

type Account = Schemas["BrokerAccount"];
type Price = Schemas["BrokeragePrice"];

export type BrokerageKind = Price["kind"];

export const BROKERAGE_KINDS: readonly { value: BrokerageKind; label: string }[] = [
  { value: "delivery", label: "Shares, delivery" },
  { value: "intraday", label: "Shares, intraday" },
  { value: "futures", label: "Futures" },
  { value: "options", label: "Options" },
];

/** Agreed brokerage as typed. */
export type PriceDraft = { kind: BrokerageKind; from: string; flat: string; percent: string; max: string };

/** Fields of the form of a broker account, as typed. */
export type AccountDraft = {
  label: string;
  holder: string;
  plan: string;
  womanFirstHolder: boolean;
  openedOn: string;
  closedOn: string;
  brokerage: PriceDraft[];
};

export const EMPTY_PRICE: PriceDraft = { kind: "options", from: "", flat: "", percent: "", max: "" };

/** Returns the plans of a broker; each has the standard price list. */
export function planOptions(broker: Schemas["Broker"]): { value: string; label: string }[] {
  const plans: Partial<Record<string, { plan: string; name: string }[]>> = brokerPlans;
  const listed = plans[broker] ?? [{ plan: "standard", name: "Standard" }];
  return listed.map(({ plan, name }) => ({
    value: plan,
    label: `${brokerName(broker)} ${name.toLowerCase()}`,
  }));
}

export function toDraft(account: Account): AccountDraft {
  const {
    plan = "standard",
    womanFirstHolder = false,
    openedOn,
    closedOn,
    brokerage = [],
  } = account.settings;
  const text = (number?: number) => (number === undefined ? "" : String(number));
  return {
    label: account.label ?? "",
    holder: account.holder ?? "",
    plan,
    womanFirstHolder,
    openedOn: openedOn ?? "",
    closedOn: closedOn ?? "",
    brokerage: brokerage.map(({ kind, from, flat, percent, max }) => ({
      kind,
      from: from ?? "",
      flat: text(flat),
      percent: text(percent),
      max: text(max),
    })),
  };
}

/** Returns the body of the request that saves the draft. Lower limits, which the form does not show, are kept. */
export function toBody(draft: AccountDraft, account: Account) {
  const number = (text: string) => (text.trim() === "" ? undefined : Number(plainNumber(text)));
  const minimum = (price: PriceDraft) =>
    account.settings.brokerage?.find(({ kind, from = "" }) => kind === price.kind && from === price.from)
      ?.min;
  const brokerage = draft.brokerage.map((price): Price => {
    const [flat, percent, max] = [number(price.flat), number(price.percent), number(price.max)];
    const min = percent === undefined ? undefined : minimum(price);
    return {
      kind: price.kind,
      ...(price.from && { from: price.from }),
      ...(flat !== undefined && { flat }),
      ...(percent !== undefined && { percent }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    };
  });
  return {
    label: draft.label.trim(),
    holder: draft.holder.trim(),
    settings: {
      plan: draft.plan,
      womanFirstHolder: draft.womanFirstHolder,
      ...(draft.openedOn && { openedOn: draft.openedOn }),
      ...(draft.closedOn && { closedOn: draft.closedOn }),
      brokerage,
    },
  };
}

/** Returns the first mistake in a draft; empty if there is none. */
export function draftMistake(draft: AccountDraft): string {
  if (draft.openedOn && draft.closedOn && draft.closedOn < draft.openedOn) {
    return "The account was closed before it was opened.";
  }
  for (const [index, price] of draft.brokerage.entries()) {
    const name = `Brokerage ${index + 1}`;
    const typed = [price.flat, price.percent, price.max].filter((text) => text.trim() !== "");
    if (typed.some((text) => !/^\d+(\.\d{1,4})?$/.test(plainNumber(text)))) {
      return `${name}: enter numbers such as 15 or 0.03.`;
    }
    if ((price.flat.trim() === "") === (price.percent.trim() === "")) {
      return `${name}: enter either rupees per order or a percentage.`;
    }
    if (price.flat.trim() && price.max.trim()) return `${name}: only a percentage has a maximum.`;
    const isSame = (other: PriceDraft) => other.kind === price.kind && other.from === price.from;
    if (draft.brokerage.findIndex(isSame) !== index) {
      return `${name}: there is another brokerage for the same orders from the same day.`;
    }
  }
  return "";
}
