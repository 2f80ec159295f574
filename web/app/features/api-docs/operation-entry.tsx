import { CodeBlock } from "#features/api-docs/code-block.tsx";
import { Entry } from "#features/api-docs/entry.tsx";
import { FieldList } from "#features/api-docs/field-list.tsx";
import { TypeWords, Words } from "#features/api-docs/words.tsx";
import type { Operation, Reply, Shown } from "../../../api-reference/read-contract.ts";

const METHODS: Record<string, string> = {
  GET: "text-brand",
  POST: "text-gain",
  PATCH: "text-warn",
  DELETE: "text-loss",
};

/** One operation, closed until it is wanted. */
export function OperationEntry({ operation, hidden }: { operation: Operation; hidden: boolean }) {
  const { id, method, path, title, text, needs, parameters, request, replies, curl } = operation;
  return (
    <Entry
      id={id}
      hidden={hidden}
      summary={
        <summary className="grid cursor-pointer gap-x-4 py-3 hover:bg-sunken sm:grid-cols-[4.5rem_1fr] sm:px-2">
          <span className={`font-mono font-semibold text-data ${METHODS[method] ?? ""}`}>{method}</span>
          <span className="min-w-0">
            <span className="font-mono text-data wrap-anywhere">{path}</span>
            <span className="block text-data text-ink-2">{title}</span>
          </span>
        </summary>
      }
    >
      {() => (
        <div className="space-y-6 pt-2 pb-8 sm:pl-[5.75rem]">
          {text && (
            <p className="max-w-[66ch] whitespace-pre-line">
              <Words text={text} />
            </p>
          )}
          <p className="text-data text-ink-2">
            {needs ? `Needs ${needs}.` : "Needs nothing."}{" "}
            <a href={`#${id}`} className="text-brand underline underline-offset-2">
              Link to {id}
            </a>
          </p>
          <CodeBlock label={`curl, ${id}`} text={curl} />
          {parameters.length > 0 && (
            <Part title="Parameters">
              <FieldList fields={parameters} />
            </Part>
          )}
          {request.length > 0 && (
            <Part title="Body">
              {request.map((shown) => (
                <Content key={shown.media} shown={shown} label={`Body of ${id}`} />
              ))}
            </Part>
          )}
          <Part title="Replies">
            {replies.map((reply) => (
              <ReplyPart key={reply.status} reply={reply} id={id} />
            ))}
          </Part>
        </div>
      )}
    </Entry>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 font-sans font-semibold text-ui">{title}</h3>
      <div className="space-y-4">{children}</div>
    </section>
  );
}

function ReplyPart({ reply: { status, text, headers, shown }, id }: { reply: Reply; id: string }) {
  return (
    <div className="space-y-3">
      <p className="text-data">
        <strong className="figures font-mono">{status}</strong>{" "}
        <span className="whitespace-pre-line text-ink-2">
          <Words text={text} />
        </span>
      </p>
      {headers.length > 0 && <FieldList fields={headers} />}
      {shown.map((one) => (
        <Content key={one.media} shown={one} label={`${status} of ${id}`} />
      ))}
    </div>
  );
}

function Content({ shown: { media, type, fields, example }, label }: { shown: Shown; label: string }) {
  return (
    <div className="space-y-3">
      <p className="font-mono text-floor text-ink-3">
        {media}: <TypeWords words={type} />
      </p>
      {fields.length > 0 && <FieldList fields={fields} />}
      {example && <CodeBlock label={`Example, ${label}`} text={example} />}
    </div>
  );
}
