import { expect, test } from "vitest";
import { OPENINGS } from "#content/openings.ts";
import { readJobDescription } from "#features/careers/job-description-files.ts";

test("[3D-01] [3D-02] [3D-03] every opening has a complete job description", () => {
  for (const { id, title } of OPENINGS) {
    const text = readJobDescription(id);
    expect(text).toMatchObject({ Title: title, JobID: id });
    expect(text?.Aboutus.length).toBeGreaterThan(200);
    expect(text?.KeySkillsandRequirements.Technical.length).toBeGreaterThan(4);
    expect(Object.values(text?.KeyResponsibilities ?? {}).flat().length).toBeGreaterThan(4);
    expect(text?.PerksandBenefits.length).toBeGreaterThan(3);
  }
  expect(readJobDescription("FE102")).toBeUndefined();
});
