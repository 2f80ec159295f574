import * as v from "valibot";
import { isLotCount } from "#features/strategy-entry/strategy-fields.ts";
import { persistentStorage } from "#lib/storage.ts";

const KEY = "lotSizes";

/** Lot sizes by underlying that an account entered last. */
const schema = v.object({ email: v.string(), sizes: v.record(v.string(), v.string()) });

function readSizes(email: string): Record<string, string> {
  try {
    const stored = v.parse(schema, JSON.parse(persistentStorage.get(KEY) ?? "{}"));
    return stored.email === email ? stored.sizes : {};
  } catch {
    return {};
  }
}

/** Returns the lot size that the account entered last for an underlying; empty if there is none. */
export function readLotSize(email: string, underlying: string): string {
  return new Map(Object.entries(readSizes(email))).get(underlying) ?? "";
}

/** Stores a valid lot size for the next strategies. Those of another account are deleted. */
export function saveLotSize(email: string, underlying: string, lotSize: string): void {
  if (!isLotCount(lotSize)) return;
  const sizes = { ...readSizes(email), [underlying]: lotSize.trim() };
  persistentStorage.set(KEY, JSON.stringify({ email, sizes }));
}
