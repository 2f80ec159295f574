import { SITE } from "#content/site.ts";

/**
 * Privacy notice above the consents of an application. The version is stored with the application: give a changed
 * text a new one.
 */
export const APPLICATION_NOTICE = {
  version: "2026-11-29",
  items: [
    {
      title: "What we keep",
      text: "Your answers in this form and your resume, the time when you sent them, and what you agreed to.",
    },
    {
      title: "Why",
      text: "To decide on this application and to contact you about it. Only the people who decide can see it. We never sell it.",
    },
    {
      title: "How long",
      text: "While we decide, at most 12 months after the last step. After our decision 90 days, or 12 months if you agree that we keep your details for later roles. After you withdraw 30 days. Then your application and resume are deleted.",
    },
    {
      title: "Your rights",
      text: "The email with your receipt has a link. There you can see, download, withdraw or delete your application at any time, correct it until our review starts, and see when our team last viewed it. After that, write to us to correct it.",
    },
    {
      title: "Complaints",
      text: `Write to ${SITE.email}. If our answer does not help, you can complain to the Data Protection Board of India.`,
    },
  ],
} as const;
