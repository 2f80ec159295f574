import { SkeletonLine } from "#ui/skeleton.tsx";

/** Placeholder lines while a section loads. Separate from `account-section.tsx`: the page shows it before any panel. */
export function AccountSkeleton({ label }: { label: string }) {
  return (
    <div className="space-y-5 py-2">
      <p role="status" className="sr-only">
        {label}
      </p>
      {["w-40", "w-64", "w-52", "w-72"].map((width) => (
        <SkeletonLine key={width} className={width} />
      ))}
    </div>
  );
}
