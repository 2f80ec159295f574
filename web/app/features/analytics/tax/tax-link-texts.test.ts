import { expect, it } from "vitest";
import {
  type TaxLink,
  type TaxLinkUse,
  taxLinkState,
  taxPackName,
  usesText,
  validityText,
} from "#features/analytics/tax/tax-link-texts.ts";
import type { Schemas } from "#lib/api.ts";

const settings = { plan: "standard", womanFirstHolder: false } as const;
const own: Schemas["BrokerAccount"][] = [
  { broker: "zerodha", brokerAccount: 1, holder: "Asha Rao", clientCode: "AB••34", trades: 5, settings },
  { broker: "groww", brokerAccount: 1, holder: "Asha Rao", trades: 5, settings },
  { broker: "zerodha", brokerAccount: 2, label: "Mother", holder: "Lata Rao", trades: 5, settings },
];
const link: TaxLink = {
  id: "1",
  recipient: "Mehta & Co",
  year: "2025-26",
  accounts: [],
  createdAt: "2026-11-20T09:05:11Z",
  expiresAt: "2026-12-20T09:05:11Z",
  uses: [],
};
const view: TaxLinkUse = {
  action: "view",
  device: "Chrome on Windows",
  address: "203.0.113.0/24",
  firstAt: "2026-11-21T05:01:00Z",
  lastAt: "2026-11-21T05:11:00Z",
  count: 3,
};

it("names the year and the accounts of a tax pack", () => {
  const name = (accounts: string[]) => taxPackName("2025-26", accounts, own);
  expect(name([])).toBe("Tax pack, FY 2025–26, all accounts, also those added later");
  expect(name(["groww", "zerodha"])).toBe("Tax pack, FY 2025–26, accounts of Asha Rao");
  expect(name(["zerodha-2"])).toBe("Tax pack, FY 2025–26, Mother");
  // The accounts of no person, and an account that was deleted.
  expect(name(["zerodha", "zerodha-2"])).toBe("Tax pack, FY 2025–26, Zerodha (AB••34), Mother");
  expect(name(["groww", "upstox-3"])).toBe("Tax pack, FY 2025–26, Groww, Upstox 3");
  expect(taxPackName("2026-27", [], [])).toBe(
    "Tax pack, tax year 2026–27, all accounts, also those added later",
  );
});

it("tells links that work from those that have expired or were ended", () => {
  const [before, after] = ["2026-12-20T09:05:10Z", "2026-12-20T09:05:11Z"].map(Date.parse);
  expect(taxLinkState(link, before ?? 0)).toBe("valid");
  expect(taxLinkState(link, after ?? 0)).toBe("expired");
  expect(validityText(link, before ?? 0)).toBe("Valid until 20 Dec 2026, 2:35 pm");
  expect(validityText(link, after ?? 0)).toBe("Expired on 20 Dec 2026, 2:35 pm");
  const ended = { ...link, revokedAt: "2026-11-22T04:00:00Z" };
  expect(taxLinkState(ended, before ?? 0)).toBe("ended");
  expect(validityText(ended, after ?? 0)).toBe("Ended on 22 Nov 2026, 9:30 am");
});

it("summarizes the uses of a link", () => {
  const download: TaxLinkUse = { ...view, action: "download", lastAt: "2026-11-21T05:12:00Z", count: 1 };
  expect(usesText([])).toBe("Not opened yet");
  expect(usesText([view])).toBe("Opened 3 times, last on 21 Nov 2026, 10:41 am, Chrome on Windows");
  expect(usesText([download, { ...view, count: 1 }])).toBe(
    "Opened once, 1 file downloaded, last on 21 Nov 2026, 10:42 am, Chrome on Windows",
  );
  expect(usesText([download])).toBe("1 file downloaded, last on 21 Nov 2026, 10:42 am, Chrome on Windows");
  const days = Array.from({ length: 20 }, () => ({ ...view, count: 1 }));
  expect(usesText(days)).toMatch(/^Opened at least 20 times, last on/);
});
