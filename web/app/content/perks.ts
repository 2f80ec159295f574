import { SITE } from "#content/site.ts";

/** Why one should work here: eight, the first six as cards as well. Icons are by name in `perk-icon.tsx`. */
export const PERKS = [
  {
    title: "Innovative Tech Stack",
    text: "Rust and gRPC at the core, React at the edge, and the time to do each of them properly.",
    icon: "stack",
  },
  {
    title: "Rapid Growth",
    text: "A small team and a young product: what you finish this week is in use the next.",
    icon: "growth",
  },
  {
    title: "Great Culture",
    text: "Plain words, short meetings, and the credit to whoever did the work.",
    icon: "culture",
  },
  {
    title: "Learning Opportunities",
    text: "Four hours a week are for study. Books, courses and exams are on us.",
    icon: "learning",
  },
  {
    title: "Global Impact",
    text: "Built for India's markets first, with standards that hold in any other.",
    icon: "impact",
  },
  {
    title: "Career Growth",
    text: "Interns who do well are offered a place to stay, with a plan for their first year.",
    icon: "career",
  },
  {
    title: "Mentorship",
    text: "One senior colleague is yours: an hour each week, and a second look at what you write.",
    icon: "mentorship",
  },
  {
    title: "Data-Driven",
    text: "Opinions are welcome, measurements decide. Whoever has the numbers is heard.",
    icon: "data",
  },
] as const;

export const WHY_JOIN = {
  eyebrow: "JOIN OUR TEAM",
  heading: `Why Join ${SITE.name}?`,
  intro: `${SITE.name} is redefining trading with technology innovation. We want the brightest minds to pioneer the future of it with us.`,
} as const;
