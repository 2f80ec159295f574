/** Why a form was not taken, where no field of it is at fault. Goes above the button. */
export function FormFailure({ children }: { children: string | undefined }) {
  if (!children) return null;
  return (
    <p role="alert" className="mt-5 font-semibold text-loss text-ui">
      {children}
    </p>
  );
}
