import clsx from "clsx";

/** List of short labels, each in its own frame. */
export function Chips({
  items,
  label,
  className,
}: {
  items: readonly string[];
  label?: string;
  className?: string;
}) {
  return (
    <ul aria-label={label} className={clsx("flex flex-wrap content-start gap-2", className)}>
      {items.map((item) => (
        <li
          key={item}
          className="rounded-tag border border-line bg-bg px-2.5 py-1 font-medium text-floor text-ink-2"
        >
          {item}
        </li>
      ))}
    </ul>
  );
}
