import * as v from "valibot";
import {
  hasExit,
  isLotCount,
  type LegFields,
  legExpiry,
  legQuantity,
  type StrategyFields,
} from "#features/strategy-entry/strategy-fields.ts";
import { getTemplate } from "#features/strategy-entry/templates.ts";
import { isWeekend } from "#lib/expiry-calendar.ts";
import { count, date } from "#lib/format.ts";
import { fromTimeField } from "#lib/india-time.ts";
import { isUnderlying, optionSymbol } from "#lib/option-symbol.ts";
import { parseDate } from "#lib/period.ts";
import { priceField, quantityField, timeField } from "#lib/trade-fields.ts";

type SharedName = "underlying" | "expiry" | "quantity" | "openedAt" | "closedAt";
type LegName = "strike" | "ratio" | "expiry" | "entryPrice" | "exitPrice";
export type FieldName = SharedName | `leg-${number}-${LegName}`;

/** Error messages by field, in the order of the page. */
export type FieldErrors = ReadonlyMap<FieldName, string>;

const MAX_RATIO = 100;
const MAX_QUANTITY = 999_999_999;
/** Upper bound of a strike in rupees, exclusive. */
const STRIKE_LIMIT = 1e9;

/** Returns the name of a field of a leg, counted from 0. */
export function legField(index: number, name: LegName): FieldName {
  return `leg-${index}-${name}`;
}

/** Checks all fields; `now` is the current time in milliseconds. */
export function validateStrategy(fields: StrategyFields, now: number): FieldErrors {
  const errors = new Map<FieldName, string>();
  const add = (field: FieldName, message: string | undefined) => {
    if (message) errors.set(field, message);
  };
  const { hasExpiries } = getTemplate(fields.template);
  add("underlying", underlyingError(fields));
  if (!hasExpiries) add("expiry", expiryError(fields, fields.expiry, fields.closedAt));
  add("quantity", lotsError(fields) ?? schemaError(quantityField, fields.quantity) ?? lotSizeError(fields));
  add("openedAt", openedAtError(fields, now));
  add("closedAt", closedAtError(fields, now));
  fields.legs.forEach((leg, index) => {
    for (const [name, message] of legErrors(fields, leg, index)) add(legField(index, name), message);
  });
  return errors;
}

/** Returns the name of an underlying as the exchange writes it. */
export function normalizeUnderlying(text: string): string {
  return text.trim().toUpperCase();
}

function legErrors(fields: StrategyFields, leg: LegFields, index: number): [LegName, string | undefined][] {
  const { hasExpiries, hasRatio } = getTemplate(fields.template);
  return [
    ["strike", strikeError(leg.strike) ?? orderError(fields, index) ?? duplicateError(fields, index)],
    ["ratio", hasRatio && ratioError(fields, leg)],
    ["expiry", hasExpiries && (legExpiryError(fields, leg) ?? laterExpiryError(fields, index))],
    ["entryPrice", schemaError(priceField("price"), leg.entryPrice)],
    ["exitPrice", leg.exitPrice.trim() ? schemaError(priceField("price"), leg.exitPrice) : undefined],
  ];
}

function lotsError({ lots, lotSize, quantity }: StrategyFields): string | undefined {
  if (quantity.trim() || !lots.trim()) return undefined;
  if (!isLotCount(lots)) return "Enter the number of lots as a whole number, such as 2.";
  return isLotCount(lotSize) ? undefined : "Enter the lot size as a whole number, such as 65.";
}

/** Contracts are traded in whole lots. */
function lotSizeError({ lotSize, quantity }: StrategyFields): string | undefined {
  if (!isLotCount(lotSize) || Number(quantity) % Number(lotSize) === 0) return undefined;
  return `Enter a multiple of the lot size of ${count(Number(lotSize))}, or change the lot size.`;
}

function schemaError(schema: v.GenericSchema<string, string>, value: string): string | undefined {
  return v.safeParse(schema, value, { abortPipeEarly: true }).issues?.[0].message;
}

function underlyingError({ underlying }: StrategyFields): string | undefined {
  const name = normalizeUnderlying(underlying);
  if (!name) return "Enter the underlying.";
  return isUnderlying(name) ? undefined : "Enter the underlying as the exchange writes it, such as NIFTY.";
}

/** Checks the expiry of legs that are closed at a time; it is empty for a leg without an exit. */
function expiryError(fields: StrategyFields, expiry: string, closedAt: string): string | undefined {
  if (!parseDate(expiry)) return "Enter the expiry.";
  if (isWeekend(expiry)) return "Contracts do not expire on a weekend.";
  const [openedOn, closedOn] = [fields.openedAt.slice(0, 10), closedAt.slice(0, 10)];
  if (openedOn && expiry < openedOn) return "This expiry is before the opening date.";
  if (closedOn && expiry < closedOn) return "This expiry is before the closing date.";
  const underlying = normalizeUnderlying(fields.underlying);
  if (!isUnderlying(underlying) || !openedOn) return undefined;
  return optionSymbol({ underlying, expiry, strike: 1, kind: "CE" }, openedOn)
    ? undefined
    : "A weekly contract is not traded so long before its expiry. Check both dates.";
}

function legExpiryError(fields: StrategyFields, leg: LegFields): string | undefined {
  return expiryError(fields, leg.expiry, hasExit(fields, leg) ? fields.closedAt : "");
}

function laterExpiryError({ template, legs }: StrategyFields, index: number): string | undefined {
  const before = legs[index - 1];
  if (template === "custom" || !before?.expiry || !legs[index]) return undefined;
  return legs[index].expiry > before.expiry
    ? undefined
    : `Enter an expiry after ${date(before.expiry)}, that of leg ${index}.`;
}

function openedAtError({ openedAt }: StrategyFields, now: number): string | undefined {
  return schemaError(timeField("opening date and time"), openedAt) ?? futureError(openedAt, now);
}

function closedAtError({ openedAt, closedAt, legs }: StrategyFields, now: number): string | undefined {
  const hasExits = legs.some(({ exitPrice }) => exitPrice.trim() !== "");
  if (!closedAt) {
    return hasExits ? "Enter the closing date and time, or clear the exit prices." : undefined;
  }
  const error = schemaError(timeField("closing date and time"), closedAt) ?? futureError(closedAt, now);
  if (error) return error;
  if (openedAt && closedAt <= openedAt) return "The closing time must be after the opening time.";
  return hasExits ? undefined : "Enter at least one exit price, or clear the closing time.";
}

function futureError(field: string, now: number): string | undefined {
  return Date.parse(fromTimeField(field)) > now ? "This time is in the future." : undefined;
}

function strikeError(strike: string): string | undefined {
  const text = strike.trim();
  if (!text) return "Enter the strike.";
  if (!/^\d*\.?\d*$/.test(text)) return "Enter the strike as a number, such as 24500.";
  if (!/^\d*(\.\d{0,4})?$/.test(text)) return "Use at most 4 decimals.";
  if (!(Number(text) > 0)) return "Enter a strike above 0.";
  return Number(text) < STRIKE_LIMIT ? undefined : "Enter a strike below ₹1,00,00,00,000.";
}

/** Returns the error of a strike that is not above those of lower rank. */
function orderError({ template, legs }: StrategyFields, index: number): string | undefined {
  const { legs: ranks } = getTemplate(template);
  const rank = ranks[index]?.rank;
  const lower = ranks.findIndex((other) => rank !== undefined && other.rank === rank - 1);
  const [strike, lowerStrike] = [legs[index]?.strike, legs[lower]?.strike];
  if (!strike || !lowerStrike || strikeError(lowerStrike)) return undefined;
  return Number(strike) > Number(lowerStrike)
    ? undefined
    : `Enter a strike above ${count(Number(lowerStrike))}, that of leg ${lower + 1}.`;
}

/** Returns the error of a leg with the same contract as one before it. */
function duplicateError(fields: StrategyFields, index: number): string | undefined {
  const contract = (leg: LegFields) => [Number(leg.strike), leg.kind, legExpiry(fields, leg)].join(" ");
  const leg = fields.legs[index];
  if (!leg || fields.template !== "custom") return undefined;
  const first = fields.legs.findIndex((other) => contract(other) === contract(leg));
  return first < index ? `Leg ${first + 1} is the same contract.` : undefined;
}

function ratioError(fields: StrategyFields, leg: LegFields): string | undefined {
  const ratio = leg.ratio.trim();
  if (!/^\d+$/.test(ratio) || Number(ratio) < 1) return "Enter a whole number, such as 2.";
  if (Number(ratio) > MAX_RATIO) return `Enter at most ${MAX_RATIO}.`;
  return (legQuantity(fields, leg) ?? 0) > MAX_QUANTITY
    ? "The quantity of this leg is too large."
    : undefined;
}
