import { useState } from "react";
import { useController } from "react-hook-form";
import { stockNameFiller } from "#features/entry/stock-name.ts";
import type { EntryForm } from "#features/entry/use-entry.ts";
import { useSymbols } from "#lib/use-symbols.ts";
import { Field } from "#ui/field.tsx";
import { SuggestionInput } from "#ui/suggestion-input.tsx";

/** Symbol field with earlier symbols as suggestions. */
export function SymbolField({ form }: { form: EntryForm }) {
  const { field, fieldState } = useController({ control: form.control, name: "symbol" });
  const fillName = stockNameFiller(form);
  const [open, setOpen] = useState(false);
  const typed = field.value.trim().toUpperCase();
  const symbols = useSymbols(typed, open).filter((symbol) => symbol.includes(typed) && symbol !== typed);
  return (
    <Field id="symbol" label="Symbol" error={fieldState.error?.message}>
      {(control) => (
        <SuggestionInput
          {...control}
          ref={field.ref}
          name={field.name}
          value={field.value}
          onChange={field.onChange}
          onBlur={() => {
            field.onBlur();
            void fillName(field.value);
          }}
          suggestions={symbols}
          open={open}
          onOpen={setOpen}
        />
      )}
    </Field>
  );
}
