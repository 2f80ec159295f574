import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useEffect, useRef } from "react";
import { useForm, useWatch } from "react-hook-form";
import { BROKERS, TRADE_TYPES } from "#content/books.ts";
import { BrokerHint } from "#features/import/broker-hint.tsx";
import { FilePicker } from "#features/import/file-picker.tsx";
import { ImportProgress } from "#features/import/import-progress.tsx";
import { type ImportFields, importSchema } from "#features/import/import-schema.ts";
import { MismatchDialog } from "#features/import/mismatch-dialog.tsx";
// Here for its bytes: they come with the form, so that a lost line cannot part the two.
import "#features/import/send-import.ts";
import type { Importing } from "#features/import/use-import.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";

const ENTRY_TYPES = [{ value: "excel", label: "Upload Excel Sheet" }];

export type ImportFormProps = {
  importing: Importing;
  /** The panel is the one that is looked at: a question may be asked. */
  shown: boolean;
};

export function ImportForm({ importing, shown }: ImportFormProps) {
  const { register, handleSubmit, setValue, resetField, control, formState } = useForm<ImportFields>({
    resolver: standardSchemaResolver(importSchema),
    defaultValues: { broker: "zerodha", tradetype: "equity", entry: "excel", file: undefined },
  });
  const picker = useRef<HTMLInputElement>(null);
  const { errors, isSubmitted } = formState;
  const [broker, tradetype, file] = useWatch({ control, name: ["broker", "tradetype", "file"] });
  const sending = importing.state.phase === "sending";

  function send({ file: chosen, ...book }: ImportFields) {
    if (chosen) importing.start({ ...book, file: chosen });
  }

  function choose(chosen: File | undefined) {
    importing.reset();
    // A file that cannot be taken is refused as soon as it is chosen; a missing one when the form is sent.
    setValue("file", chosen, { shouldValidate: chosen !== undefined || isSubmitted });
  }

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
              {(props) => <Select {...props} {...register("entry")} options={ENTRY_TYPES} />}
            </Field>
          </div>
          <div className="mt-7">
            <FilePicker
              ref={picker}
              label="Excel sheet"
              file={file}
              error={errors.file?.message}
              onChange={choose}
            />
          </div>
          <ImportProgress importing={importing} />
          <Result importing={importing} />
          <Button type="submit" pending={sending} className="mt-7 h-12 w-full sm:h-11 sm:w-auto">
            Submit Trades
          </Button>
        </form>
        <div className="lg:pt-10">
          <BrokerHint broker={broker} tradetype={tradetype} />
        </div>
      </div>
      <MismatchDialog importing={importing} shown={shown} />
    </>
  );
}

/** How the last attempt ended, when it did not end with trades. */
function Result({ importing }: { importing: Importing }) {
  const { state, retry, reset } = importing;
  if (state.phase === "cancelled") {
    return (
      <Banner role="status" title="The upload was cancelled." onDismiss={reset} className="mt-6">
        {state.text}
      </Banner>
    );
  }
  if (state.phase !== "failed") return null;
  return (
    <Banner
      tone="loss"
      role="alert"
      title={state.failure.title}
      className="mt-6"
      actions={
        state.failure.retry && (
          <Button size="sm" variant="secondary" onClick={retry}>
            Retry
          </Button>
        )
      }
    >
      {state.failure.text}
    </Banner>
  );
}
