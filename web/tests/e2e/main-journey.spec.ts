import type { Page } from "@playwright/test";
import { bearer, logIn, newPerson, type Person, verifyPhone } from "./accounts.ts";
import { expect, test } from "./test-fixtures.ts";
import { readTable, submitFile } from "./trade-table.ts";
import { type Broker, expectedPrice, expectedRow, ROWS, readTradesOf, tradebookPath } from "./tradebooks.ts";

const JOURNEYS = [
  {
    broker: "zerodha",
    label: "Zerodha",
    ids: "[0A-01] [1A-01] [1A-02] [1A-04] [2L-03] [2R-01] [2R-02] [2G-01] [4G-01] [4G-02] [2D-06] [4S-02] [2H-01] [2H-02] [2H-04] [3C-01]",
  },
  { broker: "groww", label: "Groww", ids: "[2U-01] [9T-01] [3G-01] [3L-01] [7A-01] [7A-03] [7T-05]" },
] as const;

for (const { broker, label, ids } of JOURNEYS) {
  test(`${ids} a new user registers, uploads a file of ${label} and sees every trade of it`, async ({
    page,
    request,
    baseURL,
  }, { workerIndex }) => {
    const person = newPerson(workerIndex);
    await register(page, person);

    await expect(page.getByRole("heading", { name: "Registration Successful!" })).toBeFocused();
    await expect(page).toHaveURL("/successreg");
    await page.getByRole("link", { name: "Login Now" }).click();
    await verifyPhone(baseURL, person);
    await page.getByLabel("Email or Phone").fill(person.phone);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Login", exact: true }).click();

    // The log is empty, so the dashboard opens the form.
    await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
    await expect(page).toHaveURL("/dashboard?panel=0");
    await submitFile(page, tradebookPath(broker, ROWS.some), label);

    await expect(page).toHaveURL("/dashboard?panel=1");
    await expect(page.getByRole("heading", { level: 1, name: "Trade Log" })).toBeVisible();
    const report = page.getByRole("region", { name: "Import report" });
    await expect(report).toContainText("60 trades added");
    await expect(report).toContainText(`${broker}-60.xlsx`);
    await expect(report).toContainText(`${label}, Equity`);
    await expectClient(page, person);

    const put = await readTradesOf(broker, ROWS.some);
    expect(await readTable(page)).toEqual(put.map((trade) => expectedRow(trade, broker)));
    await expect(page.getByText("60 trades, newest first")).toBeVisible();

    // And with all decimals, where the screen shows two.
    const token = await logIn(request, person);
    const answer = await request.get("/api/v1/trades/client", { headers: bearer(token) });
    const { trades, ...client } = await answer.json();
    expect(client).toMatchObject({ name: person.name, email: person.email, phoneNumber: person.phone });
    expect(client.tradetype).toBe("equity");
    expect(trades.map(withoutId)).toEqual(put.map((trade) => sent(trade, broker)));
    expect(new Set(trades.map(({ _id }: { _id: string }) => _id)).size).toBe(60);

    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Overview" }).click();
    await expect(page.getByRole("region", { name: "Figures", exact: true })).toContainText("Net P&L");
  });
}

async function register(page: Page, person: Person) {
  await page.goto("/");
  await page.getByRole("link", { name: "Go to Dashboard" }).click();
  await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await page.getByRole("link", { name: "Go to Login" }).click();
  await page.getByRole("main").getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("Full Name").fill(person.name);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Phone Number").fill(person.phone);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByLabel("Confirm Password").fill(person.password);
  const sent = page.waitForRequest("**/api/v1/auth/register");
  await page.getByRole("button", { name: "Sign up" }).click();
  expect((await sent).postDataJSON()).toMatchObject({ ...person, confirmPassword: person.password });
}

/** Name, client id, email and phone number below the title of the log. */
async function expectClient(page: Page, { name, email, phone }: Person) {
  const main = page.getByRole("main");
  await expect(main.getByText(name, { exact: true })).toBeVisible();
  await expect(main.getByText(/^TB-[0-9A-Z]{6}$/)).toBeVisible();
  await expect(main.getByText(email, { exact: true })).toBeVisible();
  await expect(main.getByText(`${phone.slice(0, 5)} ${phone.slice(5)}`)).toBeVisible();
  await expect(main.getByRole("columnheader")).toHaveText([
    "Type",
    "Symbol",
    "Quantity",
    "Price",
    "Timestamp",
    "Broker",
    "Net P&L",
  ]);
}

function withoutId({ _id, value, ...trade }: Record<string, unknown>) {
  return { ...trade, timestamp: new Date(String(trade.timestamp)).toISOString(), value };
}

function sent(put: Awaited<ReturnType<typeof readTradesOf>>[number], broker: Broker) {
  return {
    type: put.type,
    symbol: put.symbol,
    quantity: put.quantity,
    price: expectedPrice(put),
    value: put.paise / 100,
    timestamp: new Date(put.timestamp).toISOString(),
    timePrecision: broker === "zerodha" ? "second" : "minute",
    broker,
    tradetype: "equity",
    exchange: put.exchange,
    imported: true,
  };
}
