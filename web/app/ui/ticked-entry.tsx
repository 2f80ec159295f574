/** Drawing of a ticked ledger entry, for success pages. */
export function TickedEntry() {
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
      <path d="M1 37.5h262M1 69.5h262M1 101.5h262M1 133.5h262" className="stroke-line" />
      <path d="M70.5 1v166" className="stroke-rule" />
      <path
        d="M18 19.5h26M88 19.5h36M176 19.5h24M224 19.5h22"
        className="stroke-line-strong"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <path
        d="M88 53.5h62M176 53.5h24M216 53.5h30"
        className="stroke-brand"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <path
        d="m26 53.5 6 6 11-12"
        className="stroke-marigold"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
