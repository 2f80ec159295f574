import { createContext, useContext } from "react";
import type { withToken } from "#lib/api.ts";

/** Who reads, and with which token. */
export type Reader = {
  name: string;
  /** Spread into a request: nothing where the session of the desk does it. */
  init: Record<string, never> | ReturnType<typeof withToken>;
  /** Whether this is the trader at their own desk, who may enter things, and whose trade log is at hand. */
  own: boolean;
};

const NOBODY: Reader = { name: "Trader", init: {}, own: false };

export const ReaderContext = createContext<Reader>(NOBODY);

export function useReader(): Reader {
  return useContext(ReaderContext);
}
