import { type QueryClient, useQuery } from "@tanstack/react-query";
import { $api } from "#lib/api-query.ts";
import type { Book } from "#lib/books.ts";

/** Query for the number of trades in each book. */
export function bookSizesQuery() {
  return $api.queryOptions("get", "/trades/books");
}

/** Loads the sizes again, after trades have changed. */
export function reloadBookSizes(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: bookSizesQuery().queryKey });
}

/** Returns the number of trades in a book, loaded at each use; undefined while loading. */
export function useBookSize(book: Book | undefined): number | undefined {
  const { data } = useQuery({ ...bookSizesQuery(), staleTime: 0, enabled: book !== undefined });
  return data && book && bookSize(data.books, book);
}

export function bookSize(books: readonly (Book & { trades: number })[], { broker, tradetype }: Book): number {
  return books.find((book) => book.broker === broker && book.tradetype === tradetype)?.trades ?? 0;
}
