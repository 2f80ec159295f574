export type RadioTagsProps<T extends string> = {
  /** Name of the choice for screen readers. */
  legend: string;
  /** Name of the group of radio buttons, unique on the page. */
  name: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
};

/** Radio buttons in the shape of tags, in as many lines as they need. */
export function RadioTags<T extends string>({ legend, name, value, options, onChange }: RadioTagsProps<T>) {
  return (
    <fieldset className="mt-2 flex flex-wrap gap-1.5" data-print="no">
      <legend className="sr-only">{legend}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={`relative flex h-8 cursor-pointer items-center rounded-tag border px-2.5 font-semibold text-floor has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2 ${value === option.value ? "border-brand bg-brand-soft text-brand" : "border-line text-ink-2 hover:border-ink-3 hover:text-ink"}`}
        >
          <input
            type="radio"
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
