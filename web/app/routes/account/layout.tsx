import { Outlet } from "react-router";
import { FocusShell } from "#features/shell/focus-shell.tsx";

export default function AccountLayout() {
  return (
    <FocusShell>
      <Outlet />
    </FocusShell>
  );
}
