import { DownMark, UpMark } from "#ui/marks.tsx";

/** Shows WIN or LOSS with its mark and colour. */
export function WinLoss({ status }: { status: "WIN" | "LOSS" }) {
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
