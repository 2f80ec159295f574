import { useEffect, useRef, useState } from "react";
import { Entry } from "#features/api-docs/entry.tsx";
import { FieldList } from "#features/api-docs/field-list.tsx";
import { OperationEntry } from "#features/api-docs/operation-entry.tsx";
import { REFERENCE } from "#features/api-docs/reference.ts";
import { TypeWords, Words } from "#features/api-docs/words.tsx";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { TextInput } from "#ui/text-input.tsx";
import type { Named, Operation } from "../../../api-reference/read-contract.ts";

/** Every operation and every schema, with a search over them. */
export function ApiDocs() {
  const [asked, setAsked] = useState("");
  const search = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => search.current?.focus() });
  useOpenedByAddress();

  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const fits = ({ id, method, path, title }: Operation) => holds(`${id} ${method} ${path} ${title}`);
  const found = REFERENCE.groups.flatMap(({ operations }) => operations).filter(fits).length;

  return (
    <>
      <label htmlFor="search" className="block font-semibold text-ui">
        Search operations and schemas
      </label>
      <TextInput
        id="search"
        ref={search}
        type="search"
        value={asked}
        onChange={(event) => setAsked(event.currentTarget.value)}
        aria-describedby="found"
        aria-keyshortcuts="/"
        className="mt-2 max-w-[30rem]"
      />
      <p id="found" role="status" className="mt-2 text-data text-ink-2">
        {found === 1 ? "1 operation" : `${found} operations`}
      </p>
      {REFERENCE.groups.map(({ name, text, operations }) => (
        <section
          key={name}
          aria-labelledby={`group-${name}`}
          hidden={!operations.some(fits)}
          className="pt-12"
        >
          <h2 id={`group-${name}`} className="text-h3">
            {name}
          </h2>
          <p className="mt-2 mb-4 text-ink-2">
            <Words text={text} />
          </p>
          <div className="border-line border-t">
            {operations.map((operation) => (
              <OperationEntry key={operation.id} operation={operation} hidden={!fits(operation)} />
            ))}
          </div>
        </section>
      ))}
      <section aria-labelledby="schemas" className="pt-16">
        <h2 id="schemas" className="mb-4 text-h3">
          Schemas
        </h2>
        <div className="border-line border-t">
          {REFERENCE.schemas.map((schema) => (
            <SchemaEntry key={schema.name} schema={schema} hidden={!holds(schema.name)} />
          ))}
        </div>
      </section>
    </>
  );
}

function SchemaEntry({ schema: { name, text, type, fields }, hidden }: { schema: Named; hidden: boolean }) {
  return (
    <Entry
      id={name}
      hidden={hidden}
      summary={
        <summary className="cursor-pointer py-3 hover:bg-sunken sm:px-2">
          <span className="font-mono font-semibold text-data">{name}</span>{" "}
          <span className="text-data text-ink-2">
            <Words text={text} />
          </span>
        </summary>
      }
    >
      {() => (
        <div className="space-y-3 pb-6 sm:px-2">
          <p className="font-mono text-floor text-ink-3">
            <TypeWords words={type} />
          </p>
          {fields.length > 0 && <FieldList fields={fields} />}
        </div>
      )}
    </Entry>
  );
}

/** Opens what the address names: not every browser does it by itself. */
function useOpenedByAddress(): void {
  useEffect(() => {
    function open() {
      const named = document.getElementById(window.location.hash.slice(1));
      if (!(named instanceof HTMLDetailsElement)) return;
      named.open = true;
      named.scrollIntoView();
    }
    open();
    window.addEventListener("hashchange", open);
    return () => window.removeEventListener("hashchange", open);
  }, []);
}
