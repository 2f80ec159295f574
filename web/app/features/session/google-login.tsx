import { useEffect, useState } from "react";
import { API_BASE, api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

const NOT_SET_UP = "Login with Google is not set up on this server.";

/** Messages for `/login?google=CODE`, to which a failed login with Google redirects. */
const OUTCOMES = {
  cancelled: "You cancelled the login with Google.",
  rejected: "Google did not confirm this login. Try again.",
  unreachable: "Google could not be reached. Try again in a minute, or log in with your password.",
  unverified:
    "Google has not verified the email of that account. Verify it with Google, or sign up with a password.",
  closed: "This account is closed. Log in with its password to restore it.",
  expired: "This took too long or was started in another browser. Try again.",
} as const;

function outcomeMessage(code: string): string {
  const outcome = Object.entries(OUTCOMES).find(([name]) => name === code);
  return outcome ? outcome[1] : OUTCOMES.rejected;
}

/** Continue with Google, and the result of the last attempt: `outcome` is the code in the URL. */
export function GoogleLogin({ outcome }: { outcome: string }) {
  const [pending, setPending] = useState(false);
  const [message, setMessage] = useState<string>();
  useEffect(() => setMessage(outcome ? outcomeMessage(outcome) : undefined), [outcome]);

  async function begin() {
    setPending(true);
    setMessage(undefined);
    try {
      const { data, error, response } = await api.GET("/auth/options");
      if (data?.google) {
        window.location.assign(`${API_BASE}/auth/google`);
        return;
      }
      setMessage(data ? NOT_SET_UP : failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setMessage(NO_ANSWER);
    }
    setPending(false);
  }

  return (
    <div className="mt-8 border-line border-t pt-7">
      <Button
        variant="secondary"
        pending={pending}
        onClick={begin}
        icon={<GoogleMark />}
        className="w-full sm:w-auto"
      >
        Continue with Google
      </Button>
      <FormFailure>{message}</FormFailure>
    </div>
  );
}

function GoogleMark() {
  return (
    <svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
      <path
        fill="#4285f4"
        d="M17.64 9.2c0-.64-.06-1.25-.16-1.84H9v3.48h4.84a4.14 4.14 0 0 1-1.8 2.72v2.26h2.92a8.78 8.78 0 0 0 2.68-6.62Z"
      />
      <path
        fill="#34a853"
        d="M9 18c2.43 0 4.47-.8 5.96-2.18l-2.92-2.26a5.4 5.4 0 0 1-8.08-2.84H.96v2.33A9 9 0 0 0 9 18Z"
      />
      <path fill="#fbbc05" d="M3.96 10.72a5.41 5.41 0 0 1 0-3.44V4.95H.96a9 9 0 0 0 0 8.1l3-2.33Z" />
      <path
        fill="#ea4335"
        d="M9 3.58c1.32 0 2.5.45 3.44 1.35l2.58-2.59A9 9 0 0 0 .96 4.95l3 2.33A5.36 5.36 0 0 1 9 3.58Z"
      />
    </svg>
  );
}
