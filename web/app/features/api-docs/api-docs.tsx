import { useEffect, useRef, useState } from "react";
import { FieldList } from "#features/api-docs/field-list.tsx";
import { FormattedText, TypeText } from "#features/api-docs/formatted-text.tsx";
import { OperationEntry } from "#features/api-docs/operation-entry.tsx";
import { ReferenceEntry } from "#features/api-docs/reference-entry.tsx";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { TextInput } from "#ui/text-input.tsx";
import type { NamedSchema, Operation, Reference } from "../../../api-reference/build-reference.ts";

// The plugin in api-reference/plugin.ts converts the API description.
const FILES = import.meta.glob<Reference>("../../../../openapi.yaml", {
  eager: true,
  query: "?reference",
  import: "default",
});
const [reference] = Object.values(FILES);
if (!reference) throw new Error("openapi.yaml is missing");
const { groups, schemas } = reference;

/** Lists every operation and schema of the API, with a search field. */
export function ApiDocs() {
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => search.current?.focus() });
  useOpenEntryFromHash();

  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text: string) => terms.every((term) => text.toLowerCase().includes(term));
  const operationMatches = ({ id, method, path, title }: Operation) =>
    matches(`${id} ${method} ${path} ${title}`);
  const matchCount = groups.flatMap(({ operations }) => operations).filter(operationMatches).length;

  return (
    <>
      <label htmlFor="search" className="block font-semibold text-ui">
        Search operations and schemas
      </label>
      <TextInput
        id="search"
        ref={search}
        type="search"
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        aria-describedby="found"
        aria-keyshortcuts="/"
        className="mt-2 max-w-[30rem]"
      />
      <p id="found" role="status" className="mt-2 text-data text-ink-2">
        {matchCount === 1 ? "1 operation" : `${matchCount} operations`}
      </p>
      {groups.map(({ name, text, operations }) => (
        <section
          key={name}
          aria-labelledby={`group-${name}`}
          hidden={!operations.some(operationMatches)}
          className="pt-12"
        >
          <h2 id={`group-${name}`} className="text-h3">
            {name}
          </h2>
          <p className="mt-2 mb-4 text-ink-2">
            <FormattedText text={text} />
          </p>
          <div className="border-line border-t">
            {operations.map((operation) => (
              <OperationEntry
                key={operation.id}
                operation={operation}
                hidden={!operationMatches(operation)}
              />
            ))}
          </div>
        </section>
      ))}
      <section aria-labelledby="schemas" className="pt-16">
        <h2 id="schemas" className="mb-4 text-h3">
          Schemas
        </h2>
        <div className="border-line border-t">
          {schemas.map((schema) => (
            <SchemaEntry key={schema.name} schema={schema} hidden={!matches(schema.name)} />
          ))}
        </div>
      </section>
    </>
  );
}

function SchemaEntry({
  schema: { name, text, type, fields },
  hidden,
}: {
  schema: NamedSchema;
  hidden: boolean;
}) {
  return (
    <ReferenceEntry
      id={name}
      hidden={hidden}
      summary={
        <summary className="cursor-pointer py-3 hover:bg-sunken sm:px-2">
          <span className="font-mono font-semibold text-data">{name}</span>{" "}
          <span className="text-data text-ink-2">
            <FormattedText text={text} />
          </span>
        </summary>
      }
    >
      {() => (
        <div className="space-y-3 pb-6 sm:px-2">
          <p className="font-mono text-floor text-ink-3">
            <TypeText parts={type} />
          </p>
          {fields.length > 0 && <FieldList fields={fields} />}
        </div>
      )}
    </ReferenceEntry>
  );
}

/** Opens the entry that the URL hash names; not every browser opens a `details` element by itself. */
function useOpenEntryFromHash(): void {
  useEffect(() => {
    function open() {
      const entry = document.getElementById(window.location.hash.slice(1));
      if (!(entry instanceof HTMLDetailsElement)) return;
      entry.open = true;
      entry.scrollIntoView();
    }
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, []);
}
