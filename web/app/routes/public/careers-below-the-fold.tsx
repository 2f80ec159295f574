import { RecruitmentProcess } from "#features/careers/recruitment-process.tsx";
import { WhyJoin } from "#features/why-join/why-join.tsx";

export default function CareersBelowTheFold() {
  return (
    <>
      <RecruitmentProcess />
      <WhyJoin />
    </>
  );
}
