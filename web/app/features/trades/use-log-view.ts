import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { type LogView, parseView, writeView } from "#features/trades/log-view.ts";

/**
 * The view stands in the address, so that it can be linked to and survives a reload. The router takes a moment
 * to get there; until then what was asked for holds, so that a control shows at once what was chosen in it.
 */
export function useLogView(): [LogView, (view: LogView) => void] {
  const [params, setParams] = useSearchParams();
  // Other parts of the address come and go; the view stays the same object while it says the same.
  const words = writeView(new URLSearchParams(), parseView(params)).toString();
  const written = useMemo(() => parseView(new URLSearchParams(words)), [words]);
  const [asked, setAsked] = useState<{ instead: LogView; view: LogView }>();
  const setView = useCallback(
    (view: LogView) => {
      setAsked({ instead: written, view });
      setParams((now) => writeView(now, view), { replace: true, preventScrollReset: true });
    },
    [written, setParams],
  );
  return [asked?.instead === written ? asked.view : written, setView];
}
