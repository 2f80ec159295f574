import type { Locator } from "@playwright/test";
import { strToU8, zipSync } from "fflate";
import { addTrade } from "./entries.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

const HEADER =
  "TradDt,BizDt,Sgmt,Src,FinInstrmTp,FinInstrmId,ISIN,TckrSymb,SctySrs,XpryDt,FininstrmActlXpryDt,StrkPric,OptnTp,FinInstrmNm,OpnPric,HghPric,LwPric,ClsPric,LastPric,PrvsClsgPric,UndrlygPric,SttlmPric";
const SHARES = `${HEADER}
2026-11-27,2026-11-27,CM,NSE,STK,1,INE467B01029,TCS,EQ,,,,,TCS,1,1,1,3250.5,1,1,,0
2026-11-27,2026-11-27,CM,NSE,STK,2,INE154A01025,ITC,EQ,,,,,ITC,1,1,1,410,1,1,,0`;
const CONTRACTS = `${HEADER}
2026-11-27,2026-11-27,FO,NSE,IDO,3,,NIFTY,,2027-12-28,2027-12-28,26000,PE,NIFTY,1,1,1,0,1,1,1,80`;

/** Chooses a ZIP file with a CSV file. */
async function chooseZip(input: Locator, name: string, csv: string): Promise<void> {
  const buffer = Buffer.from(zipSync({ [name]: strToU8(csv) }));
  await input.setInputFiles({ name: `${name}.zip`, mimeType: "application/zip", buffer });
}

deskTest(
  "open positions are valued at typed prices and those of the exchange's files",
  async ({ page, account, expectedErrors }) => {
    deskTest.slow();
    expectedErrors.push(/invalid zip data/);
    const timestamp = "2026-06-03T10:05:00+05:30";
    await addTrade(account, { symbol: "TCS", type: "buy", quantity: 5, price: 3_000, timestamp });
    await addTrade(account, { symbol: "ITC", type: "buy", quantity: 10, price: 400, timestamp });
    const option = {
      symbol: "NIFTY27DEC26000PE",
      type: "sell",
      quantity: 65,
      price: 100,
      timestamp,
    } as const;
    await addTrade(account, option, { broker: "zerodha", tradetype: "fno" });
    await page.setViewportSize({ width: 320, height: 740 });
    await page.goto("/analytics/trades");
    const panel = page.getByRole("region", { name: /^3 open positions/ });
    await expect(panel.getByRole("heading", { name: "3 open positions", exact: true })).toBeVisible();

    // 5 × (3,100 − 3,000).
    const price = panel.getByRole("textbox", { name: "Price of TCS" });
    await price.focus();
    await page.keyboard.type("3,10x");
    await expect(panel.getByText("Enter rupees, such as 1450.25.")).toBeVisible();
    await page.keyboard.press("Backspace");
    await page.keyboard.type("0");
    await expect(panel.getByRole("heading")).toHaveText(/3 open positions, 1 with a price: \+\u2060?₹500/);

    // Typed prices stay. ITC: 10 × 10; the put, sold at 100, is worth 80: 65 × 20.
    const input = panel.getByLabel("Add a price file");
    await chooseZip(input, "BhavCopy_NSE_CM.csv", SHARES);
    await expect(panel.getByRole("status")).toHaveText(
      "BhavCopy_NSE_CM.csv.zip: 2 prices of 27 Nov 2026 for your positions.",
    );
    await chooseZip(input, "BhavCopy_NSE_FO.csv", CONTRACTS);
    await expect(panel.getByRole("heading")).toHaveText(/3 open positions: \+\u2060?₹1,900/);
    await expect(panel.getByText("Prices of 27 Nov 2026.")).toBeVisible();
    await expect(price).toHaveValue("3,100");
    await expectAccessibleEverywhere(page, "open-positions");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

    // Another page and back keeps the prices; a file of something else changes nothing.
    const pages = page.getByRole("navigation", { name: "Pages" });
    await pages.getByRole("link", { name: "Overview" }).click();
    await expect(page).toHaveURL("/analytics");
    await pages.getByRole("link", { name: "Trades" }).click();
    await expect(price).toHaveValue("3,100");
    await input.setInputFiles({ name: "notes.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2") });
    await expect(panel.getByRole("status")).toContainText("notes.csv is not a price file that we know.");
    await input.setInputFiles({
      name: "cut.zip",
      mimeType: "application/zip",
      buffer: Buffer.from("PK\u0003\u0004"),
    });
    await expect(panel.getByRole("status")).toContainText("cut.zip could not be read.");
  },
);
