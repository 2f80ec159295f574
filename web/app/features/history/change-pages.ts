import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Book } from "#content/books.ts";
import { api } from "#lib/api.ts";

const KEY = ["get", "/trades/changes"] as const;

/** What was done to one book, or to all, the newest first. Asked for anew at each look: anything may have come. */
export function changePages(book: Book | undefined) {
  return infiniteQueryOptions({
    queryKey: [...KEY, book ?? {}],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...book, ...(pageParam && { cursor: pageParam }) };
      const { data, error } = await api.GET("/trades/changes", { params: { query }, signal });
      if (data) return data;
      throw error ?? new Error("The server gave no answer.");
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
    gcTime: 0,
  });
}
