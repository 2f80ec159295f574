import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { messageOf, refreshStrategies } from "#features/analytics/strategy-decisions/use-decisions.ts";
import { api, type Schemas } from "#lib/api.ts";
import { useBrokerAccounts } from "#lib/broker-accounts.ts";
import { NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";

const MAX_MINUTES = 60;

export type GroupingDialogProps = {
  settings: Schemas["StrategySettings"];
  onClose: () => void;
  /** Called before `onClose` if the settings were saved. */
  onSaved: () => void;
};

/** Dialog that changes how strategies are grouped. */
export function GroupingDialog({ settings, onClose, onSaved }: GroupingDialogProps) {
  const form = useId();
  const accounts = useBrokerAccounts();
  const [minutes, setMinutes] = useState(String(settings.windowMinutes));
  const [acrossAccounts, setAcrossAccounts] = useState(settings.acrossAccounts);
  const [wasSent, setSent] = useState(false);
  const { isBusy, failure, save } = useSaveSettings(() => {
    onSaved();
    onClose();
  });
  const windowMinutes = parseMinutes(minutes);
  const error =
    wasSent && windowMinutes === undefined ? `Enter a whole number from 1 to ${MAX_MINUTES}.` : "";

  function send(event: FormEvent) {
    event.preventDefault();
    setSent(true);
    if (windowMinutes !== undefined) void save({ windowMinutes, acrossAccounts });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Change grouping"
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} pending={isBusy}>
            Save
          </Button>
        </>
      }
    >
      <p>All strategies are grouped again, except those that you confirmed, joined or split.</p>
      <form id={form} method="post" noValidate onSubmit={send} className="pt-3 text-ink">
        <Field
          label="Minutes between the legs"
          hint="Legs that were opened within this time are one strategy. If you close a leg and open another within this time, the strategy counts as adjusted."
          error={error || undefined}
          className="min-h-0!"
        >
          {(control) => (
            <TextInput
              {...control}
              data-autofocus
              value={minutes}
              inputMode="numeric"
              maxLength={6}
              autoComplete="off"
              onChange={(event) => setMinutes(event.currentTarget.value)}
              className="max-w-24"
            />
          )}
        </Field>
        {((accounts.data?.accounts.length ?? 0) > 1 || acrossAccounts) && (
          <Checkbox
            checked={acrossAccounts}
            onChange={(event) => setAcrossAccounts(event.currentTarget.checked)}
            className="mt-2"
          >
            Group legs in different accounts of one person
            <span className="block text-data text-ink-2">
              Set the holders of your accounts at Account, Data. Accounts without a holder are treated as
              those of one person.
            </span>
          </Checkbox>
        )}
        <FormFailure>{failure}</FormFailure>
      </form>
    </Dialog>
  );
}

function parseMinutes(text: string): number | undefined {
  const minutes = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return minutes >= 1 && minutes <= MAX_MINUTES ? minutes : undefined;
}

function useSaveSettings(onSaved: () => void) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");

  async function save(body: Schemas["StrategySettings"]) {
    if (isBusy) return;
    setBusy(true);
    setFailure("");
    try {
      const { error, response } = await api.PUT("/analytics/strategy-settings", { body });
      if (response.ok) {
        await refreshStrategies(client);
        return onSaved();
      }
      setFailure(messageOf(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(false);
  }

  return { isBusy, failure, save };
}
