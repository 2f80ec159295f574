import type { ReactNode } from "react";
import type { Drawing } from "#content/features.ts";

const STROKE = { strokeWidth: 2, strokeLinecap: "round", strokeLinejoin: "round" } as const;

/** Drawing of a planned feature: grey rules, the subject in indigo, one marigold accent. */
export function FeatureDrawing({ name }: { name: Drawing }) {
  return (
    <svg viewBox="0 0 224 88" fill="none" aria-hidden="true" className="h-auto w-full max-w-56">
      {DRAWINGS[name]}
    </svg>
  );
}

const RULES = <path d="M0 8.5h224M0 32.5h224M0 56.5h224M0 80.5h224" className="stroke-line" />;

const DRAWINGS: Record<Drawing, ReactNode> = {
  curve: (
    <>
      {RULES}
      <path d="m2 72 26-6 22 4 26-20 24 8 26-22 24 6 24-18 20-12" className="stroke-brand" {...STROKE} />
      <circle cx="194" cy="12" r="5" className="fill-marigold" />
    </>
  ),
  finding: (
    <>
      <path d="M36.5 4v80" className="stroke-rule" />
      <path d="M52 16h120M52 66h96M52 82h64" className="stroke-line-strong" {...STROKE} />
      <rect x="46" y="30" width="170" height="22" rx="5" className="fill-brand-soft" />
      <path d="M56 41h112M180 41h24" className="stroke-brand" {...STROKE} />
      <path d="M18 33v16M11 37l14 8M25 37l-14 8" className="stroke-marigold" {...STROKE} />
    </>
  ),
  sync: (
    <>
      <path d="M76 22h20c16 0 10 22 26 22h18M76 66h20c16 0 10-22 26-22" className="stroke-line-strong" />
      <rect x="1" y="10" width="75" height="24" rx="5" className="fill-surface stroke-line-strong" />
      <rect x="1" y="54" width="75" height="24" rx="5" className="fill-surface stroke-line-strong" />
      <path d="M14 22h48M14 66h36" className="stroke-line-strong" {...STROKE} />
      <rect x="140" y="6" width="83" height="76" rx="6" className="fill-surface stroke-line-strong" />
      <path d="M162.5 6v76" className="stroke-rule" />
      <path d="M172 22h38M172 37h26M172 52h34M172 67h20" className="stroke-brand" {...STROKE} />
      <circle cx="122" cy="44" r="5" className="fill-marigold" />
    </>
  ),
  candles: (
    <>
      <path d="M0 16.5h224" className="stroke-gain" strokeDasharray="3 4" />
      <path d="M0 76.5h224" className="stroke-loss" strokeDasharray="3 4" />
      <path
        d="M20 34v26M48 40v28M76 36v26M104 34v26M132 26v28M160 24v24M188 14v28"
        className="stroke-line-strong"
      />
      <path d="M16 42h8v12h-8zM44 48h8v14h-8zM128 34h8v12h-8z" className="fill-surface stroke-line-strong" />
      <path d="M72 42h8v14h-8zM100 40h8v14h-8zM156 28h8v14h-8zM184 20h8v14h-8z" className="fill-brand" />
      <circle cx="48" cy="76" r="5" className="fill-marigold" />
    </>
  ),
  thread: (
    <>
      <path d="M14 24v30c0 6 4 10 10 10h10" className="stroke-line-strong" />
      <circle cx="14" cy="14" r="9" className="fill-surface stroke-line-strong" />
      <circle cx="44" cy="64" r="9" className="fill-surface stroke-brand" strokeWidth="2" />
      <path d="M34 10h110M34 22h78" className="stroke-line-strong" {...STROKE} />
      <path d="M66 58h134M66 72h92" className="stroke-brand" {...STROKE} />
      <circle cx="180" cy="15" r="5" className="fill-marigold" />
    </>
  ),
  hours: (
    <>
      <path
        d="M0 4h30v16H0zM64 4h30v16H64zM128 24h30v16h-30zM32 44h30v16H32zM192 44h30v16h-30zM96 64h30v16H96z"
        className="fill-gain-soft"
      />
      <path
        d="M32 4h30v16H32zM64 24h30v16H64zM160 4h30v16h-30zM0 24h30v16H0zM96 44h30v16H96zM160 64h30v16h-30z"
        className="fill-gain"
        opacity="0.55"
      />
      <path
        d="M96 4h30v16H96zM192 4h30v16h-30zM160 24h30v16h-30zM192 24h30v16h-30zM64 44h30v16H64zM128 44h30v16h-30zM160 44h30v16h-30zM64 64h30v16H64zM128 64h30v16h-30z"
        className="fill-line"
      />
      <path
        d="M128 4h30v16h-30zM96 24h30v16H96zM0 44h30v16H0zM0 64h30v16H0zM192 64h30v16h-30z"
        className="fill-loss"
        opacity="0.4"
      />
      <path d="M32 24h30v16H32zM32 64h30v16H32z" className="fill-loss-soft" />
      <path d="M64 24h30v16H64z" className="stroke-marigold" strokeWidth="2.5" />
    </>
  ),
  limit: (
    <>
      {RULES}
      <path d="M0 68.5h224" className="stroke-loss" strokeDasharray="5 4" strokeWidth="1.5" />
      <path d="m2 30 24-12 26 16 24-10 28 18 26-4 18 30" className="stroke-brand" {...STROKE} />
      <path d="m148 68 20 12" className="stroke-line-strong" strokeDasharray="2 5" {...STROKE} />
      <circle cx="148" cy="68" r="5" className="fill-marigold" />
    </>
  ),
  mood: (
    <>
      <path d="M36.5 4v80" className="stroke-rule" />
      <rect x="50" y="6" width="56" height="24" rx="5" className="fill-surface stroke-line-strong" />
      <rect x="114" y="6" width="56" height="24" rx="5" className="fill-brand-soft stroke-brand" />
      <path d="M62 18h32" className="stroke-line-strong" {...STROKE} />
      <path d="M126 18h32" className="stroke-brand" {...STROKE} />
      <path d="M50 48h140M50 64h116M50 80h72" className="stroke-line-strong" {...STROKE} />
      <path d="m12 17 5 6 9-11" className="stroke-marigold" {...STROKE} strokeWidth="3" />
    </>
  ),
};
