/** Drawings in one pen: strong lines in the colour of lines, the red margin, one marigold mark each. */

/** A ruled page whose first line waits for an entry. */
export function FirstLine() {
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
      <path d="M88.5 45.5v17" className="stroke-marigold" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

/** An account book that is tied up. */
export function TiedBook() {
  return (
    <svg
      viewBox="0 0 200 150"
      width="200"
      height="150"
      fill="none"
      aria-hidden="true"
      className="h-auto max-w-full"
    >
      <rect
        x="1.5"
        y="1.5"
        width="197"
        height="147"
        rx="8"
        className="fill-brand-soft stroke-brand"
        strokeWidth="1.5"
      />
      <path d="M34 1.5v147" className="stroke-brand" strokeWidth="1.5" />
      <path
        d="M17.5 17v17M17.5 46v17M17.5 87v17M17.5 116v17"
        className="stroke-marigold"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <rect x="53" y="19" width="124" height="28" rx="5" className="fill-surface stroke-brand" />
      <path d="M67 33h96" className="stroke-line-strong" strokeWidth="2" strokeLinecap="round" />
      <g className="stroke-ink-2" strokeWidth="1.5" strokeLinecap="round">
        <path d="M2 75h91M107 75h91M96 81l-9 21M104 81l11 19" />
        <path d="M94 72c-9-10-15-13-14-9s7 8 14 9ZM106 72c9-10 15-13 14-9s-7 8-14 9Z" />
        <circle cx="100" cy="75" r="6.5" className="fill-surface" />
      </g>
    </svg>
  );
}

/** A page with one entry torn out: what was asked for is not in the book. */
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

/** An entry written down and ticked off. */
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
