/** Drawing of a ledger page with a missing entry, for 404 pages and expired links. */
export function MissingEntry() {
  return (
    <svg
      viewBox="0 0 264 168"
      width="264"
      height="168"
      fill="none"
      aria-hidden="true"
      className="h-auto max-w-full"
    >
      <rect x="1" y="1" width="262" height="166" rx="8" className="fill-surface stroke-line-strong" />
      <path d="M1 37.5h262M1 133.5h262" className="stroke-line" />
      <path d="M1 69.5h262M1 101.5h262" className="stroke-line-strong" strokeDasharray="3 5" />
      <path d="M70.5 1v166" className="stroke-rule" />
      <path
        d="M18 19.5h26M88 19.5h58M210 19.5h36M18 53.5h26M88 53.5h40M218 53.5h28M18 117.5h26M88 117.5h50M214 117.5h32M18 150.5h26M88 150.5h34M222 150.5h24"
        className="stroke-line-strong"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <circle cx="31" cy="85.5" r="4" className="fill-marigold" />
    </svg>
  );
}
