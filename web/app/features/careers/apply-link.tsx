import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { ButtonLink } from "#ui/button.tsx";

export type ApplyLinkProps = { id: string; className?: string; children?: ReactNode };

export function ApplyLink({ id, className, children }: ApplyLinkProps) {
  return (
    <div>
      <ButtonLink to={`/apply/${id}`} iconEnd={<ArrowRight size={17} aria-hidden />} className={className}>
        Apply Now
      </ButtonLink>
      {children}
    </div>
  );
}
