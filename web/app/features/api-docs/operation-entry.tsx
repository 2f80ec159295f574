import { CodeBlock } from "#features/api-docs/code-block.tsx";
import { FieldList } from "#features/api-docs/field-list.tsx";
import { FormattedText, TypeText } from "#features/api-docs/formatted-text.tsx";
import { ReferenceEntry } from "#features/api-docs/reference-entry.tsx";
import type { Content, Operation, Reply } from "../../../api-reference/build-reference.ts";

const METHOD_COLORS: Record<string, string> = {
  GET: "text-brand",
  POST: "text-gain",
  PATCH: "text-warn",
  DELETE: "text-loss",
};

/** Collapsible entry of one operation. */
export function OperationEntry({ operation, hidden }: { operation: Operation; hidden: boolean }) {
  const { id, method, path, title, text, needs, parameters, request, replies, curl } = operation;
  return (
    <ReferenceEntry
      id={id}
      hidden={hidden}
      summary={
        <summary className="grid cursor-pointer gap-x-4 py-3 hover:bg-sunken sm:grid-cols-[4.5rem_1fr] sm:px-2">
          <span className={`font-mono font-semibold text-data ${METHOD_COLORS[method] ?? ""}`}>{method}</span>
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
              <FormattedText text={text} />
            </p>
          )}
          <p className="text-data text-ink-2">
            {needs ? `Requires ${needs}.` : "No credentials required."}{" "}
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
              {request.map((content) => (
                <ContentPart key={content.media} content={content} label={`Body of ${id}`} />
              ))}
            </Part>
          )}
          <Part title="Responses">
            {replies.map((reply) => (
              <ReplyPart key={reply.status} reply={reply} id={id} />
            ))}
          </Part>
        </div>
      )}
    </ReferenceEntry>
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

function ReplyPart({ reply: { status, text, headers, content }, id }: { reply: Reply; id: string }) {
  return (
    <div className="space-y-3">
      <p className="text-data">
        <strong className="figures font-mono">{status}</strong>{" "}
        <span className="whitespace-pre-line text-ink-2">
          <FormattedText text={text} />
        </span>
      </p>
      {headers.length > 0 && <FieldList fields={headers} />}
      {content.map((one) => (
        <ContentPart key={one.media} content={one} label={`${status} of ${id}`} />
      ))}
    </div>
  );
}

type ContentPartProps = { content: Content; label: string };

function ContentPart({ content: { media, type, fields, example }, label }: ContentPartProps) {
  return (
    <div className="space-y-3">
      <p className="font-mono text-floor text-ink-3">
        {media}: <TypeText parts={type} />
      </p>
      {fields.length > 0 && <FieldList fields={fields} />}
      {example && <CodeBlock label={`Example, ${label}`} text={example} />}
    </div>
  );
}
