import { TableSkeleton } from "#ui/skeleton.tsx";

/** Placeholder while the tax pack of a link loads; also the prerendered page, which has no link. */
export function SharedTaxPackSkeleton() {
  return (
    <>
      <h1 tabIndex={-1} className="pt-1 pb-5 text-[2rem]">
        Shared tax pack
      </h1>
      <TableSkeleton label="Loading the tax pack" />
    </>
  );
}
