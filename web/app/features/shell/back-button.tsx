import { ArrowLeft } from "lucide-react";
import { useLocation, useNavigate } from "react-router";
import { Button } from "#ui/button.tsx";

/** Goes back in the history, or to `fallback` if the page was opened directly. */
export function BackButton({ fallback = "/" }: { fallback?: string }) {
  const navigate = useNavigate();
  const { key } = useLocation();
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<ArrowLeft size={18} aria-hidden />}
      onClick={() => (key === "default" ? navigate(fallback) : navigate(-1))}
      className="-ml-4"
    >
      Back
    </Button>
  );
}
