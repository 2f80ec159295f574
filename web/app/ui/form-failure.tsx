/** Error of a form that concerns no field; place it above the submit button. */
export function FormFailure({ children }: { children: string | undefined }) {
  if (!children) return null;
  return (
    <p role="alert" className="mt-5 font-semibold text-loss text-ui">
      {children}
    </p>
  );
}
