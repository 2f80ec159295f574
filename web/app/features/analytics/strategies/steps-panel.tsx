import type { StrategyDetail, StrategyStep } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { changeText } from "#features/analytics/strategies/payoff-text.ts";
import { PhoneDetails } from "#features/analytics/strategies/phone-details.tsx";
import { stepLines, stepName } from "#features/analytics/strategies/step-text.ts";
import { date, signed, time } from "#lib/format.ts";

type StepsPanelProps = Pick<StrategyDetail, "strategy" | "steps" | "payoff" | "firstPayoff">;

/** Opening, adjustments and closing with the cash of each, in the order of time. */
export function StepsPanel({ strategy, steps, payoff, firstPayoff }: StepsPanelProps) {
  const change = payoff && firstPayoff ? changeText(firstPayoff, payoff) : "";
  return (
    <Panel title={strategy.adjusted ? "Adjustments" : "Opening and closing"}>
      <PhoneDetails summary="Steps with their cash">
        <table className="w-full border-line border-t text-data">
          <caption className="sr-only">Steps with their cash</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Step</th>
              <th scope="col" className="max-sm:hidden">
                Cash
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <Step key={`${step.at} ${step.kind}`} step={step} />
            ))}
          </tbody>
          {strategy.state === "closed" && (
            <tfoot>
              <tr className="border-line-strong border-y font-semibold">
                <td className="border-r border-r-rule" />
                <td className="h-9 px-3">
                  Gross
                  <PhoneCash value={strategy.gross} />
                </td>
                <td className="figures pr-4 text-right max-sm:hidden sm:pr-6">{signed(strategy.gross)}</td>
              </tr>
            </tfoot>
          )}
        </table>
        {change && <p className="px-4 py-4 text-data text-ink-2 sm:px-6">{change}</p>}
      </PhoneDetails>
    </Panel>
  );
}

function Step({ step }: { step: StrategyStep }) {
  return (
    <tr className="border-line border-t align-top first:border-t-0">
      <td className="figures w-20 whitespace-nowrap border-r border-r-rule py-2 pr-3 pl-4 text-ink-2 sm:w-24 sm:pl-6">
        {date(step.at).replace(/ \d+$/, "")}
        {step.timePrecision !== "day" && <span className="block">{time(step.at)}</span>}
      </td>
      <th scope="row" className="px-3 py-2 text-left font-normal">
        <span className="font-semibold">{stepName(step)}</span>
        {stepLines(step).map((line) => (
          <span key={line} className="block text-ink-2">
            {line}
          </span>
        ))}
        <PhoneCash value={step.cash} />
      </th>
      <td className="figures whitespace-nowrap py-2 pr-4 text-right max-sm:hidden sm:pr-6">
        {signed(step.cash)}
      </td>
    </tr>
  );
}

/** Cash on its own line, because a phone has no room for another column. */
function PhoneCash({ value }: { value: number }) {
  return <span className="figures block text-ink sm:hidden">{signed(value)}</span>;
}
