export type StepsProps = { title: string; steps: readonly string[] };

/** Numbered instructions. */
export function Steps({ title, steps }: StepsProps) {
  return (
    <>
      <h2 className="font-sans font-semibold text-ui tracking-normal">{title}</h2>
      <ol className="mt-3 list-decimal space-y-1.5 pl-5 text-ink-2 marker:text-ink-3">
        {steps.map((step) => (
          <li key={step} className="pl-1">
            {step}
          </li>
        ))}
      </ol>
    </>
  );
}
