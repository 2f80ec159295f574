import { useWatch } from "react-hook-form";
import { RadioField } from "#features/entry/radio-field.tsx";
import { SymbolField } from "#features/entry/symbol-field.tsx";
import type { EntryForm } from "#features/entry/use-entry.ts";
import { BROKERS, TRADE_TYPES } from "#lib/books.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { TextArea } from "#ui/text-area.tsx";
import { TextInput } from "#ui/text-input.tsx";

export function BookFields({ form: { register, formState } }: { form: EntryForm }) {
  const { errors } = formState;
  return (
    <div className="grid gap-x-5 sm:grid-cols-2">
      <Field id="broker" label="Broker" error={errors.broker?.message}>
        {(control) => (
          <Select {...control} {...register("broker")} options={BROKERS} placeholder="Choose a broker" />
        )}
      </Field>
      <Field id="tradetype" label="Trade type" error={errors.tradetype?.message}>
        {(control) => (
          <Select
            {...control}
            {...register("tradetype", { deps: formState.isSubmitted ? ["stockName"] : [] })}
            options={TRADE_TYPES}
          />
        )}
      </Field>
    </div>
  );
}

export function StockFields({ form }: { form: EntryForm }) {
  const { register, formState, control } = form;
  const tradetype = useWatch({ control, name: "tradetype" });
  const { errors } = formState;
  return (
    <>
      <div className="grid gap-x-5 sm:grid-cols-2">
        <SymbolField form={form} />
        <Field
          id="stockName"
          label="Stock name"
          optional={tradetype === "fno"}
          error={errors.stockName?.message}
        >
          {(props) => <TextInput {...props} {...register("stockName")} autoComplete="off" />}
        </Field>
      </div>
      <div className="grid gap-x-5 min-[26rem]:grid-cols-2 md:grid-cols-3">
        <RadioField
          id="type"
          label="Type"
          options={["BUY", "SELL"]}
          error={errors.type?.message}
          register={register("type", { deps: ["buyDate", "sellDate"] })}
        />
        <RadioField
          id="market"
          label="Market"
          options={["NSE", "BSE"]}
          error={errors.market?.message}
          register={register("market")}
        />
        <Field
          id="quantity"
          label="Quantity"
          error={errors.quantity?.message}
          className="min-[26rem]:max-md:col-span-2"
        >
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
      </div>
    </>
  );
}

const LEGS = [
  { leg: "buy", title: "Buy", price: "buyPrice", date: "buyDate" },
  { leg: "sell", title: "Sell", price: "sellPrice", date: "sellDate" },
] as const;

/** Price and time of the buy and of the sell, side by side. */
export function LegFields({ form: { register, formState } }: { form: EntryForm }) {
  const { errors, isSubmitted } = formState;
  // Whether a field may be empty depends on the others.
  const deps = isSubmitted ? LEGS.flatMap(({ price, date }) => [price, date]) : [];
  return (
    <>
      <div className="mt-5 grid rounded-panel border border-line bg-surface sm:grid-cols-2">
        {LEGS.map(({ leg, title, price, date }) => (
          <fieldset
            key={leg}
            className="min-w-0 px-4 pb-5 last:border-rule last:border-t sm:px-5 sm:last:border-t-0 sm:last:border-l"
          >
            <legend className="sr-only">{title}</legend>
            <Field id={price} label={`${title} price`} error={errors[price]?.message}>
              {(control) => (
                <TextInput
                  {...control}
                  {...register(price, { deps })}
                  type="number"
                  inputMode="decimal"
                  step="any"
                  min="0"
                  placeholder="₹"
                />
              )}
            </Field>
            <Field
              id={date}
              label={`${title} date and time`}
              aside={<span className="text-data text-ink-3">India time</span>}
              error={errors[date]?.message}
            >
              {(control) => (
                <TextInput
                  {...control}
                  {...register(date, { deps })}
                  type="datetime-local"
                  min="1990-01-01T00:00"
                  className="min-w-0 appearance-none px-2.5"
                />
              )}
            </Field>
          </fieldset>
        ))}
      </div>
      <p className="mt-2 px-1 text-data text-ink-2">
        Is the position still open? Leave the price and the date of the other side empty.
      </p>
    </>
  );
}

export function NoteFields({ form: { register, formState } }: { form: EntryForm }) {
  const { errors } = formState;
  return (
    <div className="mt-5 grid gap-x-5 gap-y-5 lg:grid-cols-3">
      <Field id="notes" label="Notes" optional error={errors.notes?.message}>
        {(control) => <TextArea {...control} {...register("notes")} placeholder="Why this trade" />}
      </Field>
      <Field id="psychology" label="Psychology" optional error={errors.psychology?.message}>
        {(control) => <TextArea {...control} {...register("psychology")} placeholder="How it felt" />}
      </Field>
      <Field id="marketOutlook" label="Market outlook" optional error={errors.marketOutlook?.message}>
        {(control) => (
          <TextArea {...control} {...register("marketOutlook")} placeholder="What the market did" />
        )}
      </Field>
      <Field id="stopLoss" label="Stop loss" optional error={errors.stopLoss?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...register("stopLoss")}
            type="number"
            inputMode="decimal"
            step="any"
            min="0"
            placeholder="₹"
          />
        )}
      </Field>
    </div>
  );
}
