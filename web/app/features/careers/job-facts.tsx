import { ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { SITE } from "#content/site.ts";
import type { Job } from "#features/careers/prerendered-job.ts";
import { Rupees } from "#features/careers/stipend.tsx";
import { count, date, plural } from "#lib/format.ts";
import { useToday } from "#lib/use-today.ts";

const DAY_MS = 86_400_000;
/** The last date shows the remaining days from this number on. */
const MAX_DAYS_LEFT = 30;
const WORK_MODES = { onsite: "On site", hybrid: "Hybrid", remote: "Remote" };

/** Key facts of a job: beside the description on a wide screen, above it on a narrow one. */
export function JobFacts({ job }: { job: Job }) {
  return (
    <aside aria-labelledby="facts" className="pt-8 lg:col-start-2 lg:row-start-1">
      <div className="overflow-hidden rounded-panel border border-line bg-surface">
        <h2 id="facts" className="px-5 py-4 text-h4">
          At a glance
        </h2>
        <dl className="text-data">
          <Fact name="Job ID">{job.JobID}</Fact>
          <Fact name="Department">{job.Department}</Fact>
          <Fact name="Location">{job.Location}</Fact>
          <Fact name="Work mode">{WORK_MODES[job.WorkMode]}</Fact>
          <Fact name="Duration">{job.Duration}</Fact>
          <Fact name="Stipend">
            <Rupees text={job.Stipend} />
          </Fact>
          <Fact name="Positions">{count(job.Seats)}</Fact>
          <Fact name="Posted on">
            <time dateTime={job.Posting_Date}>{date(job.Posting_Date)}</time>
          </Fact>
          <Fact name="Last date">
            <time dateTime={job.LastDate}>{date(job.LastDate)}</time>
            <DaysLeft until={job.LastDate} />
          </Fact>
        </dl>
      </div>
      <p className="mt-4 flex gap-2.5 text-data text-ink-2">
        <ShieldCheck size={17} className="mt-0.5 shrink-0" aria-hidden />
        <span>
          We never ask for money, at any step. Our emails come from {SITE.email.split("@")[1]} only.
        </span>
      </p>
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7rem_1fr] gap-3 border-line border-t px-5 py-2.5">
      <dt className="text-ink-2">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}

function DaysLeft({ until }: { until: string }) {
  const today = useToday();
  if (!today) return null;
  const days = Math.round((Date.parse(until) - Date.parse(today)) / DAY_MS);
  if (days > MAX_DAYS_LEFT) return null;
  return <span className="text-ink-2">, {days === 0 ? "today" : `${plural(days, "day")} left`}</span>;
}
