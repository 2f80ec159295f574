import { expect, test } from "vitest";
import { movedAddress, parseAnalyticsPage, withFilters } from "#lib/analytics-paths.ts";

test.each([
  ["/analytics", "overview"],
  ["/analytics/", "overview"],
  ["/analytics/trades/", "trades"],
  ["/analytics/tax", "tax"],
  ["/analytics/fix", "fix"],
  ["/analytics/positions", "position"],
  ["/analytics/positions/0123456789abcdef0123", "position"],
  ["/analytics/positions/0123456789abcdef0123/", "position"],
  ["/analytics/positions/0123", undefined],
  ["/analytics/strategies/", "strategies"],
  ["/analytics/strategies/0123456789abcdef0123", "strategies"],
  ["/analytics/strategies/0123", undefined],
  ["/analytics/other", undefined],
  ["/analyticsx", undefined],
])("the page at %s is %s", (pathname, page) => expect(parseAnalyticsPage(pathname)?.page).toBe(page));

test.each([
  ["/analytics", "", "", undefined],
  ["/analytics", "?segment=options", "", undefined],
  ["/analytics", "?panel=reconcile", "", "/analytics/charges?panel=reconcile"],
  ["/analytics/", "?result=win&side=long", "#closed-trades", "/analytics/trades?result=win&side=long"],
  ["/analytics", "?day=2025-06-12", "", "/analytics/trades?day=2025-06-12"],
  ["/analytics", "", "#corporate-actions", "/analytics/fix"],
  ["/analytics/positions", "?side=long", "", "/analytics/trades?side=long"],
  ["/analytics/trades", "?day=2025-06-12", "", undefined],
])("%s%s%s moved to %s", (pathname, search, hash, moved) =>
  expect(movedAddress(pathname, search, hash)).toBe(moved),
);

test("a link to another page keeps the filters and nothing else", () => {
  expect(withFilters("/analytics/tax", "?day=2025-06-12&side=long&panel=reconcile&unit=closedTrades")).toBe(
    "/analytics/tax?side=long&unit=closedTrades",
  );
  expect(withFilters("/analytics/breakdown", "?result=win&unit=strategies")).toBe(
    "/analytics/breakdown?unit=strategies",
  );
  expect(withFilters("/analytics", "?x=1")).toBe("/analytics");
});
