import { SITE } from "#content/site.ts";

/** The logo: an account book. Its colours are the same in both themes. */
export function LogoMark({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" className="shrink-0">
      <rect x="1" y="1" width="22" height="22" rx="4.5" className="logo-cover" />
      <path d="M6 6.2v2.2M6 10.9v2.2M6 15.6v2.2" stroke="#f0b135" strokeWidth="2" strokeLinecap="round" />
      <path d="M10.5 7.3H18M10.5 12H18M10.5 16.7H15" stroke="#fff" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}

/** Logo and product name. */
export function Brand() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <LogoMark />
      <span className="font-bold font-heading text-[1.375rem] leading-none max-[24rem]:text-[1.125rem] tracking-[-0.018em]">
        {SITE.name}
      </span>
    </span>
  );
}
