/** The shape of the page while its figures are on the way. Shows after 200 ms, so that a quick answer never blinks. */
export function AnalyticsSkeleton() {
  return (
    <div className="animate-late pt-5">
      <p role="status" className="sr-only">
        Loading your analytics
      </p>
      <div aria-hidden="true" className="space-y-5">
        <div className="grid h-36 grid-cols-2 rounded-panel border border-line bg-surface md:grid-cols-6">
          {["a", "b", "c", "d", "e", "f"].map((key) => (
            <div key={key} className="border-line border-r px-5 py-5 last:border-r-0 max-md:nth-[n+3]:hidden">
              <div className="h-2.5 w-20 max-w-full rounded-tag bg-line" />
              <div className="mt-4 h-5 w-24 max-w-full rounded-tag bg-line" />
            </div>
          ))}
        </div>
        <div className="h-120 rounded-panel border border-line bg-surface p-6">
          <div className="h-4 w-64 max-w-full rounded-tag bg-line" />
          <div className="mt-3 h-2.5 w-80 max-w-full rounded-tag bg-line" />
        </div>
      </div>
    </div>
  );
}
