import { SITE } from "#content/site.ts";

/** The terms for applicants. A change of the words is a new date. */
export const TERMS = {
  updated: "2026-11-20",
  sections: [
    {
      title: "Accuracy of information",
      paragraphs: [
        "Tell us the truth, and tell us what matters. By sending an application you confirm that your name, contact details, education, experience and resume are correct and complete, and your own.",
        "If something changes while we are talking, write to us. A false certificate, an invented employer or another person's work ends the application; found after joining, it may end the employment.",
      ],
    },
    {
      title: "Application process",
      paragraphs: [
        "You apply through the form on the page of an opening. We ask for no fee at any step, nor does anybody on our behalf: no registration charge, no deposit, no payment for training or a laptop. Whoever asks you for money in our name is not from us; please tell us.",
        "Most applicants meet us in four rounds of about thirty minutes: an initial discussion, a technical round, a round with the team and a final discussion. We may shorten this, ask for a piece of work or close an opening early. You may withdraw at any time, without a reason.",
      ],
    },
    {
      title: "Background verification",
      paragraphs: [
        "Before an offer becomes final we may check your identity, education and earlier employment, by ourselves or through a verification agency that is bound to secrecy. We do so only with your written consent, and only as far as the role needs it.",
        "You may ask what was found and correct what is wrong before we decide. If you refuse the check, we may be unable to go on.",
      ],
    },
    {
      title: "Privacy and data protection",
      paragraphs: [
        "We handle your personal data under the Digital Personal Data Protection Act, 2023. We use what you send to assess your application and to reach you about it, and keep it for later openings only if you agreed to that. We never sell it.",
        `Those who take part in the decision can see it, and nobody else. You may ask us to show, correct or erase it, or withdraw a consent as easily as you gave it: write to ${SITE.email}. If our answer does not help, you may complain to the Data Protection Board of India.`,
        "Do not send your Aadhaar, PAN or bank details with an application. We ask for them after an offer, if the law requires it.",
      ],
    },
    {
      title: "Equal opportunity",
      paragraphs: [
        "We choose by what you can do. Religion, caste, sex, gender identity, sexual orientation, marital status, pregnancy, disability, age, language and place of birth play no part in it.",
        "If you need an adjustment for a conversation or a task, such as more time, a screen reader or another place to meet, tell us. It is arranged, and does not count against you.",
      ],
    },
    {
      title: "Confidentiality",
      paragraphs: [
        "In our talks you may learn things that are not public: plans, figures, code, how we work. Please keep them to yourself, also when nothing comes of the application.",
        "The same holds for us. Do not bring along what belongs to an earlier employer or a client. A piece of work that you make for us in the process stays yours, unless we agreed and paid otherwise.",
      ],
    },
    {
      title: "No employment guarantee",
      paragraphs: [
        "An application, an interview or a friendly word is no promise of a job or of an internship. Only a written offer, signed by both sides, is. An internship may lead to a permanent place; it does not have to.",
        "We try to answer everyone. If you have not heard from us within four weeks, we have gone on with others for now.",
      ],
    },
    {
      title: "Changes to terms",
      paragraphs: [
        "We may change these terms. The version that stood here on the day of your application holds for it; the date of this version stands at the head of the page.",
        "The law of India applies, and the courts in Bengaluru are competent. Should one sentence here be void, the others stay.",
      ],
    },
  ],
} as const;
