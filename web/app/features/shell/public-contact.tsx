import { Mail, MapPin, Phone } from "lucide-react";
import { COMPANY } from "#content/company.ts";
import { SITE } from "#content/site.ts";
import { Brand } from "#ui/logo.tsx";

const LINE_CLASS = "flex min-h-6 gap-2.5 text-ui text-ink-2";

/** Upper part of the footer with social links and contact details. Plain links, which need no script. */
export function PublicContact() {
  const { street, area, city, state, postalCode } = COMPANY.address;
  return (
    <div className="grid gap-10 md:grid-cols-[1fr_auto] md:gap-24">
      <div className="max-w-sm">
        <Brand />
        <p className="mt-4 text-ink-2 text-ui">{COMPANY.tagline}</p>
        <ul className="mt-5 flex gap-2">
          {COMPANY.social.map(({ name, href }) => (
            <li key={name}>
              <a
                href={href}
                rel="noreferrer"
                aria-label={`${SITE.name} on ${name}`}
                className="flex size-11 items-center justify-center rounded-control border border-line bg-surface text-ink-2 hover:border-brand hover:text-brand"
              >
                <SocialIcon name={name} />
              </a>
            </li>
          ))}
        </ul>
      </div>
      <div className="md:min-w-72">
        <h2 className="font-sans font-semibold text-data text-ink-3 tracking-normal">Contact</h2>
        <address className="mt-3 space-y-2 not-italic">
          <a href={`mailto:${SITE.email}`} className={`${LINE_CLASS} hover:text-ink hover:underline`}>
            <Mail size={17} className="mt-1 shrink-0" aria-hidden />
            {SITE.email}
          </a>
          <a
            href={`tel:${COMPANY.phone.replaceAll(" ", "")}`}
            className={`${LINE_CLASS} hover:text-ink hover:underline`}
          >
            <Phone size={17} className="mt-1 shrink-0" aria-hidden />
            {COMPANY.phone}
          </a>
          <p className={LINE_CLASS}>
            <MapPin size={17} className="mt-1 shrink-0" aria-hidden />
            <span>
              {street},<br />
              {area}, {city},<br />
              {state} {postalCode}, India
            </span>
          </p>
        </address>
        <p aria-hidden="true" className="mt-6 max-w-72 text-floor text-ink-3">
          Often typed as {COMPANY.misspellings.slice(0, -1).join(", ")} or {COMPANY.misspellings.at(-1)}.
        </p>
      </div>
    </div>
  );
}

const SOCIAL_ICON_PATHS: Record<(typeof COMPANY.social)[number]["name"], string> = {
  LinkedIn:
    "M4 9.5h3.2V20H4zM5.6 4.2a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8M9.4 9.5h3.1v1.4c.6-1 1.7-1.7 3.3-1.7 3 0 4.2 1.8 4.2 4.8v6h-3.3v-5.6c0-1.5-.5-2.4-1.9-2.4-1.3 0-2.1.9-2.1 2.5V20H9.4z",
  X: "M4 4h4.9l3.7 5.2L17 4h2.2l-5.6 6.6L20 20h-4.9l-4.1-5.8L6.1 20H3.9l6.1-7.2zm3.2 1.7 9 12.6h1L8.2 5.7z",
  YouTube:
    "M21.2 7.6a2.4 2.4 0 0 0-1.7-1.7C18 5.5 12 5.5 12 5.5s-6 0-7.5.4a2.4 2.4 0 0 0-1.7 1.7A25 25 0 0 0 2.5 12c0 1.5.1 3 .3 4.4.2.9.9 1.5 1.7 1.7 1.5.4 7.5.4 7.5.4s6 0 7.5-.4c.8-.2 1.5-.8 1.7-1.7.2-1.4.3-2.9.3-4.4s-.1-3-.3-4.4M10.1 14.8V9.2l4.9 2.8z",
};

function SocialIcon({ name }: { name: keyof typeof SOCIAL_ICON_PATHS }) {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={SOCIAL_ICON_PATHS[name]} fill="currentColor" />
    </svg>
  );
}
