import { describe, expect, it } from "vitest";
import { bookName, brokerFilterQuery, parseBrokerFilter } from "#lib/books.ts";

describe("accounts with brokers", () => {
  it("names the accounts after the first one by their number", () => {
    expect(bookName({ broker: "groww", tradetype: "equity" })).toBe("Groww, Equity");
    expect(bookName({ broker: "zerodha", brokerAccount: 2, tradetype: "fno" })).toBe(
      "Zerodha 2, Future & Option",
    );
  });

  it("selects a broker, one of its accounts, or nothing", () => {
    for (const [text, filter, query] of [
      ["zerodha", "zerodha", { broker: "zerodha" }],
      ["zerodha-1", "zerodha-1", { broker: "zerodha", brokerAccount: 1 }],
      ["groww-12", "groww-12", { broker: "groww", brokerAccount: 12 }],
      ["groww-0", "groww", { broker: "groww" }],
      ["groww-21", "groww", { broker: "groww" }],
      ["groww-x", "groww", { broker: "groww" }],
      ["other-2", "", {}],
      [null, "", {}],
    ] as const) {
      expect(parseBrokerFilter(text)).toBe(filter);
      expect(brokerFilterQuery(filter)).toEqual(query);
    }
  });
});
