import { AccountSection } from "#features/account/account-section.tsx";
import { CloseAccount } from "#features/account/close-account.tsx";
import { ExportButtons } from "#features/account/export-buttons.tsx";

export function DataPanel({ onClosed }: { onClosed: (erasedOn: string) => void }) {
  return (
    <>
      <AccountSection title="Take your data with you" text="Everything we keep of you, whenever you like.">
        <ExportButtons />
      </AccountSection>
      <AccountSection title="Delete account">
        <CloseAccount onClosed={onClosed} />
      </AccountSection>
    </>
  );
}
