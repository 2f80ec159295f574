/** The recruitment steps in order. `step` is the name in the API. */
export const RECRUITMENT = {
  eyebrow: "JOIN OUR TEAM",
  heading: "Simple & Transparent Recruitment Process",
  total: "2 hours",
  steps: [
    {
      id: 1,
      step: "initial-discussion",
      title: "Initial Discussion",
      description: "A brief chat on your experience and aspirations.",
      duration: "30 mins",
      details: [
        "Experience overview",
        "Career goals",
        "Brief technical discussion",
        "Role expectations alignment",
      ],
    },
    {
      id: 2,
      step: "technical-round",
      title: "Technical Round",
      description: "You solve a problem with us and talk through your choices.",
      duration: "30 mins",
      details: [
        "Technical problem solving",
        "System design discussion",
        "Code review and methodology",
        "Best practices and patterns",
      ],
    },
    {
      id: 3,
      step: "team-round",
      title: "Team Round",
      description: "You meet the people you would work with every day.",
      duration: "30 mins",
      details: [
        "Team culture alignment",
        "Collaborative problem solving",
        "Team-specific discussions",
        "Day-to-day responsibilities",
      ],
    },
    {
      id: 4,
      step: "final-discussion",
      title: "Final Discussion",
      description: "The offer and the next steps.",
      duration: "30 mins",
      details: ["Benefits overview", "Start date planning", "Documentation requirements"],
    },
  ],
} as const;
