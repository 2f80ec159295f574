import { ButtonLink } from "#ui/button.tsx";

/** Message for a guest whose read-only access, which lasts 30 minutes, has ended. */
export function AccessExpired() {
  return (
    <div className="flex flex-col items-start py-8" role="status">
      <h1 tabIndex={-1} className="text-h2">
        Your read-only access has expired
      </h1>
      <p className="mt-3 font-medium">Your trades are safe on the server.</p>
      <p className="text-ink-2">To open the analytics again, press See Analytics in your trade log.</p>
      <ButtonLink to="/dashboard" className="mt-6">
        Go to Dashboard
      </ButtonLink>
    </div>
  );
}
