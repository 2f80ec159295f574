import { $api } from "#lib/api-query.ts";

/** The own account; asked for once by everything on the desk that shows a part of it. */
export function useAccount() {
  return $api.useQuery("get", "/account");
}

export const ACCOUNT_KEY = ["get", "/account"] as const;
