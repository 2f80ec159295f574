import { ButtonLink } from "#ui/button.tsx";
import { FirstLine } from "#ui/first-line.tsx";

/** Rows of the sample; the figures are invented and add up. */
const SAMPLE = [
  { day: "Mon 16 Nov", trades: 3, net: "+₹1,461" },
  { day: "Tue 17 Nov", trades: 3, net: "−₹880" },
  { day: "Wed 18 Nov", trades: 4, net: "+₹2,506" },
] as const;

/** Page of an account without trades, with a sample of what the analytics show. */
export function NoTrades({ isOwner }: { isOwner: boolean }) {
  return (
    <div className="flex flex-col items-start py-8">
      <FirstLine />
      <h1 tabIndex={-1} className="mt-9 text-h2">
        No analytics yet
      </h1>
      <p className="mt-3 font-medium">You haven&rsquo;t added any trades yet.</p>
      <p className="text-ink-2">Analytics appear after your first closed trade.</p>
      {isOwner && (
        <ButtonLink to="/dashboard?panel=0" className="mt-6">
          Add Trades
        </ButtonLink>
      )}
      <section
        aria-label="Sample"
        className="mt-9 w-full max-w-md rounded-panel border border-line border-dashed px-5 py-4"
      >
        <p className="text-data text-ink-2">Sample: a week of another trader. These are not your figures.</p>
        <table className="figures mt-2 w-full text-data">
          <thead>
            <tr className="text-floor text-ink-3">
              <th scope="col" className="py-1 text-left font-medium">
                Day
              </th>
              <th scope="col" className="text-right font-medium">
                Positions
              </th>
              <th scope="col" className="text-right font-medium">
                Net P&amp;L
              </th>
            </tr>
          </thead>
          <tbody>
            {SAMPLE.map(({ day, trades, net }) => (
              <tr key={day} className="border-line border-t">
                <th scope="row" className="h-8 text-left font-normal">
                  {day}
                </th>
                <td className="text-right">{trades}</td>
                <td className="text-right font-semibold">{net}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="border-line-strong border-t font-semibold">
              <th scope="row" className="h-8 text-left">
                Week
              </th>
              <td className="text-right">10</td>
              <td className="text-right">+₹3,087</td>
            </tr>
          </tfoot>
        </table>
      </section>
    </div>
  );
}
