import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  loadScreenshot,
  type ScreenshotSize,
} from "#features/trader-journal/screenshots/screenshot-requests.ts";

/** Time for which loaded pictures stay in memory after they were shown, in milliseconds. */
const GC_TIME_MS = { thumbnail: 5 * 60_000, full: 60_000 } as const;

/** Loads a screenshot and returns an object URL of it, which is released when the component is unmounted. */
export function useScreenshotUrl(id: string, size: ScreenshotSize, enabled = true) {
  const { data, error, isFetching, refetch } = useQuery({
    // Not a path of the journal: a picture never changes.
    queryKey: ["journal screenshot", id, size],
    queryFn: ({ signal }) => loadScreenshot(id, size, signal),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: GC_TIME_MS[size],
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!data) return undefined;
    const created = URL.createObjectURL(data);
    setUrl(created);
    return () => {
      URL.revokeObjectURL(created);
      setUrl(undefined);
    };
  }, [data]);
  return { url, picture: data, error, isFetching, refetch };
}
