import type { ReactNode } from "react";

export type StatusPageProps = {
  title: string;
  /** Text above the title, such as an error number. */
  eyebrow?: string;
  /** Lines of text; the first is emphasised. */
  lines?: readonly string[];
  /** The next step: a `ButtonLink`. */
  action?: ReactNode;
  drawing?: ReactNode;
  /** Use `status` if the page appears without a navigation, so that it is announced. */
  role?: "status";
};

/** Page with one message and one action: not found, success, coming soon, logout. */
export function StatusPage({ title, eyebrow, lines = [], action, drawing, role }: StatusPageProps) {
  return (
    <div role={role} className="flex flex-col items-start">
      {drawing}
      {eyebrow && (
        <p className={`figures font-semibold text-h4 text-ink-3 ${drawing ? "mt-9" : ""}`}>{eyebrow}</p>
      )}
      <h1 tabIndex={-1} className={`text-h2 ${eyebrow ? "mt-2" : drawing ? "mt-9" : ""}`}>
        {title}
      </h1>
      {lines.length > 0 && (
        <div className="mt-3">
          {lines.map((line, index) => (
            <p key={line} className={index === 0 ? "font-medium" : "text-ink-2"}>
              {line}
            </p>
          ))}
        </div>
      )}
      {action && <div className="mt-6">{action}</div>}
    </div>
  );
}
