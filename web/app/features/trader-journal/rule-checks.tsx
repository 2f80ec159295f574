import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import { Chip } from "#features/trader-journal/label-fields.tsx";
import { $api } from "#lib/api-query.ts";

type RuleChecksProps = { content: EntryContent; onEdit: (changed: Partial<EntryContent>) => void };

/** Checklist of the playbook with the name of the setup: each rule is kept, broken or open. */
export function RuleChecks({ content, onEdit }: RuleChecksProps) {
  const { data } = $api.useQuery("get", "/journal/playbooks");
  const name = content.setup.toLowerCase();
  const playbook = data?.playbooks.find((one) => one.name.toLowerCase() === name);
  if (!playbook?.rules.length) return null;

  function check(rule: number, kept: boolean) {
    const { rulesKept, rulesBroken } = content;
    const without = (rules: number[]) => rules.filter((one) => one !== rule);
    const toggle = (rules: number[]) =>
      rules.includes(rule) ? without(rules) : [...rules, rule].sort((a, b) => a - b);
    onEdit(
      kept
        ? { rulesKept: toggle(rulesKept), rulesBroken: without(rulesBroken) }
        : { rulesKept: without(rulesKept), rulesBroken: toggle(rulesBroken) },
    );
  }
  return (
    <ul className="mt-4">
      {playbook.rules.map(({ id, text }) => (
        <li key={id} className="flex flex-wrap items-center gap-2 border-line border-b py-2 last:border-b-0">
          <span className="min-w-40 flex-1 text-ui">{text}</span>
          <fieldset aria-label={text} className="flex gap-2">
            <Chip pressed={content.rulesKept.includes(id)} onClick={() => check(id, true)}>
              Kept
            </Chip>
            <Chip pressed={content.rulesBroken.includes(id)} tone="loss" onClick={() => check(id, false)}>
              Broken
            </Chip>
          </fieldset>
        </li>
      ))}
    </ul>
  );
}
