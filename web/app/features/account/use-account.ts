import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";

export type Account = Schemas["Account"];

export const ACCOUNT_KEY = ["get", "/account"] as const;

/** Loads the user's account; all components share one request. */
export function useAccount() {
  return $api.useQuery("get", "/account");
}
