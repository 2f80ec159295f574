import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AccountFailure, AccountSection } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { AddPasskey } from "#features/account/two-step/add-passkey.tsx";
import { AuthenticatorSetup, type Setup } from "#features/account/two-step/authenticator-setup.tsx";
import { FactorRow } from "#features/account/two-step/factor-row.tsx";
import { RecoveryCodes } from "#features/account/two-step/recovery-codes.tsx";
import {
  type SecondFactors,
  useFactorChange,
  useSecondFactors,
} from "#features/account/two-step/use-second-factors.ts";
import { api } from "#lib/api.ts";
import { date } from "#lib/format.ts";
import { ask } from "#lib/notices.ts";
import { hasPasskeys } from "#lib/passkey.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

const LIST = "overflow-hidden rounded-panel border border-line bg-surface";

/** Authenticator app, passkeys, recovery codes and trusted devices of the account. */
export function TwoStepSection() {
  const { data, error, isFetching, refetch } = useSecondFactors();
  return (
    <AccountSection
      title="Two-step verification"
      text="A new device needs a second step to log in: a code from an app, or a passkey."
    >
      {error && <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />}
      {!error && !data && <AccountSkeleton label="Loading two-step verification" />}
      {data && <TwoStep factors={data} />}
    </AccountSection>
  );
}

function TwoStep({ factors }: { factors: SecondFactors }) {
  const client = useQueryClient();
  const { pending, failure, change } = useFactorChange();
  const [setup, setSetup] = useState<Setup>();
  const [codes, setCodes] = useState<string[]>([]);
  const { authenticatorAppAddedAt, passkeys, recoveryCodesLeft, trustedDevices } = factors;
  const isOn = authenticatorAppAddedAt !== null || passkeys.length > 0;
  const isLast = Number(authenticatorAppAddedAt !== null) + passkeys.length === 1;

  async function begin() {
    const result = await change("setup", () => api.POST("/account/authenticator-app"));
    setSetup(result?.data);
  }

  function added(recoveryCodes: string[]) {
    setSetup(undefined);
    setCodes(recoveryCodes);
    void client.invalidateQueries({ queryKey: ["get", "/account/second-factors"] });
  }

  async function remove(name: string, request: () => ReturnType<typeof removeApp>) {
    const confirmed = await ask({
      title: `Remove ${name}?`,
      text: isLast
        ? "This turns off two-step verification. Your password alone will then be enough to log in."
        : "You can log in with your other methods.",
      confirmLabel: "Remove",
    });
    if (confirmed) await change(name, request);
  }

  async function replaceCodes() {
    const result = await change("codes", () => api.POST("/account/recovery-codes"));
    if (result?.data) setCodes(result.data.recoveryCodes);
  }

  return (
    <div className="space-y-5">
      <p className="text-ui">
        Two-step verification is <strong className="font-semibold">{isOn ? "on" : "off"}</strong>.
      </p>
      {isOn && (
        <ul className={LIST}>
          {authenticatorAppAddedAt !== null && (
            <FactorRow
              name="Authenticator app"
              removing={pending === "Authenticator app"}
              onRemove={() => remove("Authenticator app", removeApp)}
            >
              Added on {date(authenticatorAppAddedAt)}
            </FactorRow>
          )}
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <FactorRow
              key={id}
              name={name}
              removing={pending === name}
              onRemove={() =>
                remove(name, () => api.DELETE("/account/passkeys/{id}", { params: { path: { id } } }))
              }
            >
              Passkey, added on {date(createdAt)}.{" "}
              {lastUsedAt ? `Last used on ${date(lastUsedAt)}` : "Not used yet"}
            </FactorRow>
          ))}
        </ul>
      )}
      {setup ? (
        <AuthenticatorSetup setup={setup} onDone={added} onCancel={() => setSetup(undefined)} />
      ) : (
        <div className="flex flex-wrap gap-3">
          {authenticatorAppAddedAt === null && (
            <Button variant={isOn ? "secondary" : "primary"} pending={pending === "setup"} onClick={begin}>
              Set up authenticator app
            </Button>
          )}
          {hasPasskeys() && <AddPasskey onDone={added} />}
        </div>
      )}
      {codes.length > 0 && <RecoveryCodes codes={codes} onDone={() => setCodes([])} />}
      {isOn && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="text-ui">
            {recoveryCodesLeft === 1 ? "1 recovery code" : `${recoveryCodesLeft} recovery codes`} left.
          </p>
          <Button variant="secondary" size="sm" pending={pending === "codes"} onClick={replaceCodes}>
            Get new recovery codes
          </Button>
        </div>
      )}
      <FormFailure>{failure}</FormFailure>
      {trustedDevices.length > 0 && (
        <div>
          <h3 className="font-semibold text-ui">Trusted devices</h3>
          <p className="mt-1 mb-3 text-ink-2 text-ui">They log in with the password alone.</p>
          <ul className={LIST}>
            {trustedDevices.map(({ id, device, lastUsedAt, expiresAt }) => (
              <FactorRow
                key={id}
                name={device}
                removing={pending === id}
                onRemove={() =>
                  change(id, () => api.DELETE("/account/trusted-devices/{id}", { params: { path: { id } } }))
                }
              >
                Last used on {date(lastUsedAt)}. Trusted until {date(expiresAt)}
              </FactorRow>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function removeApp(): Promise<{ response: Response; error?: unknown }> {
  return api.DELETE("/account/authenticator-app");
}
