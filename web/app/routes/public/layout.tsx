import { Outlet } from "react-router";
import { AccountLink } from "#features/session/account-link.tsx";
import { PublicShell } from "#features/shell/public-shell.tsx";

export default function PublicLayout() {
  return (
    <PublicShell account={<AccountLink />}>
      <Outlet />
    </PublicShell>
  );
}
