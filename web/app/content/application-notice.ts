import { SITE } from "#content/site.ts";

/** What one is told before an application is sent. A change of the words is a new version: it is kept with it. */
export const APPLICATION_NOTICE = {
  version: "2026-11-20",
  items: [
    {
      title: "What we keep",
      text: "The answers in this form and your resume, as you send them; when they came, and what you agreed to.",
    },
    {
      title: "Why",
      text: "To decide about this application and to reach you about it. Those who decide can see it, and nobody else. We sell nothing of it.",
    },
    {
      title: "How long",
      text: "For 12 months; then it is erased with your resume.",
    },
    {
      title: "Your say",
      text: "The letter with your receipt has a link: see, correct, download, withdraw or erase your application there, at any time.",
    },
    {
      title: "Complaints",
      text: `Write to ${SITE.email}. If our answer does not help, you may turn to the Data Protection Board of India.`,
    },
  ],
} as const;
