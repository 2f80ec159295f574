import { useEffect, useState } from "react";
import { openReading, type Reading } from "#features/analytics/reading.ts";
import { plural } from "#lib/format.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { ButtonLink } from "#ui/button.tsx";
import { FirstLine, MissingEntry } from "#ui/drawings.tsx";
import { SkeletonLine } from "#ui/skeleton.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** What the analytics know of who came: the name, and that their trades can be read. */
export function AnalyticsGreeting({ token }: { token: string }) {
  const [reading, setReading] = useState<Reading>();
  useEffect(() => {
    let current = true;
    void openReading(token).then((read) => current && setReading(read));
    return () => {
      current = false;
    };
  }, [token]);

  useNewHeading(reading?.outcome ?? "");

  const back = <ButtonLink to="/dashboard">Go to Dashboard</ButtonLink>;
  if (!reading) {
    return (
      <div role="status" className="space-y-4 py-2">
        <span className="sr-only">Opening your analytics</span>
        <SkeletonLine className="w-48" />
        <SkeletonLine className="w-72" />
      </div>
    );
  }
  if (reading.outcome !== "open") {
    return (
      <StatusPage
        drawing={<MissingEntry />}
        title={reading.outcome === "old" ? "This link is no longer good" : "Your trades could not be read"}
        lines={
          reading.outcome === "old"
            ? [
                "It is good for two minutes, and once.",
                "Press See Analytics on your trade log to come again.",
              ]
            : ["Your trades are safe on the server.", "Press See Analytics on your trade log to try again."]
        }
        action={back}
      />
    );
  }
  return (
    <StatusPage
      drawing={<FirstLine />}
      title="Analytics"
      lines={[
        `Hello ${reading.name}. Your analytics will stand here.`,
        `${plural(reading.trades, "trade")} can be read for them.`,
      ]}
      action={back}
    />
  );
}
