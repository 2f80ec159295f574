// Drawn, because ▲ and ▼ are not in the fonts. A sign or a word must stand beside them.

export function UpMark() {
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className="mark">
      <path d="M5 1 9.5 9h-9z" fill="currentColor" />
    </svg>
  );
}

export function DownMark() {
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className="mark">
      <path d="M5 9 .5 1h9z" fill="currentColor" />
    </svg>
  );
}
