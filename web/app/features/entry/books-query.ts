import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { Book } from "#content/books.ts";
import { $api } from "#lib/api-query.ts";

/** How many trades each book holds. */
export function booksQuery() {
  return $api.queryOptions("get", "/trades/books");
}

/** After a change of the trades. */
export function forgetBooks(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: booksQuery().queryKey });
}

/** Trades in a book, asked for anew whenever it matters; undefined while nobody knows. */
export function useBookSize(book: Book | undefined): number | undefined {
  const { data } = useQuery({ ...booksQuery(), staleTime: 0, enabled: book !== undefined });
  return data && book && sizeOf(data.books, book);
}

export function sizeOf(books: readonly (Book & { trades: number })[], { broker, tradetype }: Book): number {
  return books.find((book) => book.broker === broker && book.tradetype === tradetype)?.trades ?? 0;
}
