import { DownMark, UpMark } from "#ui/marks.tsx";

/** Word, mark and colour together. */
export function Verdict({ status }: { status: "WIN" | "LOSS" }) {
  const win = status === "WIN";
  return (
    <span
      className={`inline-flex items-baseline gap-1.5 font-semibold text-floor tracking-wide ${win ? "text-gain" : "text-loss"}`}
    >
      {win ? <UpMark /> : <DownMark />}
      {status}
    </span>
  );
}
