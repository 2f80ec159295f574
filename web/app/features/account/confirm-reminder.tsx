import { MailWarning } from "lucide-react";
import { useState } from "react";
import { useAccount } from "#features/account/use-account.ts";
import { api } from "#lib/api.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { perTab } from "#lib/storage.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

const KEY = "confirmDismissed";
const LABEL = "Confirm your email";

/**
 * Reminds of the letter until the address is confirmed, or one has heard enough of it in this tab. It comes when the
 * account is known, so it stands where nothing moves for it.
 */
export function ConfirmReminder() {
  const { data } = useAccount();
  const [dismissed, setDismissed] = useState(() => perTab.get(KEY) ?? "");
  const [open, setOpen] = useState(false);
  const [pending, setPending] = useState(false);
  const [sent, setSent] = useState(false);
  const [line, setLine] = useState("");
  // The button that had the focus is gone with the reminder.
  useNewHeading(dismissed);

  async function sendAgain(email: string) {
    setPending(true);
    try {
      const { error, response } = await api.POST("/account/confirmation");
      setSent(response.ok);
      setLine(response.ok ? `Sent to ${email}.` : failureLine(response, error));
    } catch (error) {
      console.error(error);
      setLine(NO_ANSWER);
    }
    setPending(false);
  }

  function dismiss(email: string) {
    perTab.set(KEY, email);
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
          that letters reach you: they are the way back in when a password is forgotten.
        </p>
        <p role="status" className="min-h-[1.6em] font-medium text-ink">
          {line}
        </p>
      </Dialog>
    </>
  );
}
