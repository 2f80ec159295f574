import { FeatureGrid } from "#features/landing/feature-grid.tsx";
import { HowItWorks } from "#features/landing/how-it-works.tsx";
import { WhyJoin } from "#features/why-join/why-join.tsx";

export default function HomeBelowTheFold() {
  return (
    <>
      <HowItWorks />
      <FeatureGrid />
      <WhyJoin />
    </>
  );
}
