import { api, withToken } from "#lib/api.ts";

export type Reading = { outcome: "open"; name: string; trades: number } | { outcome: "old" | "failed" };

/** One exchange for each token: it is good once, and a page may be drawn twice. */
const begun = new Map<string, Promise<Reading>>();

/** Exchanges the token of the address for one that reads for half an hour, and is kept nowhere but in memory. */
export function openReading(token: string): Promise<Reading> {
  const reading = begun.get(token) ?? read(token);
  begun.set(token, reading);
  return reading;
}

async function read(token: string): Promise<Reading> {
  if (!token) return { outcome: "old" };
  try {
    const session = await api.POST("/analytics/session", { body: { token } });
    if (!session.data) return { outcome: session.response.status < 429 ? "old" : "failed" };
    const { data } = await api.GET("/trades/client", {
      params: { query: { limit: 1 } },
      ...withToken(session.data.token),
    });
    if (!data) return { outcome: "failed" };
    return { outcome: "open", name: data.name, trades: data.total ?? data.trades.length };
  } catch (error) {
    console.error(error);
    return { outcome: "failed" };
  }
}
