import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import {
  changedFields,
  TRADE_FIELDS,
  type TradeFields,
  toFields,
  tradeEditSchema,
} from "#features/trade-detail/trade-edit-schema.ts";
import { editTrade, type Trade } from "#features/trade-detail/trade-requests.ts";
import type { Schemas } from "#lib/api.ts";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";
import { TextInput } from "#ui/text-input.tsx";
import { useFormSend } from "#ui/use-form-send.ts";

const SIDES = [
  { value: "buy", label: "BUY" },
  { value: "sell", label: "SELL" },
];
const MARKETS = ["NSE", "BSE"].map((value) => ({ value, label: value }));

export type TradeEditFormProps = {
  /** Id of the form, for the submit button of the dialog. */
  id: string;
  trade: Trade;
  onBusy: (busy: boolean) => void;
  /** Called without a change if nothing differs. */
  onSaved: (changed?: Schemas["ChangedTrade"]) => void;
};

export function TradeEditForm({ id, trade, onBusy, onSaved }: TradeEditFormProps) {
  // Initial values of the fields. The trade may be loaded again in the meantime; untouched fields must not be sent.
  const [before] = useState(trade);
  const form = useForm<TradeFields>({
    resolver: standardSchemaResolver(tradeEditSchema),
    defaultValues: toFields(before),
    shouldFocusError: false,
  });
  const { register, setFocus } = form;
  const { errors, isSubmitting } = form.formState;
  const { messages, attempt, invalid, failure, deliver } = useFormSend(form, TRADE_FIELDS);

  useEffect(() => setFocus("symbol"), [setFocus]);
  useEffect(() => onBusy(isSubmitting), [onBusy, isSubmitting]);

  async function send(fields: TradeFields) {
    const edit = changedFields(before, fields);
    if (!edit) return onSaved();
    const response = await deliver(() => editTrade(trade._id, edit));
    if (response?.data) onSaved(response.data);
  }

  return (
    <form id={id} noValidate onSubmit={form.handleSubmit(send, invalid)} className="text-ink">
      <ErrorSummary errors={messages} attempt={attempt} />
      <div className="grid grid-cols-2 gap-x-4">
        <Field id="symbol" label="Symbol" error={errors.symbol?.message}>
          {(control) => <TextInput {...control} {...register("symbol")} autoCapitalize="characters" />}
        </Field>
        <Field id="type" label="Type" error={errors.type?.message}>
          {(control) => <Select {...control} {...register("type")} options={SIDES} />}
        </Field>
        <Field
          id="stockName"
          label="Stock name"
          optional
          error={errors.stockName?.message}
          className="max-sm:col-span-2"
        >
          {(control) => <TextInput {...control} {...register("stockName")} />}
        </Field>
        <Field id="exchange" label="Market" error={errors.exchange?.message}>
          {(control) => <Select {...control} {...register("exchange")} options={MARKETS} />}
        </Field>
        <Field id="quantity" label="Quantity" error={errors.quantity?.message}>
          {(control) => (
            <TextInput
              {...control}
              {...register("quantity")}
              type="number"
              inputMode="numeric"
              step="1"
              min="1"
            />
          )}
        </Field>
        <Field id="price" label="Price" error={errors.price?.message} className="max-sm:col-span-2">
          {(control) => (
            <TextInput
              {...control}
              {...register("price")}
              type="number"
              inputMode="decimal"
              step="any"
              min="0"
            />
          )}
        </Field>
        <Field
          id="timestamp"
          label="Date and time"
          hint={
            trade.timePrecision === "day"
              ? "India time. The broker's file has only the date. The trade keeps no time unless you change this."
              : "India time"
          }
          error={errors.timestamp?.message}
          className="col-span-2"
        >
          {(control) => (
            <TextInput
              {...control}
              {...register("timestamp")}
              type="datetime-local"
              step={trade.timePrecision === "second" ? 1 : 60}
              className="figures sm:max-w-72"
            />
          )}
        </Field>
      </div>
      <FormFailure>{failure}</FormFailure>
    </form>
  );
}
