import { plural } from "#lib/format.ts";

/** Units that the figures can count. */
export const UNITS = [
  { value: "positions", label: "Positions", name: "position" },
  { value: "closedTrades", label: "Closed trades", name: "closed trade" },
  { value: "strategies", label: "Strategies", name: "strategy" },
] as const;

export type Unit = (typeof UNITS)[number]["value"];

/** Name of one unit inside a sentence. */
export type UnitName = (typeof UNITS)[number]["name"];

/** Returns the label of several units: "Strategies". */
export function unitLabel(name: UnitName): string {
  return UNITS.find((unit) => unit.name === name)?.label ?? "";
}

/** Returns the name of several units inside a sentence: "strategies". */
export function unitPlural(name: UnitName): string {
  return unitLabel(name).toLowerCase();
}

/** Returns a number of units: "1 strategy", "12 strategies". */
export function unitCount(value: number, name: UnitName): string {
  return plural(value, name, unitPlural(name));
}

/** Returns a number of all that figures count: positions outside of strategies count beside them. */
export function countedUnits(value: number, name: UnitName): string {
  if (name === "strategy") return plural(value, "strategy or position", "strategies and positions");
  return unitCount(value, name);
}

/** Returns the name of the units with a result in R. Strategies have none, so the positions outside of them remain. */
export function riskUnit(name: UnitName): UnitName {
  return name === "strategy" ? "position" : name;
}
