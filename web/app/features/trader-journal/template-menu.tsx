import { useQueryClient } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import { TemplateDialog } from "#features/trader-journal/template-dialog.tsx";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { Menu, MenuButton } from "#ui/menu.tsx";

export type Template = Schemas["Template"];

/** Templates to begin with, before the trader has any. */
const STARTERS = [
  {
    name: "Trading day",
    plan: "## Levels\n\n## What I trade\n\n## When I stop\n",
    note: "## What went as planned\n\n## What did not\n\n## Next time\n",
  },
  {
    name: "Expiry day",
    plan: "## Open positions that expire\n\n## Levels\n\n## When I close\n",
    note: "## Result at expiry\n\n## Next time\n",
  },
] as const;

type TemplateMenuProps = {
  content: Pick<EntryContent, "plan" | "note">;
  onInsert: (texts: Pick<EntryContent, "plan" | "note">) => void;
};

/** Menu that adds the texts of a template, and edits templates. */
export function TemplateMenu({ content, onInsert }: TemplateMenuProps) {
  const client = useQueryClient();
  const { data } = $api.useQuery("get", "/journal/templates");
  const [edited, setEdited] = useState<Template | "new">();
  const own = data?.templates ?? [];

  const insert = ({ plan, note }: Pick<Template, "plan" | "note">) =>
    onInsert({ plan: append(content.plan, plan), note: append(content.note, note) });
  return (
    <>
      <Menu
        className="h-10 border border-line-strong px-4 font-semibold text-ui"
        trigger={
          <>
            Use a template
            <ChevronDown size={16} aria-hidden />
          </>
        }
      >
        {(own.length > 0 ? own : STARTERS).map((template) => (
          <MenuButton key={template.name} onPress={() => insert(template)}>
            {template.name}
          </MenuButton>
        ))}
        {own.map((template) => (
          <MenuButton key={`edit ${template.name}`} onPress={() => setEdited(template)}>
            {`Edit ${template.name}`}
          </MenuButton>
        ))}
        <MenuButton onPress={() => setEdited("new")}>New template</MenuButton>
      </Menu>
      {edited && (
        <TemplateDialog
          template={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined);
            void client.invalidateQueries({ queryKey: ["get", "/journal/templates"] });
          }}
        />
      )}
    </>
  );
}

/** Adds a text of a template to what is written; nothing is replaced. */
function append(written: string, added: string): string {
  if (!added || written.includes(added.trim())) return written;
  return written ? `${written.trimEnd()}\n\n${added}` : added;
}
