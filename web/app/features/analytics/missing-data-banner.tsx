import { Link } from "react-router";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { type UnitName, unitCount } from "#features/analytics/filters/units.ts";
import { FIX_PATH } from "#lib/analytics-paths.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";

type MissingDataBannerProps = Overview["dataIssues"] & {
  /** Number of the units shown that an answer may change. */
  doubtful: number;
  unit: UnitName;
};

/** Lists the data issues that the filters match, and counts those outside. */
export function MissingDataBanner({
  missingCostBasis,
  expired,
  ratesMissing,
  outsideFilter,
  open,
  doubtful,
  unit,
}: MissingDataBannerProps) {
  const problems = [
    missingCostBasis > 0 && {
      title: plural(missingCostBasis, "sell has no buy price", "sells have no buy price"),
      text: `${missingCostBasis === 1 ? "It is" : "They are"} not included in any figure.`,
    },
    expired > 0 && {
      title: plural(expired, "contract expired while open", "contracts expired while open"),
      text: `${expired === 1 ? "It is" : "They are"} not included in any figure until you enter the settlement price, or say that the options expired worthless.`,
    },
    ratesMissing > 0 && {
      title: plural(
        ratesMissing,
        "closed trade has incomplete charges",
        "closed trades have incomplete charges",
      ),
      text: "Some rates, or the kind of an ETF, are missing in our tables, so the charges may be too low.",
    },
    doubtful > 0 && {
      title: `An answer may change ${unitCount(doubtful, unit)}`,
      text: "",
    },
    outsideFilter > 0 && {
      title: `${plural(outsideFilter, "data issue")} outside these filters`,
      text: "",
    },
    open > 0 && { title: plural(open, "open data issue"), text: "" },
  ].filter((problem) => problem !== false);
  const [first, ...others] = problems;
  if (!first) return null;
  return (
    <Banner
      tone={missingCostBasis + expired + ratesMissing > 0 ? "warn" : "info"}
      title={first.title}
      actions={
        open > 0 && (
          <Link to={FIX_PATH} className="link text-ui">
            Fix
          </Link>
        )
      }
    >
      {[first.text, ...others.map(({ title, text }) => `${title}. ${text}`)].join(" ").trim()}
    </Banner>
  );
}
