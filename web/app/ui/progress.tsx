export type ProgressProps = {
  /** Name of the task: "Sending tradebook.xlsx". */
  label: string;
  /** From 0 to 1; omitted if unknown. */
  value?: number;
};

/** Progress bar. Screen readers announce it at most every 10 %. */
export function Progress({ label, value }: ProgressProps) {
  const tenth = value === undefined ? undefined : Math.floor(value * 10) * 10;
  return (
    <div>
      <progress
        aria-label={label}
        max={1}
        {...(value !== undefined && { value })}
        className="progress block h-1.5 w-full overflow-hidden rounded-full"
      />
      <p role="status" className="sr-only">
        {tenth === undefined ? label : `${label}, ${tenth} %`}
      </p>
    </div>
  );
}
