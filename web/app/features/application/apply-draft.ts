import { ANSWER_FIELDS, type AnswerTexts, NO_ANSWERS } from "#features/application/answers-schema.ts";
import { perTab } from "#lib/storage.ts";

export type ApplyFields = AnswerTexts & {
  resume: File | undefined;
  consentApplication: boolean;
  consentLaterRoles: boolean;
};

export type Draft = {
  fields: ApplyFields;
  /** Of the file that was chosen: the file itself no browser keeps. */
  fileName: string | undefined;
  /** Names this application to the server over all tries, so that it is made once. */
  key: string;
};

const EMPTY: ApplyFields = {
  ...NO_ANSWERS,
  resume: undefined,
  consentApplication: false,
  consentLaterRoles: false,
};

const CONSENTS = ["consentApplication", "consentLaterRoles"] as const;

/** Files that were chosen since the page was loaded: who looks at the job once more finds the own one again. */
const chosen = new Map<string, File>();

/** What was being written for this opening in this tab; an empty one where there is none. */
export function readDraft(jobid: string): Draft {
  const resume = chosen.get(jobid);
  const draft: Draft = { fields: { ...EMPTY, resume }, fileName: undefined, key: crypto.randomUUID() };
  const stored = parsed(perTab.get(nameOf(jobid)));
  if (!isRecord(stored) || !isRecord(stored.fields)) return draft;
  for (const name of ANSWER_FIELDS) {
    const value = stored.fields[name];
    if (typeof value === "string") draft.fields[name] = value;
  }
  for (const name of CONSENTS) draft.fields[name] = stored.fields[name] === true;
  if (typeof stored.fileName === "string") draft.fileName = stored.fileName;
  if (typeof stored.key === "string") draft.key = stored.key;
  return draft;
}

export function keepDraft(jobid: string, { resume, ...fields }: ApplyFields, key: string): void {
  perTab.set(nameOf(jobid), JSON.stringify({ fields, fileName: resume?.name, key }));
  if (resume) chosen.set(jobid, resume);
  else chosen.delete(jobid);
}

export function forgetDraft(jobid: string): void {
  perTab.remove(nameOf(jobid));
  chosen.delete(jobid);
}

/** What was typed into the page before its script came; on a slow line that is not little. */
export function addTyped(fields: ApplyFields, form: HTMLFormElement | null): ApplyFields {
  if (!form) return fields;
  const typed = { ...fields };
  for (const name of ANSWER_FIELDS) {
    const control = form.elements.namedItem(name);
    if (control && "value" in control && typeof control.value === "string" && control.value) {
      typed[name] = control.value;
    }
  }
  for (const name of CONSENTS) {
    const box = form.elements.namedItem(name);
    if (box instanceof HTMLInputElement && box.checked) typed[name] = true;
  }
  const picker = form.elements.namedItem("resume");
  if (picker instanceof HTMLInputElement && picker.files?.[0]) typed.resume = picker.files[0];
  return typed;
}

function nameOf(jobid: string): string {
  return `application ${jobid}`;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
