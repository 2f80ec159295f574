/**
 * Fails on names and comment openings that the naming rules forbid (.github/CONTRIBUTING.md, "Names and comments").
 *
 * Reads every tracked source file of the repository. Arguments limit it to paths: `lint-names.ts crates/auth`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = /\.(rs|tsx?|proto|sql|py|sh)$/;
/** Generated files, migrations (never changed once released) and this list of forbidden names. */
const SKIPPED = /(api-schema\.d\.ts|scripts\/lint-names\.ts|^migrations\/00(0\d|1[0-6])_.*)$/;

/** Forbidden words of a name, in any case style, with the term to use. */
const FORBIDDEN_WORDS: Record<string, string> = {
  answered: "idempotency, or the thing that was recorded",
  arrival: "pending body; the visit",
  arrivals: "pending bodies",
  care: "account settings",
  caring: "account settings",
  compound: "ole",
  crowd: "per-address concurrency limit",
  erasing: "deletion",
  letter: "email; char",
  letters: "emails; chars",
  linger: "drain",
  lingering: "drain",
  pace: "minimum transfer rate",
  piece: "chunk; lot",
  pieces: "chunks; lots",
  precheck: "zip_check",
  reckoned: "calculated",
  stall: "write timeout",
  sweep: "cleanup",
  sweeping: "cleanup",
  swept: "cleaned up",
  tariff: "charge rates",
  trip: "closed trade",
  trips: "closed trades",
  turn: "concurrency limit; job queue; permit",
  turns: "concurrency limit; job queue; permits",
  unmatched: "missing cost basis",
  words: "text; label; names",
};

/** Forbidden names as a whole: bare participles that do not say what they hold. */
const FORBIDDEN_NAMES: Record<string, string> = {
  asked: "request",
  found: "the thing that was found",
  held: "permit; guard; the thing that is held",
  is_fit: "is_healthy",
  known: "the thing that is known",
  of_side: "side_name",
  said: "message",
  to_its_end: "run_to_completion",
  told: "the thing that was stated",
};

/** Names of other people's code. */
const EXTERNAL_NAMES = new Set(["CompoundFile", "set_zero_linger"]);

const FORBIDDEN_LIMIT = /^(MOST|LONGEST|LARGEST|HEAVIEST|OFTENEST|FEWEST|SHORTEST|SMALLEST|GREATEST)_/;
const LIMIT_HINT = "MAX_, MIN_, _TIMEOUT, _TTL or _CAPACITY, with the unit";

/** First words that turn a description into a riddle; say what the item is or does. */
const FORBIDDEN_OPENING = /^(What|Who|Whom|Whose|Whether|How|Where|That|Of|One|Nobody|Nothing)\b/;

/** Comments and literals: names are looked for in what is left. */
const NOT_CODE: Record<string, RegExp> = {
  rs: /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|'(?:\\.[^']*|[^'\\\n])'/g,
  ts: /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:&|!]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[dgimsuvy]*|(?<=>)[^<>{}]*(?=<|\{)/g,
  proto: /\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g,
  sql: /--[^\n]*|'(?:''|[^'])*'/g,
  py: /#[^\n]*|"""[\s\S]*?"""|f?"(?:\\.|[^"\\\n])*"|f?'(?:\\.|[^'\\\n])*'/g,
  sh: /#[^\n]*|"(?:\\[\s\S]|[^"\\])*"|'[^']*'/g,
};

/** The start of a line of a doc comment, by language. */
const DOC_LINE: Record<string, RegExp> = {
  rs: /^\s*\/\/[/!] ?(.*)$/,
  ts: /^\s*\/?\*\*? ?(.*?)(?:\s*\*\/)?$/,
  proto: /^\s*\/\/ ?(.*)$/,
  sql: /^\s*-- ?(.*)$/,
  py: /^\s*(?:#|""") ?(.*)$/,
  sh: /^\s*# ?(.*)$/,
};

type Finding = { line: number; text: string };

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** Returns the term to use instead of `name`, or undefined if the name is allowed. */
function hintFor(name: string): string | undefined {
  if (EXTERNAL_NAMES.has(name)) return undefined;
  if (FORBIDDEN_LIMIT.test(name)) return LIMIT_HINT;
  const whole = Object.hasOwn(FORBIDDEN_NAMES, name) ? FORBIDDEN_NAMES[name] : undefined;
  if (whole) return whole;
  const parts = wordsOf(name);
  const shed = parts.indexOf("shed");
  if (shed >= 0 && parts[shed - 1] !== "load") return "load_shed";
  const word = parts.find((part) => Object.hasOwn(FORBIDDEN_WORDS, part));
  return word && FORBIDDEN_WORDS[word];
}

function namesIn(text: string, language: string): Finding[] {
  const blank = (literal: string) => literal.replace(/[^\n]/g, " ");
  const code = text.replace(NOT_CODE[language] ?? /$^/, blank);
  const findings: Finding[] = [];
  code.split("\n").forEach((line, index) => {
    for (const [name] of line.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) {
      const hint = hintFor(name);
      if (hint) findings.push({ line: index + 1, text: `name ${name}: use ${hint}` });
    }
  });
  return findings;
}

function openingsIn(text: string, language: string): Finding[] {
  const pattern = DOC_LINE[language];
  const findings: Finding[] = [];
  let inside = false;
  text.split("\n").forEach((line, index) => {
    const doc = pattern?.exec(line);
    const opens = language === "ts" ? /^\s*\/\*\*/.test(line) : doc && !inside;
    const word = doc && opens ? FORBIDDEN_OPENING.exec(doc[1] ?? "")?.[0] : undefined;
    if (word) findings.push({ line: index + 1, text: `comment begins with "${word}"` });
    inside = Boolean(doc);
  });
  return findings;
}

function findingsOf(path: string): string[] {
  const ending = SOURCE.exec(path)?.[1] ?? "";
  const language = ending.startsWith("ts") ? "ts" : ending;
  const text = readFileSync(`${ROOT}/${path}`, "utf8");
  const findings = [...namesIn(text, language), ...openingsIn(text, language)];
  const hint = path
    .split(/[/.]/)
    .map((part) => hintFor(part.replaceAll("-", "_")))
    .find(Boolean);
  if (hint) findings.unshift({ line: 1, text: `file name: use ${hint}` });
  return findings.map((finding) => `${path}:${finding.line}: ${finding.text}`);
}

const tracked = execFileSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...process.argv.slice(2)],
  {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  },
);
const files = tracked.split("\0").filter((path) => SOURCE.test(path) && !SKIPPED.test(path));
const findings = files.flatMap((path) => {
  try {
    return findingsOf(path);
  } catch (error) {
    // A tracked file that is deleted in the working tree.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
});
for (const finding of findings) console.error(finding);
if (findings.length > 0) {
  console.error(
    `${findings.length} forbidden names or comment openings; the rules are in .github/CONTRIBUTING.md`,
  );
  process.exitCode = 1;
}
