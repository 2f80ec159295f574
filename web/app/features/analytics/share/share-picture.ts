import { SITE } from "#content/site.ts";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { factor, inrWhole, percent, signedWhole } from "#features/analytics/analytics-format.ts";
import { curveShape, HEIGHT } from "#features/analytics/charts/curve-shape.ts";
import { bandPath, linePath } from "#features/analytics/charts/scale.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { saveFile } from "#lib/save-file.ts";

const WIDTH = 1200;
const TALL = 630;
const EDGE = 56;

type Line = { term: string; value: string };

/** What the picture says beside the curve. Without rupees nothing in it tells how large the account is. */
export function pictureLines({ figures }: Overview, rupees: boolean): Line[] {
  const { winRate, tooFew, profitFactor, payoff } = figures;
  const rate = winRate && !tooFew ? percent(winRate.rate) : "too few trades";
  return [
    { term: "Closed trades", value: String(figures.closedTrades) },
    { term: "Win rate", value: rate },
    { term: "Profit factor", value: profitFactor === null ? "–" : factor(profitFactor) },
    { term: "Payoff", value: payoff === null ? "–" : factor(payoff) },
    ...(rupees
      ? [
          { term: "Charges", value: inrWhole(figures.charges) },
          { term: "Deepest fall", value: inrWhole(figures.drawdown?.amount ?? 0) },
        ]
      : []),
  ];
}

/** Draws the sum and its curve in the colours of the page, and hands it over as a file. False where that fails. */
export async function savePicture(overview: Overview, words: string, rupees: boolean): Promise<boolean> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * 2;
  canvas.height = TALL * 2;
  const paper = canvas.getContext("2d");
  if (!paper) return false;
  paper.scale(2, 2);
  draw(paper, overview, words, rupees);
  const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!picture) return false;
  saveFile(`tradebahi-analytics${rupees ? "" : "-without-rupees"}.png`, picture);
  return true;
}

/** Tokens of the theme as colours: `light-dark()` is settled on an element, and nowhere else. */
function colours(): (token: string) => string {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const found = new Map<string, string>();
  for (const token of ["bg", "ink", "ink-2", "ink-3", "line", "brand", "gain", "loss", "marigold"]) {
    probe.style.color = `var(--${token})`;
    found.set(token, style.color);
  }
  probe.remove();
  return (token) => found.get(token) ?? "black";
}

function draw(paper: CanvasRenderingContext2D, overview: Overview, words: string, rupees: boolean): void {
  const { days, figures } = overview;
  const colour = colours();
  const text = (content: string, x: number, y: number, token: string, font: string) => {
    paper.fillStyle = colour(token);
    paper.font = font;
    paper.fillText(content, x, y);
  };
  const heading = (size: number) => `600 ${size}px "Anek Latin", sans-serif`;
  const body = (size: number, weight = 400) => `${weight} ${size}px Geist, sans-serif`;

  paper.fillStyle = colour("bg");
  paper.fillRect(0, 0, WIDTH, TALL);
  paper.fillStyle = colour("marigold");
  paper.fillRect(EDGE, EDGE - 6, 4, 26);
  text(SITE.name, EDGE + 14, EDGE + 14, "ink", heading(22));
  const span = period(days[0]?.date ?? null, days.at(-1)?.date ?? null);
  text([words, span].filter(Boolean).join(" · "), EDGE + 150, EDGE + 14, "ink-2", body(18));

  const sign = figures.net < 0 ? "loss" : "gain";
  const sum = rupees ? `${signedWhole(figures.net)} net` : plural(figures.closedTrades, "closed trade");
  text(sum, EDGE, EDGE + 88, rupees ? sign : "ink", heading(54));

  const shape = curveShape(days, WIDTH - 2 * EDGE, 0);
  paper.save();
  paper.translate(EDGE - 56, EDGE + 110);
  paper.scale((WIDTH - 2 * EDGE + 56) / (WIDTH - 2 * EDGE), 320 / HEIGHT);
  const zero = shape.fall.map(([x]) => [x, shape.lower.y(0)] as const);
  paper.globalAlpha = 0.2;
  paper.fillStyle = colour("loss");
  paper.fill(new Path2D(bandPath(shape.fall, zero)));
  paper.globalAlpha = 1;
  paper.lineJoin = "round";
  for (const [path, token, width] of [
    [`M56 ${shape.upper.y(0)}H${shape.right}`, "line", 1],
    [linePath(shape.net), "brand", 2.5],
    [linePath(shape.fall), "loss", 1.5],
  ] as const) {
    paper.strokeStyle = colour(token);
    paper.lineWidth = width;
    paper.stroke(new Path2D(path));
  }
  paper.restore();

  pictureLines(overview, rupees).forEach(({ term, value }, index) => {
    const x = EDGE + index * 182;
    text(term, x, TALL - EDGE - 34, "ink-2", body(16));
    text(value, x, TALL - EDGE, "ink", body(24, 600));
  });
}
