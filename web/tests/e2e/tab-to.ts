import type { Page } from "@playwright/test";

/** Presses Tab until the element has the focus. */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  role: "link" | "button" | "textbox" | "combobox",
): Promise<void> {
  const goal = page.getByRole(role, { name, exact: typeof name === "string" });
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    if (await goal.evaluateAll((elements) => elements.some((element) => element === document.activeElement)))
      return;
  }
  throw new Error(`No Tab leads to the ${role} ${name}.`);
}
