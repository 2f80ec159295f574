import type { ReactNode } from "react";
import { Button } from "#ui/button.tsx";

export type FactorRowProps = {
  name: string;
  children: ReactNode;
  removing: boolean;
  onRemove: () => void;
};

/** Row of a second factor or a trusted device. */
export function FactorRow({ name, children, removing, onRemove }: FactorRowProps) {
  return (
    <li className="flex min-h-16 items-center gap-4 border-line border-b px-4 py-3 last:border-b-0 sm:px-5">
      <div className="min-w-0 flex-1 text-ui">
        <p className="break-words font-semibold">{name}</p>
        <p className="text-data text-ink-2">{children}</p>
      </div>
      <Button
        variant="secondary"
        size="sm"
        pending={removing}
        onClick={onRemove}
        aria-label={`Remove ${name}`}
      >
        Remove
      </Button>
    </li>
  );
}
