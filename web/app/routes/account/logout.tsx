import { useEffect } from "react";
import { useNavigate } from "react-router";
import { logOut } from "#features/session/session-store.ts";
import { pageMeta } from "#lib/seo.ts";
import { choosePalette, chooseTheme, storedPalette, storedTheme } from "#lib/theme.ts";
import { StatusPage } from "#ui/status-page.tsx";
import { TiedBook } from "#ui/tied-book.tsx";

export function meta() {
  return pageMeta({ title: "Logging out", description: "Ends your session on this device.", noindex: true });
}

const REDIRECT_DELAY_MS = 1_000;

export default function LogoutPage() {
  const navigate = useNavigate();

  useEffect(() => {
    const theme = storedTheme();
    const palette = storedPalette();
    // The response clears the storage of the site; theme and palette are restored.
    void logOut().then(() => {
      chooseTheme(theme);
      choosePalette(palette);
    });
    const timer = setTimeout(() => navigate("/", { replace: true }), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [navigate]);

  return <StatusPage role="status" drawing={<TiedBook />} title="Logging out..." />;
}
