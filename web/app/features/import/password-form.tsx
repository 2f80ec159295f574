import { type KeyboardEvent, useState } from "react";
import { Button } from "#ui/button.tsx";
import { PasswordInput } from "#ui/text-input.tsx";

type PasswordFormProps = { name: string; onSubmit: (password: string) => void };

/**
 * Asks for the password of a file, which is then tried on all protected files of the batch. Not a form element, because it
 * is inside the form of the import.
 */
export function PasswordForm({ name, onSubmit }: PasswordFormProps) {
  const [password, setPassword] = useState("");
  const submit = () => {
    if (password) onSubmit(password);
  };
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  };
  return (
    <div className="flex w-full max-w-md flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 basis-48">
        <PasswordInput
          aria-label={`Password of ${name}`}
          placeholder="Usually your PAN"
          autoComplete="off"
          maxLength={127}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          onKeyDown={submitOnEnter}
        />
      </span>
      <Button variant="secondary" size="sm" onClick={submit}>
        Open file
      </Button>
    </div>
  );
}
