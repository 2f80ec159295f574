import { type FormEvent, useId, useState } from "react";
import {
  listSplitLegs,
  type SplitInput,
  type SplitRow,
  splitDecision,
  splitError,
  splitRows,
} from "#features/analytics/strategy-decisions/split.ts";
import type { DecisionDialogProps } from "#features/analytics/strategy-decisions/strategy-decisions.tsx";
import { units } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { SidePill } from "#ui/side-pill.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Dialog that moves parts of a strategy's legs to a new strategy. */
export function StrategySplitDialog({ strategy, busy, failure, onDecide, onClose }: DecisionDialogProps) {
  const form = useId();
  const [input, setInput] = useState<SplitInput>({});
  const [isChecked, setChecked] = useState(false);
  const rows = splitRows(listSplitLegs(strategy), input);
  const error = splitError(rows);

  function send(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (!error) onDecide(splitDecision(rows));
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Split strategy"
      className="sm:max-w-xl!"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} pending={busy}>
            Split
          </Button>
        </>
      }
    >
      <p>Enter the quantities that move to a new strategy. The oldest trades of a leg move first.</p>
      <form id={form} method="post" noValidate onSubmit={send} className="text-ink">
        <ul className="divide-y divide-line border-line border-y">
          {rows.map((row) => (
            <LegFields
              key={row.positionId}
              row={row}
              value={input[row.positionId] ?? "0"}
              onChange={(value) => setInput({ ...input, [row.positionId]: value })}
            />
          ))}
        </ul>
        <Preview title="Stays in this strategy" rows={rows} quantityOf={({ kept }) => kept} />
        <Preview title="Moves to the new strategy" rows={rows} quantityOf={({ moved }) => moved} />
        <FormFailure>{(isChecked && error) || failure}</FormFailure>
      </form>
    </Dialog>
  );
}

type LegFieldsProps = { row: SplitRow; value: string; onChange: (value: string) => void };

function LegFields({ row: { name, side, quantity, moved, error }, value, onChange }: LegFieldsProps) {
  return (
    <li>
      <fieldset className="py-3">
        <legend className="float-left flex items-center gap-2 font-semibold text-ui">
          <SidePill side={side} />
          {`${units(quantity)} ${name}`}
        </legend>
        <div className="clear-both flex flex-wrap items-end gap-x-5 pt-2">
          <Field label="Quantity to move" error={error || undefined} className="min-h-0! flex-1 basis-40">
            {(control) => (
              <TextInput
                {...control}
                type="number"
                inputMode="decimal"
                min={0}
                max={quantity}
                step="any"
                value={value}
                onChange={(event) => onChange(event.currentTarget.value)}
              />
            )}
          </Field>
          <Checkbox
            checked={moved === quantity}
            onChange={(event) => onChange(event.currentTarget.checked ? `${quantity}` : "0")}
          >
            Whole leg
          </Checkbox>
        </div>
      </fieldset>
    </li>
  );
}

type PreviewProps = {
  title: string;
  rows: readonly SplitRow[];
  quantityOf: (row: SplitRow) => number;
};

/** Legs of one of the two strategies after the split. */
function Preview({ title, rows, quantityOf }: PreviewProps) {
  const legs = rows.filter((row) => quantityOf(row) > 0);
  return (
    <section className="pt-3 text-data">
      <h3 className="font-semibold">{title}</h3>
      {legs.length === 0 ? (
        <p className="text-ink-2">Nothing yet</p>
      ) : (
        <ul className="figures text-ink-2">
          {legs.map((row) => (
            <li
              key={row.positionId}
            >{`${row.side === "long" ? "Long" : "Short"} ${units(quantityOf(row))} ${row.name}`}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
