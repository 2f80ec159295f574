import { useId, useState } from "react";
import type { Template } from "#features/trader-journal/template-menu.tsx";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { TextArea } from "#ui/text-area.tsx";
import { TextInput } from "#ui/text-input.tsx";

type TemplateDialogProps = { template: Template | undefined; onClose: () => void; onSaved: () => void };

const NAMES = { name: "Name", plan: "Plan", note: "Review" } as const;

/** Dialog that adds, edits or deletes a template. */
export function TemplateDialog({ template, onClose, onSaved }: TemplateDialogProps) {
  const id = useId();
  const [texts, setTexts] = useState({
    name: template?.name ?? "",
    plan: template?.plan ?? "",
    note: template?.note ?? "",
  });
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);

  async function run(request: () => Promise<{ error?: unknown; response: Response }>) {
    setPending(true);
    try {
      const { error, response } = await request();
      if (response.ok) return onSaved();
      setFailure(failureMessage(response, error));
    } catch {
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }
  const save = () =>
    run(() =>
      template
        ? api.PUT("/journal/templates/{id}", {
            params: { path: { id: template.id } },
            body: { ...texts, version: template.version },
          })
        : api.POST("/journal/templates", { body: texts }),
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={template ? "Edit template" : "New template"}
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          {template && (
            <Button
              variant="danger"
              pending={pending}
              onClick={() =>
                void run(() =>
                  api.DELETE("/journal/templates/{id}", { params: { path: { id: template.id } } }),
                )
              }
            >
              Delete
            </Button>
          )}
          <Button pending={pending} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {(["name", "plan", "note"] as const).map((field) => (
          <div key={field}>
            <label htmlFor={`${id} ${field}`} className="mb-1 block text-data text-ink-2">
              {NAMES[field]}
            </label>
            {field === "name" ? (
              <TextInput
                id={`${id} ${field}`}
                value={texts.name}
                maxLength={40}
                onChange={(event) => setTexts({ ...texts, name: event.target.value })}
              />
            ) : (
              <TextArea
                id={`${id} ${field}`}
                value={texts[field]}
                rows={4}
                maxLength={5_000}
                onChange={(event) => setTexts({ ...texts, [field]: event.target.value })}
              />
            )}
          </div>
        ))}
        {failure && (
          <p role="alert" className="text-loss text-ui">
            {failure}
          </p>
        )}
      </div>
    </Dialog>
  );
}
