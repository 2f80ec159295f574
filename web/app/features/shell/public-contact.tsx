import { Mail, MapPin, Phone } from "lucide-react";
import { COMPANY } from "#content/company.ts";
import { SITE } from "#content/site.ts";
import { SocialMark } from "#features/shell/social-mark.tsx";
import { Brand } from "#ui/logo.tsx";

const LINE = "flex min-h-6 gap-2.5 text-ui text-ink-2";

/** The upper part of the footer: who we are, and how to reach us. Plain links, which need no script. */
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
                <SocialMark name={name} />
              </a>
            </li>
          ))}
        </ul>
      </div>
      <div className="md:min-w-72">
        <h2 className="font-sans font-semibold text-data text-ink-3 tracking-normal">Contact</h2>
        <address className="mt-3 space-y-2 not-italic">
          <a href={`mailto:${SITE.email}`} className={`${LINE} hover:text-ink hover:underline`}>
            <Mail size={17} className="mt-1 shrink-0" aria-hidden />
            {SITE.email}
          </a>
          <a
            href={`tel:${COMPANY.phone.replaceAll(" ", "")}`}
            className={`${LINE} hover:text-ink hover:underline`}
          >
            <Phone size={17} className="mt-1 shrink-0" aria-hidden />
            {COMPANY.phone}
          </a>
          <p className={LINE}>
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
