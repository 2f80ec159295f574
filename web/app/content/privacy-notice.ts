import { SITE } from "#content/site.ts";

/** Privacy notice at sign-up. The version is stored with the account: give a changed text a new one. */
export const PRIVACY_NOTICE = {
  version: "2026-11-24",
  items: [
    {
      title: "What we keep",
      text: "Your name, email, phone number and password (as a hash, which nobody can read back); the trades that you upload or enter; the client code and the name in your broker's files; where and when you logged in. If you verify your phone number, our SMS provider receives it with the code.",
    },
    {
      title: "Why",
      text: "To run your account, to keep it safe, and to contact you about it. We never sell your data and show no advertising.",
    },
    {
      title: "How long",
      text: "As long as you have the account. If you delete it, everything is deleted after 30 days. Until then you can restore it.",
    },
    {
      title: "Your rights",
      text: "You can see, correct, download and delete your data on your account page. By deleting the account you withdraw your consent.",
    },
    {
      title: "Complaints",
      text: `Write to ${SITE.email}. If our answer does not help, you can complain to the Data Protection Board of India.`,
    },
  ],
} as const;
