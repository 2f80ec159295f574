import type { Plugin } from "vite";

/** Vite plugin for `<opening>.json?card`: the data that the list of openings shows, without the long texts. */
export function openingCards(): Plugin {
  return {
    name: "opening-cards",
    enforce: "pre",
    transform(file, id) {
      if (!id.endsWith(".json?card")) return undefined;
      const {
        about_us,
        experience,
        tech_stack,
        technical_skills,
        responsibilities,
        perks_and_benefits,
        ...card
      } = JSON.parse(file);
      return { code: `export default ${JSON.stringify(card)}`, moduleType: "js", map: null };
    },
  };
}
