import type { ReactNode } from "react";

export type StatusPageProps = {
  title: string;
  /** Above the title, such as the number of an error. */
  eyebrow?: string;
  /** Lines of text; the first one is the strong one. */
  lines?: readonly string[];
  /** What to do next: a `ButtonLink`. */
  action?: ReactNode;
  drawing?: ReactNode;
  /** `status` reads the page out where it comes without a change of page. */
  role?: "status";
};

/** One thing to say and one thing to do: not found, done, coming soon, signing out. */
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
