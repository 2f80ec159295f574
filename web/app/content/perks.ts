import { SITE } from "#content/site.ts";

/** The eight perks; the first six also appear as cards. Icons are named as in `perk-icon.tsx`. */
export const PERKS = [
  {
    title: "Innovative Tech Stack",
    text: "Rust and gRPC at the core, React at the edge, and the time to do each of them properly.",
    icon: "stack",
  },
  {
    title: "Rapid Growth",
    text: "A small team and a young product: what you finish this week is in use next week.",
    icon: "growth",
  },
  {
    title: "Great Culture",
    text: "Plain words, short meetings, and credit for the person who did the work.",
    icon: "culture",
  },
  {
    title: "Learning Opportunities",
    text: "Four hours a week for study. We pay for books, courses and exams.",
    icon: "learning",
  },
  {
    title: "Global Impact",
    text: "Built for India's markets first, with standards that hold in any other.",
    icon: "impact",
  },
  {
    title: "Career Growth",
    text: "Interns who do well get a job offer, with a plan for their first year.",
    icon: "career",
  },
  {
    title: "Mentorship",
    text: "You have one senior colleague as a mentor: an hour each week, and a review of what you write.",
    icon: "mentorship",
  },
  {
    title: "Data-Driven",
    text: "Opinions are welcome, but measurements decide.",
    icon: "data",
  },
] as const;

export const WHY_JOIN = {
  eyebrow: "JOIN OUR TEAM",
  heading: `Why Join ${SITE.name}?`,
  intro: `${SITE.name} is redefining trading with technology innovation. We want the brightest minds to pioneer the future of it with us.`,
} as const;
