/** Where the list of what to complete stands on the page. */
export const COMPLETION = "to-complete";
