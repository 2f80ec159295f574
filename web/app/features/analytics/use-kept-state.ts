import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

const KEPT = "kept";

type Update<T> = (now: T | undefined) => T | undefined;

/**
 * State that outlives its component, until the page is closed or another account logs in. It is stored beside the loaded
 * data, which an account change clears. The update gets the value of the moment.
 */
export function useKeptState<T>(name: string): [T | undefined, (update: Update<T>) => void] {
  const client = useQueryClient();
  const queryKey = [KEPT, name];
  const [value, setValue] = useState(() => client.getQueryData<T>(queryKey));

  function keep(update: Update<T>) {
    const next = update(client.getQueryData<T>(queryKey));
    client.setQueryDefaults([KEPT], { gcTime: Number.POSITIVE_INFINITY });
    if (next === undefined) client.removeQueries({ queryKey });
    else client.setQueryData<T>(queryKey, next as never);
    setValue(next);
  }
  return [value, keep];
}
