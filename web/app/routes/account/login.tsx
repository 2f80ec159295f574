import { lazy, Suspense, useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { GoogleLogin } from "#features/session/google-login.tsx";
import { LoginForm } from "#features/session/login-form.tsx";
import { pageMeta } from "#lib/seo.ts";

const LinkGoogleForm = lazy(async () => ({
  default: (await import("#features/session/link-google-form.tsx")).LinkGoogleForm,
}));
const GoogleSignupForm = lazy(async () => ({
  default: (await import("#features/session/google-signup-form.tsx")).GoogleSignupForm,
}));

const SecondFactorForm = lazy(async () => ({
  default: (await import("#features/session/second-factor-form.tsx")).SecondFactorForm,
}));

export function meta() {
  return pageMeta({ title: "Login", description: "Log in to your account.", noindex: true });
}

export default function LoginPage() {
  const navigate = useNavigate();
  const openDashboard = () => navigate("/dashboard");
  // Result of a login with Google, from the URL; the prerendered page has no query string.
  const [outcome, setOutcome] = useState("");
  /** Methods of the account if the login needs a second step; also from the URL, after a login with Google. */
  const [methods, setMethods] = useState<string[]>();
  useEffect(() => {
    const query = new URLSearchParams(window.location.search);
    setOutcome(query.get("google") ?? "");
    setMethods(query.get("second-factor")?.split(","));
  }, []);

  if (methods)
    return (
      <>
        <h1 tabIndex={-1} className="mb-4 text-h2">
          Login
        </h1>
        <Suspense>
          <SecondFactorForm
            methods={methods}
            onLoggedIn={openDashboard}
            onBack={() => setMethods(undefined)}
          />
        </Suspense>
      </>
    );

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
      {outcome === "link" || outcome === "register" ? (
        <Suspense>
          {outcome === "link" ? (
            <LinkGoogleForm onLoggedIn={openDashboard} onSecondFactor={setMethods} />
          ) : (
            <GoogleSignupForm onLoggedIn={openDashboard} />
          )}
        </Suspense>
      ) : (
        <>
          <LoginForm onLoggedIn={openDashboard} onSecondFactor={setMethods} />
          <GoogleLogin outcome={outcome} />
        </>
      )}
    </>
  );
}
