/**
 * Creates the images of shared links (Open Graph) and the icons of the installed app with Chromium. Run it by hand after
 * a build when a page is new or its title or description has changed; the images are stored in the repository.
 */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "@playwright/test";
import { SITE } from "../app/content/site.ts";
import config from "../playwright.config.ts";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const BUILT = join(WEB, "build/client");
/** Some services do not show larger images. */
const MAX_IMAGE_BYTES = 60_000;

async function fontUrl(name: string): Promise<string> {
  const bytes = await readFile(join(WEB, "app/assets/fonts", `${name}.woff2`));
  return `url(data:font/woff2;base64,${bytes.toString("base64")})`;
}

const STYLE = `
  @font-face { font-family: Anek; src: ${await fontUrl("anek-latin")}; font-weight: 400 700 }
  @font-face { font-family: Geist; src: ${await fontUrl("geist")}; font-weight: 400 700 }
  * { margin: 0; box-sizing: border-box }
  body { background: transparent; color: #151a26; font-family: Geist }
  .head { height: 130px; background: #fbfaf7; padding: 0 72px; display: flex; align-items: center; gap: 20px; border-bottom: 2px solid #e2e0da }
  .head b { font: 700 44px Anek; letter-spacing: -.018em }
  .page { height: 404px; background: #fbfaf7; display: grid; grid-template-columns: 200px 1fr; border-bottom: 4px solid #83868e }
  .margin { border-right: 3px solid #d9564d73; padding: 66px 0 0 72px }
  .margin i { display: block; width: 72px; height: 8px; background: #f0b135 }
  .text { padding: 44px 72px 0 52px }
  h1 { font: 600 72px/1.06 Anek; letter-spacing: -.018em; text-wrap: balance }
  p { margin-top: 22px; font-size: 28px; line-height: 1.4; color: #4a505c; text-wrap: pretty }
  .foot { height: 96px; background: #fbfaf7; padding: 0 72px 0 252px; display: flex; align-items: center; font-size: 26px; color: #4a505c }`;

/** The favicon without its title. */
const favicon = (await readFile(join(WEB, "public/favicon.svg"), "utf8")).replace(/<title>.*<\/title>/, "");
const sizedFavicon = (size: number) => favicon.replace("<svg ", `<svg width="${size}" height="${size}" `);

type Card = { name: string; heading: string; description: string };

/** Lists the built pages with an Open Graph image of their own. */
async function listCards(): Promise<Card[]> {
  const cards: Card[] = [];
  for (const name of await readdir(BUILT, { recursive: true })) {
    if (!name.endsWith("index.html")) continue;
    const html = await readFile(join(BUILT, name), "utf8");
    const image = /property="og:image" content="[^"]*\/og\/([^"]+)\.png"/.exec(html)?.[1];
    const heading = /<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]?.replace(/<[^>]+>/g, "");
    const description = /name="description" content="([^"]+)"/.exec(html)?.[1];
    if (cards.some((one) => one.name === image)) continue;
    if (image && heading && description) cards.push({ name: image, heading, description });
  }
  return cards;
}

async function saveScreenshot(browser: Browser, file: string, body: string, width: number, height: number) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<style>${STYLE}</style>${body}`);
  await page.evaluate(() => document.fonts.ready);
  const bytes = await page.screenshot({ omitBackground: file.startsWith("icons/") });
  await page.close();
  const path = join(WEB, "public", file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  if ((await stat(path)).size > MAX_IMAGE_BYTES)
    throw new Error(`${file} is larger than ${MAX_IMAGE_BYTES} bytes.`);
  console.log(`${file} ${(bytes.length / 1_000).toFixed(1)} kB`);
}

function cardHtml({ heading, description }: Card): string {
  return `<div class="head">${sizedFavicon(60)}<b>${SITE.name}</b></div>
    <div class="page"><div class="margin"><i></i></div><div class="text"><h1>${heading}</h1><p>${description}</p></div></div>
    <div class="foot">${SITE.origin.replace("https://", "")}</div>`;
}

/** `margin` is the share at each edge that a phone may cut off a maskable icon. */
function iconHtml(size: number, background: string, margin: number): string {
  const inner = Math.round(size * (1 - 2 * margin));
  const style = `display:grid;place-items:center;width:${size}px;height:${size}px;background:${background}`;
  return `<div style="${style}">${sizedFavicon(inner)}</div>`;
}

const INDIGO = "#33489a";
const PAPER = "#fbfaf7";
const browser = await chromium.launch(config.use?.launchOptions);
try {
  for (const one of await listCards())
    await saveScreenshot(browser, `og/${one.name}.png`, cardHtml(one), 1200, 630);
  for (const size of [192, 512]) {
    await saveScreenshot(browser, `icons/icon-${size}.png`, iconHtml(size, "transparent", 0), size, size);
    await saveScreenshot(browser, `icons/maskable-${size}.png`, iconHtml(size, INDIGO, 0.14), size, size);
  }
  await saveScreenshot(browser, "icons/apple-touch-icon.png", iconHtml(180, PAPER, 0.1), 180, 180);
} finally {
  await browser.close();
}
