import { ButtonLink } from "#ui/button.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TiedBook } from "#ui/tied-book.tsx";

/** Shown instead of a protected page to a visitor. Use it inside `FocusShell`. */
export function AccessDenied() {
  return (
    <StatusPage
      drawing={<TiedBook />}
      title="Access Denied"
      lines={["You are not logged in!", "Please log in to access this page and view your dashboard."]}
      action={<ButtonLink to="/login">Go to Login</ButtonLink>}
    />
  );
}
