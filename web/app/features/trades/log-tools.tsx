import { ChevronDown, Download, FileSpreadsheet, FileText, History } from "lucide-react";
import { useState } from "react";
import { type LogView, viewQuery } from "#features/trades/log-view.ts";
import { api } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { attachmentName, saveFile } from "#lib/save-file.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, IconButton } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Menu, MenuButton } from "#ui/menu.tsx";
import { Spinner } from "#ui/spinner.tsx";

const FORMATS = [
  { format: "csv", label: "CSV", Icon: FileText },
  { format: "xlsx", label: "Excel", Icon: FileSpreadsheet },
] as const;

export type LogToolsProps = { view: LogView; wide: boolean; onHistory: () => void };

/** Buttons for the whole log: history and export. */
export function LogTools({ view, wide, onHistory }: LogToolsProps) {
  return (
    <>
      {wide ? (
        <Button
          variant="quiet"
          size="sm"
          icon={<History size={16} aria-hidden />}
          onClick={onHistory}
          className="px-2.5! text-data!"
        >
          History
        </Button>
      ) : (
        <IconButton label="History" onClick={onHistory}>
          <History size={18} aria-hidden />
        </IconButton>
      )}
      <ExportMenu view={view} wide={wide} />
    </>
  );
}

function ExportMenu({ view, wide }: { view: LogView; wide: boolean }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");

  async function download(format: "csv" | "xlsx") {
    if (busy) return;
    setBusy(true);
    setFailure("");
    try {
      await exportTrades(view, format);
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
    }
  }

  const mark = busy ? <Spinner /> : <Download size={wide ? 16 : 18} aria-hidden />;
  return (
    <>
      <Menu
        className={
          wide
            ? "h-10 px-2.5 font-semibold text-data text-ink-2 hover:text-ink"
            : "size-11 justify-center text-ink-2 hover:text-ink"
        }
        trigger={
          <>
            {mark}
            <span className={wide ? "" : "sr-only"}>Export</span>
            {wide && <ChevronDown size={14} aria-hidden />}
          </>
        }
      >
        {FORMATS.map(({ format, label, Icon }) => (
          <MenuButton key={format} onPress={() => void download(format)}>
            <Icon size={18} className="text-ink-2" aria-hidden />
            {label}
          </MenuButton>
        ))}
      </Menu>
      <span role="status" className="sr-only">
        {busy && "Preparing the file"}
      </span>
      <Dialog
        open={failure !== ""}
        onClose={() => setFailure("")}
        title="The trades were not exported"
        actions={
          <Button data-autofocus onClick={() => setFailure("")}>
            Close
          </Button>
        }
      >
        <Banner tone="loss" role="alert" title={failure} />
      </Dialog>
    </>
  );
}

/** Downloads the trades of a view in its order. Throws the error response on failure. */
async function exportTrades(view: LogView, format: "csv" | "xlsx"): Promise<void> {
  const { data, error, response } = await api.GET("/trades/export", {
    params: { query: { format, ...viewQuery(view) } },
    parseAs: "blob",
  });
  if (!data) throw error ?? new Error("the response has no body");
  const name = `tradebahi-trades-${istDate(new Date().toISOString())}.${format}`;
  saveFile(attachmentName(response) ?? name, data);
}
