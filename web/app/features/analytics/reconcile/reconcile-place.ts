/** Where the analytics compare with the broker: a panel of the same page. */
export const RECONCILE = "/analytics?panel=reconcile";
