import { useSession } from "#features/session/session-store.ts";
import { ButtonLink } from "#ui/button.tsx";

/** Login or logout link. It has the same width in both states, so that nothing shifts when the session is read. */
export function AccountLink() {
  const { token } = useSession();
  return (
    <ButtonLink
      to={token ? "/logout" : "/login"}
      variant="secondary"
      size="sm"
      className="w-31 max-[24rem]:w-28 max-[24rem]:px-2 max-[24rem]:text-data"
    >
      {token ? "Logout" : "Login/Signup"}
    </ButtonLink>
  );
}
