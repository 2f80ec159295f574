import { ButtonLink } from "#ui/button.tsx";

/** Who was let in to read, for half an hour. */
export function ReadingOver() {
  return (
    <div className="flex flex-col items-start py-8" role="status">
      <h1 tabIndex={-1} className="text-h2">
        Your half hour of reading is over
      </h1>
      <p className="mt-3 font-medium">Your trades are safe on the server.</p>
      <p className="text-ink-2">Press See Analytics on your trade log to come again.</p>
      <ButtonLink to="/dashboard" className="mt-6">
        Go to Dashboard
      </ButtonLink>
    </div>
  );
}
