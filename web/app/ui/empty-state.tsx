import { Download } from "lucide-react";
import { Button } from "#ui/button.tsx";
import { FirstLine } from "#ui/first-line.tsx";

export type EmptyStateProps = {
  /** Name of the empty panel: "TradeLog". */
  name: string;
  onAdd: () => void;
  /** Sample file for trying the import. */
  sample?: { href: string; label: string };
};

export function EmptyState({ name, onAdd, sample }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-start py-8">
      <FirstLine />
      <h2 className="mt-9 text-h2">{name} is Empty</h2>
      <p className="mt-3 font-medium">You haven't added any trades yet.</p>
      <p className="text-ink-2">Start adding trades to view them on the dashboard.</p>
      <Button onClick={onAdd} className="mt-6">
        Add Trade
      </Button>
      {sample && (
        <a href={sample.href} download className="link mt-4 inline-flex min-h-11 items-center gap-2 text-ui">
          <Download size={17} aria-hidden />
          {sample.label}
        </a>
      )}
    </div>
  );
}
