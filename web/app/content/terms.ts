import { SITE } from "#content/site.ts";

/** The terms for job applicants. Change the date with the text. */
export const TERMS = {
  updated: "2026-11-23",
  sections: [
    {
      title: "Accuracy of information",
      paragraphs: [
        "By sending an application you confirm that your name, contact details, education, experience and resume are correct and complete, and your own.",
        "If something changes while we are talking, write to us. A false certificate, an invented employer or another person's work ends the application; found after joining, it may end the employment.",
      ],
    },
    {
      title: "Application process",
      paragraphs: [
        "You apply through the form on the page of an opening. We ask for no fee at any step, and nobody does so on our behalf: no registration charge, no deposit, no payment for training or a laptop. Anyone who asks you for money in our name does not work for us; please tell us.",
        "Most applicants meet us in four rounds of about thirty minutes: an initial discussion, a technical round, a round with the team and a final discussion. We may shorten this, ask for a piece of work or close an opening early. You may withdraw at any time, without a reason.",
      ],
    },
    {
      title: "Background verification",
      paragraphs: [
        "Before an offer becomes final we may check your identity, education and earlier employment, by ourselves or through a verification agency that is bound to secrecy. We do so only with your written consent, and only as far as the role needs it.",
        "You may ask for the result and correct what is wrong before we decide. If you refuse the check, we may be unable to continue.",
      ],
    },
    {
      title: "Privacy and data protection",
      paragraphs: [
        "We handle your personal data under the Digital Personal Data Protection Act, 2023. We use what you send to assess your application and to contact you about it. We keep it for later openings only if you agreed to that. We never sell it.",
        `Only the people who take part in the decision can see it. You may ask us to show, correct or delete it, or withdraw a consent as easily as you gave it: write to ${SITE.email}. If our answer does not help, you may complain to the Data Protection Board of India.`,
        "Do not send your Aadhaar, PAN or bank details with an application. We ask for them after an offer, if the law requires it.",
      ],
    },
    {
      title: "Equal opportunity",
      paragraphs: [
        "We choose by what you can do. Religion, caste, sex, gender identity, sexual orientation, marital status, pregnancy, disability, age, language and place of birth play no part in it.",
        "If you need an adjustment for an interview or a task, such as more time, a screen reader or another place to meet, tell us. We will arrange it, and it does not count against you.",
      ],
    },
    {
      title: "Confidentiality",
      paragraphs: [
        "During the interviews you may learn things that are not public: plans, figures, code, how we work. Please keep them confidential, even if your application is not successful.",
        "The same applies to us. Do not share material that belongs to an earlier employer or a client. Work that you do for us during the process stays yours, unless we agreed otherwise and paid for it.",
      ],
    },
    {
      title: "No employment guarantee",
      paragraphs: [
        "An application, an interview or a friendly conversation is not a promise of a job or an internship. Only a written offer, signed by both sides, is. An internship may lead to a permanent job, but this is not guaranteed.",
        "We try to answer everyone. If you have not heard from us within four weeks, we have continued with other candidates.",
      ],
    },
    {
      title: "Changes to terms",
      paragraphs: [
        "We may change these terms. The version that was published here on the day of your application applies to it; its date is at the top of the page.",
        "Indian law applies, and the courts in Bengaluru have jurisdiction. If one provision is invalid, the others remain in force.",
      ],
    },
  ],
} as const;
