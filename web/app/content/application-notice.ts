import { SITE } from "#content/site.ts";

/**
 * Privacy notice above the consents of an application. The version is stored with the application: give a changed
 * text a new one.
 */
export const APPLICATION_NOTICE = {
  version: "2026-11-24",
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
      text: "While we decide, at most 12 months after the last step. Then for 90 days after our decision, or for 12 months if you agree that we keep your details for later roles. For 30 days if you withdraw. Then your application and resume are deleted.",
    },
    {
      title: "Your rights",
      text: "The email with your receipt has a link. There you can see, correct, download, withdraw or delete your application at any time, and see when our team last viewed it.",
    },
    {
      title: "Complaints",
      text: `Write to ${SITE.email}. If our answer does not help, you can complain to the Data Protection Board of India.`,
    },
  ],
} as const;
