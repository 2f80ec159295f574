import { Mail, MapPin, Phone } from "lucide-react";
import { SITE } from "#content/site.ts";
import { Brand } from "#ui/logo.tsx";
import { ThemeSwitch } from "#ui/theme-switch.tsx";

const LINE = "flex min-h-6 gap-2.5 text-ui text-ink-2";

export function PublicFooter() {
  return (
    <footer className="border-line border-t">
      <div className="page-width pt-14 pb-10">
        <div className="grid gap-10 md:grid-cols-[1fr_auto] md:gap-24">
          <div className="max-w-sm">
            <Brand />
            <p className="mt-4 text-ink-2 text-ui">{SITE.tagline}</p>
          </div>
          <div className="md:min-w-72">
            <h2 className="font-sans font-semibold text-data text-ink-3 tracking-normal">Contact</h2>
            <address className="mt-3 space-y-2 not-italic">
              <a href={`mailto:${SITE.email}`} className={`${LINE} hover:text-ink hover:underline`}>
                <Mail size={17} className="mt-1 shrink-0" aria-hidden />
                {SITE.email}
              </a>
              <a
                href={`tel:${SITE.phone.replaceAll(" ", "")}`}
                className={`${LINE} hover:text-ink hover:underline`}
              >
                <Phone size={17} className="mt-1 shrink-0" aria-hidden />
                {SITE.phone}
              </a>
              <p className={LINE}>
                <MapPin size={17} className="mt-1 shrink-0" aria-hidden />
                <span>
                  {SITE.address.map((line) => (
                    <span key={line} className="block">
                      {line}
                    </span>
                  ))}
                </span>
              </p>
            </address>
          </div>
        </div>
        <div className="mt-12 flex flex-wrap items-center justify-between gap-x-8 gap-y-4 border-line border-t pt-6">
          <p className="text-data text-ink-2">{SITE.copyright}</p>
          <ThemeSwitch />
        </div>
        <p aria-hidden="true" className="mt-4 text-floor text-ink-3">
          Often typed as {SITE.misspellings.slice(0, -1).join(", ")} or {SITE.misspellings.at(-1)}.
        </p>
      </div>
    </footer>
  );
}
