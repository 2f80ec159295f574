import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { type Book, BROKERS, TRADE_TYPES } from "#content/books.ts";
import { BrokerHint } from "#features/import/broker-hint.tsx";
import { ImportOutcome } from "#features/import/import-outcome.tsx";
import { ImportProgress } from "#features/import/import-progress.tsx";
import { FILE_KINDS, type ImportFields, importSchema } from "#features/import/import-schema.ts";
import { MismatchDialog } from "#features/import/mismatch-dialog.tsx";
// Here for its bytes: they come with the form, so that a lost line cannot part the two.
import "#features/import/send-import.ts";
import type { Importing } from "#features/import/use-import.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FilePicker } from "#ui/file-picker.tsx";
import { Select } from "#ui/select.tsx";

const ENTRY_TYPES = [
  { value: "manual", label: "Enter Manually" },
  { value: "excel", label: "Upload Excel Sheet" },
];

/** The other way to add trades, which stands in the same form. */
export type ManualEntry = {
  /** Was written by hand before: the form opens with it. */
  book: Book | undefined;
  onKeep: (book: Book) => void;
  onLeave: () => void;
  /** Asked when manual is chosen; with an undefined book nothing is asked. */
  question: (book: Book | undefined, onCancel: () => void) => ReactNode;
  table: (book: Book) => ReactNode;
};

export type ImportFormProps = {
  manual: ManualEntry;
  importing: Importing;
  /** The panel is the one that is looked at: a question may be asked. */
  shown: boolean;
};

export function ImportForm({ manual, importing, shown }: ImportFormProps) {
  const { register, handleSubmit, setValue, resetField, control, formState } = useForm<ImportFields>({
    resolver: standardSchemaResolver(importSchema),
    defaultValues: {
      broker: manual.book?.broker ?? "zerodha",
      tradetype: manual.book?.tradetype ?? "equity",
      entry: manual.book ? "manual" : "excel",
      file: undefined,
    },
  });
  const [asked, setAsked] = useState<Book>();
  const picker = useRef<HTMLInputElement>(null);
  const { errors, isSubmitted } = formState;
  const [broker, tradetype, entry, file] = useWatch({
    control,
    name: ["broker", "tradetype", "entry", "file"],
  });
  const byHand = entry === "manual" && !asked;
  const sending = importing.state.phase === "sending";

  function send({ file: chosen, ...book }: ImportFields) {
    if (chosen) importing.start({ ...book, file: chosen });
  }

  function choose(chosen: File | undefined) {
    importing.reset();
    // A file that cannot be taken is refused as soon as it is chosen; a missing one when the form is sent.
    setValue("file", chosen, { shouldValidate: chosen !== undefined || isSubmitted });
  }

  function chooseEntry(chosen: string) {
    if (chosen === "manual") setAsked({ broker, tradetype });
    else manual.onLeave();
  }

  function cancelManual() {
    setAsked(undefined);
    setValue("entry", "excel");
  }

  // Who comes back goes on with the book that was open last.
  const { onKeep } = manual;
  useEffect(() => {
    if (byHand) onKeep({ broker, tradetype });
  }, [byHand, broker, tradetype, onKeep]);

  // What went in is done with; broker and type stay for the next file.
  useEffect(() => {
    if (importing.done > 0) resetField("file");
  }, [importing.done, resetField]);

  return (
    <>
      <div className="mt-2 grid max-w-5xl gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <form noValidate onSubmit={handleSubmit(send, () => picker.current?.focus())} className="min-w-0">
          <div className="grid gap-x-5 sm:grid-cols-2">
            <Field label="Broker" error={errors.broker?.message}>
              {(props) => <Select {...props} {...register("broker")} options={BROKERS} />}
            </Field>
            <Field label="Trade type" error={errors.tradetype?.message}>
              {(props) => <Select {...props} {...register("tradetype")} options={TRADE_TYPES} />}
            </Field>
            <Field label="Entry type" error={errors.entry?.message} className="sm:col-span-2">
              {(props) => (
                <Select
                  {...props}
                  {...register("entry", { onChange: (event) => chooseEntry(event.target.value) })}
                  options={ENTRY_TYPES}
                />
              )}
            </Field>
          </div>
          {!byHand && (
            <div className="mt-7">
              <FilePicker
                ref={picker}
                label="Excel sheet"
                kinds={FILE_KINDS}
                hint="XLSX, XLS or CSV, up to 32 MiB"
                file={file}
                error={errors.file?.message}
                onChange={choose}
              />
            </div>
          )}
          <ImportProgress importing={importing} />
          <ImportOutcome importing={importing} />
          {!byHand && (
            <Button type="submit" pending={sending} className="mt-7 h-12 w-full sm:h-11 sm:w-auto">
              Submit Trades
            </Button>
          )}
        </form>
        {!byHand && (
          <div className="lg:pt-10">
            <BrokerHint broker={broker} tradetype={tradetype} />
          </div>
        )}
      </div>
      {byHand && shown && <div className="mt-10">{manual.table({ broker, tradetype })}</div>}
      {manual.question(asked, cancelManual)}
      <MismatchDialog importing={importing} shown={shown} />
    </>
  );
}
