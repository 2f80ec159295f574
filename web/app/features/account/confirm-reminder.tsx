import { MailWarning } from "lucide-react";
import { useState } from "react";
import { useAccount } from "#features/account/use-account.ts";
import { api } from "#lib/api.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { tabStorage } from "#lib/storage.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

const KEY = "confirmDismissed";
const LABEL = "Confirm your email";

/**
 * Reminds the user to confirm the email address, until it is confirmed or the reminder is dismissed in this tab. It
 * appears after the account has loaded, so it must be placed where it shifts nothing.
 */
export function ConfirmReminder() {
  const { data } = useAccount();
  const [dismissed, setDismissed] = useState(() => tabStorage.get(KEY) ?? "");
  const [open, setOpen] = useState(false);
  const [pending, setPending] = useState(false);
  const [sent, setSent] = useState(false);
  const [message, setMessage] = useState("");
  // The focused button disappears with the reminder.
  useHeadingFocus(dismissed);

  async function sendAgain(email: string) {
    setPending(true);
    try {
      const { error, response } = await api.POST("/account/confirmation");
      setSent(response.ok);
      setMessage(response.ok ? `Sent to ${email}.` : failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setMessage(NO_ANSWER);
    }
    setPending(false);
  }

  function dismiss(email: string) {
    tabStorage.set(KEY, email);
    setDismissed(email);
  }

  if (!data || data.emailConfirmed || dismissed === data.email) return null;
  const { email } = data;
  return (
    <>
      <Button
        variant="quiet"
        size="sm"
        aria-haspopup="dialog"
        icon={<MailWarning size={18} aria-hidden />}
        onClick={() => setOpen(true)}
        className="animate-late bg-warn-soft! text-warn! hover:underline max-sm:size-11 max-sm:px-0!"
      >
        <span className="max-sm:sr-only">{LABEL}</span>
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={LABEL}
        actions={
          <>
            <Button variant="secondary" data-autofocus onClick={() => dismiss(email)}>
              {sent ? "Close" : "Not now"}
            </Button>
            <Button pending={pending} onClick={() => void sendAgain(email)}>
              Send again
            </Button>
          </>
        }
      >
        <p className="break-words">
          We sent a link to <strong className="font-semibold text-ink">{email}</strong>. Open it to confirm
          your email address. We need it to help you log in if you forget your password.
        </p>
        <p role="status" className="min-h-[1.6em] font-medium text-ink">
          {message}
        </p>
      </Dialog>
    </>
  );
}
