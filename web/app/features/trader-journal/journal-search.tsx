import { useInfiniteQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { EntryItem } from "#features/trader-journal/entry-item.tsx";
import { FiguresLine, GroupResult } from "#features/trader-journal/group-figures.tsx";
import { RemovableLabel } from "#features/trader-journal/label-fields.tsx";
import { api } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { CONTROL } from "#ui/text-input.tsx";

const FILTERS = ["tags", "mistakes", "setup", "emotion", "rating"] as const;
type FilterName = (typeof FILTERS)[number];
const LABELS: Record<FilterName, string> = {
  tags: "Tag",
  mistakes: "Mistake",
  setup: "Setup",
  emotion: "Emotion",
  rating: "Rating",
};
const GROUP_OF = {
  tags: "tag",
  mistakes: "mistake",
  setup: "setup",
  emotion: "emotion",
  rating: "rating",
} as const;

/** Search by words and labels, all of which must match. The conditions are in the address. */
export function JournalSearch() {
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState(params.get("q") ?? "");
  useEffect(() => setText(params.get("q") ?? ""), [params]);
  const query = toQuery(params);
  const isActive = Object.keys(query).length > 0;

  function change(name: string, value: string) {
    setParams((current) => {
      const next = new URLSearchParams(current);
      if (value) next.set(name, value);
      else next.delete(name);
      return next;
    });
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    change("q", text.trim());
  }
  function remove(name: FilterName, value: string) {
    const kept = (params.get(name) ?? "").split(",").filter((one) => one !== value);
    change(name, kept.join(","));
  }

  return (
    <search className="mt-5 block">
      <form onSubmit={submit} className="flex max-w-2xl gap-2">
        <input
          type="search"
          value={text}
          maxLength={200}
          aria-label="Search the journal"
          placeholder="Search: gap-up AND fomo"
          onChange={(event) => setText(event.target.value)}
          className={CONTROL}
        />
        <Button type="submit" variant="secondary" icon={<Search size={18} aria-hidden />}>
          Search
        </Button>
      </form>
      {isActive && (
        <>
          <div className="mt-3 flex flex-wrap items-center gap-2">
            {FILTERS.flatMap((name) =>
              (params.get(name) ?? "")
                .split(",")
                .filter(Boolean)
                .map((value) => (
                  <RemovableLabel key={`${name} ${value}`} onRemove={() => remove(name, value)}>
                    {`${LABELS[name]}: ${value}`}
                  </RemovableLabel>
                )),
            )}
            <Button variant="quiet" size="sm" onClick={() => setParams({})}>
              Clear search
            </Button>
          </div>
          <Results query={query} onNarrow={(name, value) => change(name, narrowed(params, name, value))} />
        </>
      )}
    </search>
  );
}

/** Adds a tag or mistake to those chosen; other labels are replaced. */
function narrowed(params: URLSearchParams, name: FilterName, value: string): string {
  const chosen = name === "tags" || name === "mistakes" ? (params.get(name) ?? "") : "";
  return [...chosen.split(",").filter(Boolean), value].join(",");
}

type SearchQuery = {
  q?: string;
  tags?: string;
  mistakes?: string;
  setup?: string;
  emotion?: string;
  rating?: number;
};

function toQuery(params: URLSearchParams): SearchQuery {
  const text = (name: string) => params.get(name)?.trim() || undefined;
  const rating = Number(params.get("rating"));
  const [q, tags, mistakes, setup, emotion] = ["q", "tags", "mistakes", "setup", "emotion"].map(text);
  return {
    ...(q && { q }),
    ...(tags && { tags }),
    ...(mistakes && { mistakes }),
    ...(setup && { setup }),
    ...(emotion && { emotion }),
    ...(rating >= 1 && rating <= 5 && { rating }),
  };
}

type ResultsProps = { query: SearchQuery; onNarrow: (name: FilterName, value: string) => void };

async function loadPage(query: SearchQuery, cursor: string | undefined) {
  const page = { ...query, limit: 50, ...(cursor && { cursor }) };
  const { data, error } = await api.GET("/journal/search", { params: { query: page } });
  if (!data) throw error;
  return data;
}

function Results({ query, onNarrow }: ResultsProps) {
  const results = useInfiniteQuery({
    queryKey: ["get", "/journal/search", query],
    queryFn: ({ pageParam }) => loadPage(query, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  });
  if (results.isPending) {
    return (
      <div className="mt-4">
        <TableSkeleton label="Searching" columns={3} />
      </div>
    );
  }
  if (results.isError) {
    return (
      <LoadFailure error={results.error} busy={results.isFetching} onRetry={() => void results.refetch()} />
    );
  }
  const total = results.data.pages[0]?.total ?? 0;
  return (
    <div className="mt-4">
      <p role="status" className="font-semibold">
        {plural(total, "entry", "entries")}
      </p>
      {total > 0 && <FoundFigures query={query} />}
      {total > 0 && <Groups query={query} onNarrow={onNarrow} />}
      <ul className="mt-3 border-line border-t">
        {results.data.pages
          .flatMap(({ entries }) => entries)
          .map((entry) => (
            <EntryItem key={entry.id} entry={entry} />
          ))}
      </ul>
      {results.hasNextPage && (
        <Button
          variant="secondary"
          size="sm"
          className="mt-4"
          pending={results.isFetchingNextPage}
          onClick={() => void results.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

/** Figures of the closed positions among the matching entries. */
function FoundFigures({ query }: { query: SearchQuery }) {
  const { data } = $api.useQuery(
    "get",
    "/journal/groups",
    { params: { query: { by: "none", figures: true, ...query } } },
    { staleTime: 0 },
  );
  if (data?.tooManyPositions)
    return <p className="mt-1 text-data text-ink-2">Too many entries for figures: narrow the search.</p>;
  const figures = data?.groups[0]?.figures;
  return figures ? (
    <div className="mt-1">
      <FiguresLine figures={figures} />
    </div>
  ) : null;
}

/** Matching entries by label, with their number and result; each narrows the search. */
function Groups({ query, onNarrow }: ResultsProps) {
  return (
    <details className="mt-2">
      <summary className="flex min-h-11 cursor-pointer items-center text-brand text-ui underline">
        Group these entries
      </summary>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {FILTERS.map((name) => (
          <Group key={name} name={name} query={query} onNarrow={onNarrow} />
        ))}
      </div>
    </details>
  );
}

function Group({ name, query, onNarrow }: ResultsProps & { name: FilterName }) {
  const { data } = $api.useQuery("get", "/journal/groups", {
    params: { query: { by: GROUP_OF[name], figures: true, ...query } },
  });
  if (!data?.groups.length) return null;
  return (
    <div>
      <h2 className="font-sans font-normal text-data text-ink-2">{LABELS[name]}</h2>
      <ul>
        {data.groups.slice(0, 8).map((group) => (
          <li key={group.name}>
            <button
              type="button"
              onClick={() => onNarrow(name, group.name)}
              className="flex min-h-9 pointer-coarse:min-h-11 w-full items-center justify-between gap-3 border-line border-b text-left text-data hover:bg-sunken"
            >
              <span className="min-w-0 truncate">{group.name}</span>
              <span className="ml-auto">
                <GroupResult group={group} />
              </span>
              <span className="figures w-8 text-right">
                {group.entries}
                <span className="sr-only">{group.entries === 1 ? " entry" : " entries"}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
