import type { RememberedColumns } from "./grid-columns.ts";

const keyOf = (table: string) => `tablekeep.columns.${table}`;
const none: RememberedColumns = { names: undefined, widths: {} };

/** The columns that were chosen for a table. */
export function rememberedColumns(table: string): RememberedColumns {
  try {
    const { names, widths } = JSON.parse(localStorage.getItem(keyOf(table)) ?? "{}") as Record<
      string,
      unknown
    >;
    return { names: isNames(names) ? names : undefined, widths: isWidths(widths) ? widths : {} };
  } catch {
    return none;
  }
}

export function rememberColumns(table: string, columns: RememberedColumns): void {
  try {
    localStorage.setItem(keyOf(table), JSON.stringify(columns));
  } catch {
    // A browser that stores nothing still uses them on this page.
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isWidths(value: unknown): value is Readonly<Record<string, number>> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((each) => typeof each === "number")
  );
}
