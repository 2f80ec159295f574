import { ArrowLeft } from "lucide-react";
import { useLocation, useNavigate } from "react-router";
import { Button } from "#ui/button.tsx";

/** To where one came from; who came by the address goes home. */
export function BackButton() {
  const navigate = useNavigate();
  const { key } = useLocation();
  return (
    <Button
      variant="quiet"
      size="sm"
      icon={<ArrowLeft size={18} aria-hidden />}
      onClick={() => (key === "default" ? navigate("/") : navigate(-1))}
      className="-ml-4"
    >
      Back
    </Button>
  );
}
