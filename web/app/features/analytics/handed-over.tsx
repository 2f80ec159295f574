import { type ReactNode, useEffect, useState } from "react";
import { openReading, type Reading } from "#features/analytics/reading.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/drawings.tsx";
import { SkeletonLine } from "#ui/skeleton.tsx";
import { StatusPage } from "#ui/status-page.tsx";

type Open = Extract<Reading, { outcome: "open" }>;

export type HandedOverProps = {
  /** What the address brought. */
  token: string;
  /** The frame of the page while it has nothing to read. */
  frame: (content: ReactNode) => ReactNode;
  children: (reading: Open) => ReactNode;
};

/** Exchanges the token of the address, and says what to do when it is good no more. */
export function HandedOver({ token, frame, children }: HandedOverProps) {
  const [reading, setReading] = useState<Reading>();
  useEffect(() => {
    let current = true;
    void openReading(token).then((read) => current && setReading(read));
    return () => {
      current = false;
    };
  }, [token]);

  useNewHeading(reading?.outcome ?? "");

  if (!reading) {
    return frame(
      <div role="status" className="space-y-4 py-2">
        <span className="sr-only">Opening your analytics</span>
        <SkeletonLine className="w-48" />
        <SkeletonLine className="w-72" />
      </div>,
    );
  }
  if (reading.outcome === "open") return children(reading);
  const old = reading.outcome === "old";
  return frame(
    <StatusPage
      drawing={<MissingEntry />}
      title={old ? "This link is no longer good" : "Your trades could not be read"}
      lines={
        old
          ? ["It is good for two minutes, and once.", "Press See Analytics on your trade log to come again."]
          : ["Your trades are safe on the server.", "Press See Analytics on your trade log to try again."]
      }
      action={<ButtonLink to="/dashboard">Go to Dashboard</ButtonLink>}
    />,
  );
}
