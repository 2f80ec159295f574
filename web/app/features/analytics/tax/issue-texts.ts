import type { Schemas } from "#lib/api.ts";
import { plural } from "#lib/format.ts";

type IssueCount = Schemas["TaxPack"]["openIssuesByKind"][number];

/** Returns the issues of a kind with their number, for a reader who does not see the data issues: "2 missing buy prices". */
export function issueCountText({ kind, count }: IssueCount): string {
  switch (kind) {
    case "missingCost":
      return plural(count, "missing buy price");
    case "settlement":
      return `${plural(count, "contract")} without a settlement price`;
    case "corporateAction":
      return plural(count, "possible corporate action");
    case "unknownInstrument":
      return plural(count, "unknown instrument");
    case "unknownRates":
      return plural(count, "unknown charge rate");
    case "fileGap":
      return `${plural(count, "period")} without a file`;
    case "oddPrice":
      return plural(count, "unusual price");
    case "fairValue":
      return `${plural(count, "share")} without the price of 31 January 2018`;
  }
}
