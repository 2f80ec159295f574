import { useState } from "react";
import { AccountSection } from "#features/account/account-section.tsx";
import { BrokerAccountList } from "#features/account/broker-account-list.tsx";
import { CloseDialog } from "#features/account/close-dialog.tsx";
import { ColumnMappingList } from "#features/account/column-mapping-list.tsx";
import { ExportButtons } from "#features/account/export-buttons.tsx";
import { Button } from "#ui/button.tsx";

export type DataPanelProps = { onClosed: (deletedOn: string) => void };

export function DataPanel({ onClosed }: DataPanelProps) {
  return (
    <>
      <AccountSection
        title="Broker accounts"
        text="A file with a client code is imported into the account that has this code. Each account has its own positions, charges and tax."
      >
        <BrokerAccountList />
      </AccountSection>
      <AccountSection
        title="Column mappings"
        text="Files with formats that you mapped. A file with the same columns is imported without questions."
      >
        <ColumnMappingList />
      </AccountSection>
      <AccountSection title="Download your data" text="All your data, at any time.">
        <ExportButtons />
      </AccountSection>
      <AccountSection title="Delete account">
        <CloseAccount onClosed={onClosed} />
      </AccountSection>
    </>
  );
}

function CloseAccount({ onClosed }: DataPanelProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <p className="text-ui">
        Your account is closed immediately, and you are logged out on every device. After 30 days it is
        deleted with all its trades. Until then you can restore it by logging in.
      </p>
      <Button variant="danger" onClick={() => setOpen(true)} className="mt-5">
        Delete account
      </Button>
      {open && <CloseDialog onClosed={onClosed} onCancel={() => setOpen(false)} />}
    </>
  );
}
