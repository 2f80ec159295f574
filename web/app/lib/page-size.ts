/** Returns the number of rows to load at a time: fewer on a narrow screen, where rows wrap. */
export function pageSize(wide: number, narrow: number): number {
  return matchMedia("(width < 40rem)").matches ? narrow : wide;
}
