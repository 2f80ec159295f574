import { ANSWER_FIELDS, type AnswerTexts, NO_ANSWERS } from "#features/application/answers-schema.ts";
import { tabStorage } from "#lib/storage.ts";

export type ApplyFields = AnswerTexts & {
  resume: File | undefined;
  consentApplication: boolean;
  consentLaterRoles: boolean;
};

export type Draft = {
  fields: ApplyFields;
  /** Name of the chosen file; the browser does not keep the file itself over a reload. */
  fileName: string | undefined;
  /** Idempotency key of the application, the same for all attempts, so that the server stores it once. */
  key: string;
};

const EMPTY: ApplyFields = {
  ...NO_ANSWERS,
  resume: undefined,
  consentApplication: false,
  consentLaterRoles: false,
};

const CONSENTS = ["consentApplication", "consentLaterRoles"] as const;

/** Files chosen since the page was loaded, by opening; they survive a look at the job description. */
const chosenFiles = new Map<string, File>();

/** Returns the draft for this opening from this tab, or an empty one. */
export function readDraft(jobid: string): Draft {
  const resume = chosenFiles.get(jobid);
  const draft: Draft = { fields: { ...EMPTY, resume }, fileName: undefined, key: crypto.randomUUID() };
  const stored = parseJson(tabStorage.get(storageKey(jobid)));
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

export function saveDraft(jobid: string, { resume, ...fields }: ApplyFields, key: string): void {
  tabStorage.set(storageKey(jobid), JSON.stringify({ fields, fileName: resume?.name, key }));
  if (resume) chosenFiles.set(jobid, resume);
  else chosenFiles.delete(jobid);
}

export function deleteDraft(jobid: string): void {
  tabStorage.remove(storageKey(jobid));
  chosenFiles.delete(jobid);
}

/** Adds the input that was typed into the prerendered form before hydration, which can be late on a slow connection. */
export function mergeTypedInput(fields: ApplyFields, form: HTMLFormElement | null): ApplyFields {
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

function storageKey(jobid: string): string {
  return `application ${jobid}`;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
