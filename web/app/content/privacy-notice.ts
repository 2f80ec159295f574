import { SITE } from "#content/site.ts";

/** What one is told before an account is made. A change of the words is a new version: it is kept with the account. */
export const PRIVACY_NOTICE = {
  version: "2026-11-20",
  items: [
    {
      title: "What we keep",
      text: "Your name, email, phone number and password (as a hash, which nobody can read back); the trades that you upload or write down; where and when you logged in.",
    },
    {
      title: "Why",
      text: "To run your account book, to keep it safe, and to reach you about it. We sell nothing of it and show no advertising.",
    },
    {
      title: "How long",
      text: "As long as you have the account. Once you close it everything is erased after 30 days; until then you can take it back.",
    },
    {
      title: "Your say",
      text: "See, correct, download and erase your data on your account page. By erasing the account you withdraw your consent.",
    },
    {
      title: "Complaints",
      text: `Write to ${SITE.email}. If our answer does not help, you may turn to the Data Protection Board of India.`,
    },
  ],
} as const;
