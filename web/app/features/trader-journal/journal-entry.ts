import type { Schemas } from "#lib/api.ts";

export type JournalEntry = Schemas["JournalEntry"];
export type JournalSubject = Schemas["JournalSubject"];

/** Content of an entry, as the trader records it. */
export type EntryContent = Required<Schemas["SentJournalContent"]>;

export const EMPTY_CONTENT: EntryContent = {
  setup: "",
  tags: [],
  mistakes: [],
  emotion: "",
  emotionAfter: "",
  rating: 0,
  note: "",
  plan: "",
  plannedEntry: null,
  plannedStop: null,
  plannedTarget: null,
  plannedRisk: null,
  rulesKept: [],
  rulesBroken: [],
  reviewed: false,
};

const FIELDS = Object.keys(EMPTY_CONTENT) as (keyof EntryContent)[];

/** Returns the content of an entry; that of no entry is empty. */
export function contentOf(entry: Partial<EntryContent> | null | undefined): EntryContent {
  const content = { ...EMPTY_CONTENT };
  for (const field of FIELDS)
    Object.assign(content, entry?.[field] !== undefined && { [field]: entry[field] });
  return content;
}

export function isSameContent(one: EntryContent, other: EntryContent): boolean {
  return FIELDS.every((field) => isSame(one[field], other[field]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Merges an edit with a stored version that another tab saved: `base` is the version that both began with. Returns
 * undefined if both changed the same field in different ways.
 */
export function mergeContent(
  base: EntryContent,
  edited: EntryContent,
  stored: EntryContent,
): EntryContent | undefined {
  const merged = { ...stored };
  for (const field of FIELDS) {
    if (isSame(edited[field], base[field]) || isSame(edited[field], stored[field])) continue;
    if (!isSame(stored[field], base[field])) return undefined;
    Object.assign(merged, { [field]: edited[field] });
  }
  return merged;
}

/** Joins two versions without losing a word: texts follow each other, labels are united, other values are the edited ones. */
export function keepBoth(stored: EntryContent, edited: EntryContent): EntryContent {
  return {
    ...edited,
    note: joinTexts(stored.note, edited.note),
    plan: joinTexts(stored.plan, edited.plan),
    tags: uniteLabels(stored.tags, edited.tags),
    mistakes: uniteLabels(stored.mistakes, edited.mistakes),
  };
}

function joinTexts(one: string, other: string): string {
  if (!one || other.includes(one)) return other;
  return !other || one.includes(other) ? one : `${one}\n\n${other}`;
}

/** Returns all labels, each once in any case. */
export function uniteLabels(labels: readonly string[], added: readonly string[]): string[] {
  const united = [...labels];
  for (const label of added) if (!hasLabel(united, label)) united.push(label);
  return united;
}

export function hasLabel(labels: readonly string[], label: string): boolean {
  return labels.some((one) => one.toLowerCase() === label.toLowerCase());
}

export function withoutLabel(labels: readonly string[], label: string): string[] {
  return labels.filter((one) => one.toLowerCase() !== label.toLowerCase());
}
