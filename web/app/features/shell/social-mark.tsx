import type { COMPANY } from "#content/company.ts";

const MARKS: Record<(typeof COMPANY.social)[number]["name"], string> = {
  LinkedIn:
    "M4 9.5h3.2V20H4zM5.6 4.2a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8M9.4 9.5h3.1v1.4c.6-1 1.7-1.7 3.3-1.7 3 0 4.2 1.8 4.2 4.8v6h-3.3v-5.6c0-1.5-.5-2.4-1.9-2.4-1.3 0-2.1.9-2.1 2.5V20H9.4z",
  X: "M4 4h4.9l3.7 5.2L17 4h2.2l-5.6 6.6L20 20h-4.9l-4.1-5.8L6.1 20H3.9l6.1-7.2zm3.2 1.7 9 12.6h1L8.2 5.7z",
  YouTube:
    "M21.2 7.6a2.4 2.4 0 0 0-1.7-1.7C18 5.5 12 5.5 12 5.5s-6 0-7.5.4a2.4 2.4 0 0 0-1.7 1.7A25 25 0 0 0 2.5 12c0 1.5.1 3 .3 4.4.2.9.9 1.5 1.7 1.7 1.5.4 7.5.4 7.5.4s6 0 7.5-.4c.8-.2 1.5-.8 1.7-1.7.2-1.4.3-2.9.3-4.4s-.1-3-.3-4.4M10.1 14.8V9.2l4.9 2.8z",
};

export function SocialMark({ name }: { name: keyof typeof MARKS }) {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={MARKS[name]} fill="currentColor" />
    </svg>
  );
}
