/** Anchor of the list of corporate actions and opening holdings. */
export const CORPORATE_ACTIONS_ID = "corporate-actions";
