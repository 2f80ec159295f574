/** Whether an address is of the desk, which stays as it is from one of its pages to another. */
export function isDeskPage(pathname: string): boolean {
  return /^\/(dashboard|add-new-trades|account|analytics)\/?$/.test(pathname);
}
