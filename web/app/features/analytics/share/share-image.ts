import { SITE } from "#content/site.ts";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { factor, inrWhole, signedWhole } from "#features/analytics/analytics-format.ts";
import { curveShape, HEIGHT } from "#features/analytics/charts/curve-shape.ts";
import { bandPath, linePath } from "#features/analytics/charts/scale.ts";
import { type UnitName, unitCount, unitLabel } from "#features/analytics/filters/units.ts";
import { period } from "#lib/period.ts";
import { percent } from "#lib/ratio-format.ts";
import { saveFile } from "#lib/save-file.ts";

// Size of the image and of its margins in pixels; drawn at twice the size.
const WIDTH = 1200;
const IMAGE_HEIGHT = 630;
const EDGE = 56;

type Line = { term: string; value: string };

/** Returns the figures below the curve. Without amounts, nothing reveals the size of the account. */
export function imageLines({ figures }: Overview, unit: UnitName, amounts: boolean): Line[] {
  const { winRate, sampleTooSmall, profitFactor, payoff } = figures;
  const rate = winRate && !sampleTooSmall ? percent(winRate.rate) : "too few trades";
  return [
    { term: unitLabel(unit), value: String(figures.closedTrades) },
    { term: "Win rate", value: rate },
    { term: "Profit factor", value: profitFactor === null ? "–" : factor(profitFactor) },
    { term: "Payoff ratio", value: payoff === null ? "–" : factor(payoff) },
    ...(amounts
      ? [
          { term: "Charges", value: inrWhole(figures.charges) },
          { term: "Max drawdown", value: inrWhole(figures.drawdown?.amount ?? 0) },
        ]
      : []),
  ];
}

/** Draws the result and its curve in the colours of the page, and downloads the image. Returns false on failure. */
export async function saveImage(
  overview: Overview,
  unit: UnitName,
  filterText: string,
  amounts: boolean,
): Promise<boolean> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * 2;
  canvas.height = IMAGE_HEIGHT * 2;
  const context = canvas.getContext("2d");
  if (!context) return false;
  context.scale(2, 2);
  draw(context, overview, unit, filterText, amounts);
  const image = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!image) return false;
  saveFile(`tradebahi-analytics${amounts ? "" : "-without-amounts"}.png`, image);
  return true;
}

/** Returns the colours of the theme by token. They are read from an element, because only there `light-dark()` resolves. */
function themeColours(): (token: string) => string {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const colours = new Map<string, string>();
  for (const token of ["bg", "ink", "ink-2", "ink-3", "line", "brand", "gain", "loss", "marigold"]) {
    probe.style.color = `var(--${token})`;
    colours.set(token, style.color);
  }
  probe.remove();
  return (token) => colours.get(token) ?? "black";
}

function draw(
  context: CanvasRenderingContext2D,
  overview: Overview,
  unit: UnitName,
  filterText: string,
  amounts: boolean,
): void {
  const { days, figures } = overview;
  const colour = themeColours();
  const text = (content: string, x: number, y: number, token: string, font: string) => {
    context.fillStyle = colour(token);
    context.font = font;
    context.fillText(content, x, y);
  };
  const heading = (size: number) => `600 ${size}px "Anek Latin", sans-serif`;
  const body = (size: number, weight = 400) => `${weight} ${size}px Geist, sans-serif`;

  context.fillStyle = colour("bg");
  context.fillRect(0, 0, WIDTH, IMAGE_HEIGHT);
  context.fillStyle = colour("marigold");
  context.fillRect(EDGE, EDGE - 6, 4, 26);
  text(SITE.name, EDGE + 14, EDGE + 14, "ink", heading(22));
  const span = period(days[0]?.date ?? null, days.at(-1)?.date ?? null);
  text([filterText, span].filter(Boolean).join(" · "), EDGE + 150, EDGE + 14, "ink-2", body(18));

  const sign = figures.net < 0 ? "loss" : "gain";
  const title = amounts ? `${signedWhole(figures.net)} after charges` : unitCount(figures.closedTrades, unit);
  text(title, EDGE, EDGE + 88, amounts ? sign : "ink", heading(54));

  const shape = curveShape(days, WIDTH - 2 * EDGE, 0);
  context.save();
  context.translate(EDGE - 56, EDGE + 110);
  context.scale((WIDTH - 2 * EDGE + 56) / (WIDTH - 2 * EDGE), 320 / HEIGHT);
  const zero = shape.drawdown.map(([x]) => [x, shape.lower.y(0)] as const);
  context.globalAlpha = 0.2;
  context.fillStyle = colour("loss");
  context.fill(new Path2D(bandPath(shape.drawdown, zero)));
  context.globalAlpha = 1;
  context.lineJoin = "round";
  for (const [path, token, width] of [
    [`M56 ${shape.upper.y(0)}H${shape.right}`, "line", 1],
    [linePath(shape.net), "brand", 2.5],
    [linePath(shape.drawdown), "loss", 1.5],
  ] as const) {
    context.strokeStyle = colour(token);
    context.lineWidth = width;
    context.stroke(new Path2D(path));
  }
  context.restore();

  text("Curve, wins and losses are after charges", EDGE, IMAGE_HEIGHT - EDGE - 74, "ink-3", body(15));
  imageLines(overview, unit, amounts).forEach(({ term, value }, index) => {
    const x = EDGE + index * 182;
    text(term, x, IMAGE_HEIGHT - EDGE - 34, "ink-2", body(16));
    text(value, x, IMAGE_HEIGHT - EDGE, "ink", body(24, 600));
  });
}
