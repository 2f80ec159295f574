import { Link, useNavigate } from "react-router";
import { SignupForm } from "#features/session/signup-form.tsx";
import { pageMeta } from "#lib/seo.ts";

export function meta() {
  return pageMeta({ title: "Sign up", description: "Create your account.", noindex: true });
}

export default function SignupPage() {
  const navigate = useNavigate();
  return (
    <>
      <h1 tabIndex={-1} className="text-h2">
        Sign up
      </h1>
      <p className="mt-3 mb-4 text-ink-2">
        Have an account?{" "}
        <Link to="/login" className="link">
          Login
        </Link>
      </p>
      <SignupForm onRegistered={() => navigate("/successreg")} />
    </>
  );
}
