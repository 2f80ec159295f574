import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { type Filters, parseFilters, writeFilters } from "#features/analytics/filters/analytics-view.ts";

/**
 * The filters stand in the address. The router takes a moment to get there; until then what was asked for holds, so
 * that a control shows at once what was chosen in it.
 */
export function useFilters(): [Filters, (filters: Filters) => void] {
  const [params, setParams] = useSearchParams();
  const words = writeFilters(new URLSearchParams(), parseFilters(params)).toString();
  const written = useMemo(() => parseFilters(new URLSearchParams(words)), [words]);
  const [asked, setAsked] = useState<{ instead: Filters; filters: Filters }>();
  const setFilters = useCallback(
    (filters: Filters) => {
      setAsked({ instead: written, filters });
      setParams((now) => writeFilters(now, filters), { replace: true, preventScrollReset: true });
    },
    [written, setParams],
  );
  return [asked?.instead === written ? asked.filters : written, setFilters];
}
