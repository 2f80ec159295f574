import { api } from "#lib/api.ts";

export type Reading = { outcome: "open"; token: string; expiresAt: string } | { outcome: "old" | "failed" };

/** One exchange for each token: it is good once, and a page may be drawn twice. */
const begun = new Map<string, Promise<Reading>>();

/** Exchanges the token of the address for one that reads for half an hour, and is kept nowhere but in memory. */
export function openReading(token: string): Promise<Reading> {
  const reading = begun.get(token) ?? read(token);
  begun.set(token, reading);
  return reading;
}

async function read(token: string): Promise<Reading> {
  try {
    const { data, response } = await api.POST("/analytics/session", { body: { token } });
    if (!data) return { outcome: response.status < 429 ? "old" : "failed" };
    return { outcome: "open", ...data };
  } catch (error) {
    console.error(error);
    return { outcome: "failed" };
  }
}
