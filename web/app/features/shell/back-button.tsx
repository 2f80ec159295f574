import { ArrowLeft } from "lucide-react";
import { useLocation, useNavigate } from "react-router";
import { Button } from "#ui/button.tsx";

/** To where one came from; who came by the address has not been anywhere, and goes to `otherwise`. */
export function BackButton({ otherwise = "/" }: { otherwise?: string }) {
  const navigate = useNavigate();
  const { key } = useLocation();
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<ArrowLeft size={18} aria-hidden />}
      onClick={() => (key === "default" ? navigate(otherwise) : navigate(-1))}
      className="-ml-4"
    >
      Back
    </Button>
  );
}
