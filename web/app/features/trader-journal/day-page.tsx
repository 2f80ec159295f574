import { useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useCallback, useMemo } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { DayFacts } from "#features/trader-journal/day-facts.tsx";
import {
  addDays,
  addMonths,
  longDay,
  longMonth,
  monthEnd,
  monthStart,
  parseDay,
  weekStart,
} from "#features/trader-journal/days.ts";
import { EntryItem } from "#features/trader-journal/entry-item.tsx";
import type { EntrySaver, SaverState } from "#features/trader-journal/entry-saver.ts";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { JournalNav } from "#features/trader-journal/journal-nav.tsx";
import { refreshJournal, useStrategyEntries } from "#features/trader-journal/journal-queries.ts";
import { LabelChoice, LabelsField, RatingField } from "#features/trader-journal/label-fields.tsx";
import { LabelledGroup, MarginSection } from "#features/trader-journal/margin-section.tsx";
import { NoteEditor } from "#features/trader-journal/note-editor.tsx";
import { SaveConflicts, SaveStatus } from "#features/trader-journal/save-status.tsx";
import { ScreenshotSection } from "#features/trader-journal/screenshots/screenshot-section.tsx";
import { TemplateMenu } from "#features/trader-journal/template-menu.tsx";
import { useEntrySaver } from "#features/trader-journal/use-entry-saver.ts";
import { useSuggestions } from "#features/trader-journal/use-labels.ts";
import { $api } from "#lib/api-query.ts";
import { count, date } from "#lib/format.ts";
import { Checkbox } from "#ui/checkbox.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { NotFound } from "#ui/not-found.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type PeriodKind = "day" | "week" | "month";
type Period = { kind: PeriodKind; from: string; to: string; title: string; previous: string; next: string };

/** Returns the period of a page: the day, or the week or month that it is in. */
function periodOf(day: string, kind: string | null): Period {
  if (kind === "week") {
    const from = weekStart(day);
    const [previous, next] = [-7, 7].map((days) => `/journal/${addDays(from, days)}?period=week`);
    return {
      kind,
      from,
      to: addDays(from, 6),
      title: `Week from ${date(from)}`,
      previous: previous ?? "",
      next: next ?? "",
    };
  }
  if (kind === "month") {
    const from = monthStart(day);
    const [previous, next] = [-1, 1].map((months) => `/journal/${addMonths(from, months)}?period=month`);
    return {
      kind,
      from,
      to: monthEnd(from),
      title: longMonth(from),
      previous: previous ?? "",
      next: next ?? "",
    };
  }
  const [previous, next] = [-1, 1].map((days) => `/journal/${addDays(day, days)}`);
  return { kind: "day", from: day, to: day, title: longDay(day), previous: previous ?? "", next: next ?? "" };
}

/** Page of a day, week or month: plan, facts and review. */
export function DayPage({ email }: { email: string }) {
  const [params] = useSearchParams();
  const day = parseDay(useParams().day?.replace(/\/$/, ""));
  if (!day) return <NotFound />;
  const period = periodOf(day, params.get("period"));
  return <PeriodPage key={`${period.kind} ${period.from}`} period={period} email={email} />;
}

function PeriodPage({ period, email }: { period: Period; email: string }) {
  const { kind, from, title, previous, next } = period;
  const client = useQueryClient();
  const subject: JournalSubject = useMemo(() => ({ kind, key: from, day: from }), [kind, from]);
  const stored = $api.useQuery(
    "post",
    "/journal/entries/lookup",
    { body: { kind, keys: [from], withoutText: false } },
    { staleTime: 0, gcTime: 0, refetchOnReconnect: false },
  );
  const entry = stored.data && (stored.data.entries[0] ?? null);
  const onSaved = useCallback(() => void refreshJournal(client), [client]);
  const opened = useEntrySaver({ email, subject, entry, onSaved });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <h1 tabIndex={-1} className="text-[2rem]">
          {title}
        </h1>
        <span className="ml-auto flex items-center">
          <PeriodLink to={previous} label={`Previous ${kind}`}>
            <ChevronLeft size={18} aria-hidden />
          </PeriodLink>
          <PeriodLink to={next} label={`Next ${kind}`}>
            <ChevronRight size={18} aria-hidden />
          </PeriodLink>
        </span>
      </div>
      <JournalNav current={undefined} />
      {stored.isError && (
        <LoadFailure error={stored.error} busy={stored.isFetching} onRetry={() => void stored.refetch()} />
      )}
      {stored.isPending && (
        <div className="mt-6">
          <TableSkeleton label="Loading the journal" columns={3} />
        </div>
      )}
      {opened && <PeriodEntry period={period} {...opened} />}
    </>
  );
}

function PeriodLink({ to, label, children }: { to: string; label: string; children: React.ReactNode }) {
  return (
    <Link
      to={to}
      aria-label={label}
      className="flex size-11 items-center justify-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
    >
      {children}
    </Link>
  );
}

/** Entries of the strategies that were opened in the period; nothing if there are none. */
function StrategyEntries({ period: { kind, from, to } }: { period: Period }) {
  const { data } = useStrategyEntries(from, to);
  if (!data?.entries.length) return null;
  return (
    <MarginSection title="Strategies" hint={kind === "day" ? "Opened on this day" : `Opened in this ${kind}`}>
      <ul className="-mt-3">
        {data.entries.map((entry) => (
          <EntryItem key={entry.id} entry={entry} />
        ))}
      </ul>
      {data.nextCursor && (
        <p className="mt-2 text-data text-ink-2">{`The last ${count(data.entries.length)} are shown.`}</p>
      )}
    </MarginSection>
  );
}

type PeriodEntryProps = { period: Period; saver: EntrySaver; state: SaverState };

function PeriodEntry({ period, saver, state }: PeriodEntryProps) {
  const { kind, from, to } = period;
  const { content } = state;
  const [emotions, tags] = [useSuggestions("emotion"), useSuggestions("tag")];
  return (
    <>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-3">
        <SaveStatus state={state} />
        {kind === "day" && <TemplateMenu content={content} onInsert={(texts) => saver.edit(texts)} />}
      </div>
      <div className="mt-2">
        <SaveConflicts saver={saver} state={state} />
      </div>
      <MarginSection title="Plan" hint={kind === "day" ? "Before the market opens" : "For this period"}>
        <NoteEditor
          label="Plan"
          value={content.plan}
          placeholder={
            kind === "day" ? "Levels, what to trade, what to leave, when to stop" : "What to work on"
          }
          onChange={(plan) => saver.edit({ plan })}
        />
      </MarginSection>
      <MarginSection title="Facts" hint="From the log">
        <DayFacts from={from} to={to} kind={kind} />
      </MarginSection>
      <StrategyEntries period={period} />
      <MarginSection
        title="Review"
        hint="After the close"
        aside={
          <>
            <LabelledGroup label={kind === "day" ? "Emotion before" : "Emotion"}>
              <LabelChoice
                label="Emotion before"
                value={content.emotion}
                suggestions={emotions}
                onChange={(emotion) => saver.edit({ emotion })}
              />
            </LabelledGroup>
            {kind === "day" && (
              <LabelledGroup label="Emotion after">
                <LabelChoice
                  label="Emotion after"
                  value={content.emotionAfter}
                  suggestions={emotions}
                  onChange={(emotionAfter) => saver.edit({ emotionAfter })}
                />
              </LabelledGroup>
            )}
            <LabelledGroup label="Rating">
              <RatingField value={content.rating} onChange={(rating) => saver.edit({ rating })} />
            </LabelledGroup>
            <LabelledGroup label="Tags">
              <LabelsField
                label="Tags"
                values={content.tags}
                suggestions={tags}
                onChange={(chosen) => saver.edit({ tags: chosen })}
              />
            </LabelledGroup>
          </>
        }
      >
        <NoteEditor
          label="Review"
          rows={6}
          value={content.note}
          placeholder="What went as planned, what did not, what to do next time"
          onChange={(note) => saver.edit({ note })}
        />
        <div className="mt-4">
          <Checkbox
            checked={content.reviewed}
            onChange={(event) => saver.edit({ reviewed: event.target.checked })}
          >
            {`This ${kind} is reviewed`}
          </Checkbox>
        </div>
      </MarginSection>
      <ScreenshotSection key={from} saver={saver} />
    </>
  );
}
