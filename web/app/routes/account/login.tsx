import { Link, useNavigate } from "react-router";
import { LoginForm } from "#features/session/login-form.tsx";
import { pageMeta } from "#lib/seo.ts";

export function meta() {
  return pageMeta({ title: "Login", description: "Log in to your account book.", noindex: true });
}

export default function LoginPage() {
  const navigate = useNavigate();
  return (
    <>
      <h1 tabIndex={-1} className="text-h2">
        Login
      </h1>
      <p className="mt-3 mb-4 text-ink-2">
        New here?{" "}
        <Link to="/signup" className="link">
          Sign up
        </Link>
      </p>
      <LoginForm onSignedIn={() => navigate("/dashboard")} />
    </>
  );
}
