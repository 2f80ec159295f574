import { type ReactNode, useEffect, useState } from "react";
import { api } from "#lib/api.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { SkeletonLine } from "#ui/skeleton.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** Result of the exchange of a hand-off token. */
type Access = { outcome: "open"; token: string; expiresAt: string } | { outcome: "expired" | "failed" };
type OpenAccess = Extract<Access, { outcome: "open" }>;

export type HandoffProps = {
  /** Hand-off token from the address. */
  token: string;
  /** Wraps the content while access is not open. */
  frame: (content: ReactNode) => ReactNode;
  children: (access: OpenAccess) => ReactNode;
};

/** Exchanges the hand-off token for read-only access, and explains what to do if the token has expired. */
export function Handoff({ token, frame, children }: HandoffProps) {
  const [access, setAccess] = useState<Access>();
  useEffect(() => {
    let current = true;
    void openAccess(token).then((result) => current && setAccess(result));
    return () => {
      current = false;
    };
  }, [token]);

  useHeadingFocus(access?.outcome ?? "");

  if (!access) {
    return frame(
      <div role="status" className="space-y-4 py-2">
        <span className="sr-only">Opening your analytics</span>
        <SkeletonLine className="w-48" />
        <SkeletonLine className="w-72" />
      </div>,
    );
  }
  if (access.outcome === "open") return children(access);
  const expired = access.outcome === "expired";
  return frame(
    <StatusPage
      drawing={<MissingEntry />}
      title={expired ? "This link has expired" : "Your trades could not be loaded"}
      lines={
        expired
          ? [
              "A link works once, within two minutes.",
              "To open the analytics again, press See Analytics in your trade log.",
            ]
          : ["Your trades are safe on the server.", "To try again, press See Analytics in your trade log."]
      }
      action={<ButtonLink to="/dashboard">Go to Dashboard</ButtonLink>}
    />,
  );
}

/** Exchanges by token. A token is valid once, but React may run the effect twice. */
const exchanges = new Map<string, Promise<Access>>();

/** Exchanges a hand-off token for a read-only token, which lasts 30 minutes and is held in memory only. */
function openAccess(token: string): Promise<Access> {
  const exchange = exchanges.get(token) ?? exchangeToken(token);
  exchanges.set(token, exchange);
  return exchange;
}

async function exchangeToken(token: string): Promise<Access> {
  try {
    const { data, response } = await api.POST("/analytics/session", { body: { token } });
    if (!data) return { outcome: response.status < 429 ? "expired" : "failed" };
    return { outcome: "open", ...data };
  } catch (error) {
    console.error(error);
    return { outcome: "failed" };
  }
}
