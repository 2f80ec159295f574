/** Full-screen overlay while the app loads; appears after 200 ms. */
export function LoadingOverlay() {
  return (
    <div
      role="status"
      className="fixed inset-0 z-40 flex animate-late flex-col items-center justify-center gap-5 bg-bg"
    >
      <div aria-hidden="true" className="loading-bars">
        <span />
        <span />
        <span />
        <span />
        <span />
      </div>
      <p className="font-medium text-ink-2 text-ui">Loading...</p>
    </div>
  );
}
