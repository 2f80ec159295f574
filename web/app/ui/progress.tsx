export type ProgressProps = {
  /** What is under way: "Sending tradebook.xlsx". */
  label: string;
  /** From 0 to 1; left out while nobody knows. */
  value?: number;
};

/** A bar, with words for those who do not see it, said at most at every 10 %. */
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
