import { PRIVACY_NOTICE } from "#content/privacy-notice.ts";

/** Shown above the button that creates the account, so that it is read before. */
export function PrivacyNotice() {
  return (
    <section aria-labelledby="privacy" className="mt-7 rounded-panel border border-line bg-surface p-5">
      <h2 id="privacy" className="font-sans font-semibold text-ui tracking-normal">
        What happens to your data
      </h2>
      <dl className="mt-2 space-y-2 text-data">
        {PRIVACY_NOTICE.items.map(({ title, text }) => (
          <div key={title}>
            <dt className="font-semibold">{title}</dt>
            <dd className="text-ink-2">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
