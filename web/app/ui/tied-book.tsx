/** Drawing of a closed account book, for pages without a session. */
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
