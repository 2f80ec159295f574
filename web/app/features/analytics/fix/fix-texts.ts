import type { Schemas } from "#lib/api.ts";
import { plural } from "#lib/format.ts";

export type IssueList = Schemas["DataIssueList"];
export type Issue = Schemas["DataIssue"];
export type ProposedAnswer = Schemas["ProposedAnswer"];
export type IssueAnswer = Schemas["DataIssueAnswer"];
export type AnswerResult = Schemas["DataIssueAnswerResult"];

export const KIND_NAMES: Readonly<Record<Issue["kind"], string>> = {
  missingCost: "Missing cost",
  settlement: "Expiry",
  corporateAction: "Corporate action",
  unknownInstrument: "Instrument",
  unknownRates: "Charges",
  fileGap: "Gap",
  oddPrice: "Price",
  fairValue: "Price of 31 January 2018",
};

/** Returns the title of the page: "7 data issues", with the closed trades that they may change. */
export function fixTitle({ total, closedTrades }: IssueList): string {
  if (total === 0) return "No data issues";
  const issues = plural(total, "data issue");
  if (closedTrades === 0) return issues;
  return `${issues} may change ${plural(closedTrades, "closed trade")}`;
}

/** Returns the figures that an issue touches: "3 closed trades, tax 2025–26". */
export function touches({ closedTrades, financialYears }: Issue): string {
  const years = [financialYears[0], financialYears.at(-1)].map((year) => year?.replace("-", "–"));
  const tax = [...new Set(years)].join(" to ");
  const parts = [closedTrades > 0 && plural(closedTrades, "closed trade"), tax && `tax ${tax}`];
  return parts.filter(Boolean).join(", ") || "–";
}

/** Returns the likely answers, to be sent as one change. */
export function likelyAnswers(issues: readonly Issue[]): IssueAnswer[] {
  return issues.flatMap(({ id, answers }) => {
    const likely = answers.find((answer) => answer.likely);
    return likely ? [{ issueId: id, answer: likely.code }] : [];
  });
}

/** Returns the answers that options expired worthless, of those whose value at expiry the log does not show. */
export function worthlessAnswers(issues: readonly Issue[]): IssueAnswer[] {
  return issues.flatMap(({ id, answers: [first] }) =>
    first?.code === "worthless" && !first.likely ? [{ issueId: id, answer: first.code }] : [],
  );
}
