import { useState } from "react";
import { type Answers, useAnswers } from "#features/analytics/fix/use-answers.ts";
import { type Repair, type RepairDates, repairAnswer } from "#features/analytics/reconcile/repairs.ts";

export type Repairs = Pick<Answers, "busy" | "failure" | "result" | "dismiss"> & {
  dates: RepairDates;
  setDate: (repair: Repair, day: string) => void;
  /** Applies repairs as one change; `key` is that of the pressed button. Returns true if they are stored. */
  apply: (key: string, repairs: readonly Repair[]) => Promise<boolean>;
  undo: (firstId: string, lastId: string) => Promise<void>;
};

/** Applies repairs and undoes them; `onChange` is called after each change. */
export function useRepairs(onChange: () => void): Repairs {
  const { busy, failure, result, dismiss, send, undo } = useAnswers();
  const [dates, setDates] = useState<RepairDates>({});
  return {
    busy,
    failure,
    result,
    dismiss,
    dates,
    setDate: ({ answer }, day) => setDates((now) => ({ ...now, [answer.issueId]: day })),
    async apply(key, repairs) {
      const answers = repairs.map((repair) => repairAnswer(repair, dates));
      const isStored = await send(key, answers);
      if (isStored) onChange();
      return isStored;
    },
    async undo(firstId, lastId) {
      if (await undo(firstId, lastId)) onChange();
    },
  };
}
