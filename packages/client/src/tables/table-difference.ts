/** What part of a table a difference is about. */
export type TableAspect =
  | "key"
  | "local-index"
  | "global-index"
  | "expiry"
  | "stream"
  | "billing"
  | "deletion-protection"
  | "table-class"
  | "tag";

/** One way in which a table is not what its specification says. */
export interface TableDifference {
  readonly aspect: TableAspect;
  /**
   * `breaking`: a program written for the specification would fail on this table, or keep or lose data against its
   * will. `note`: it works, at another price or with more than it needs.
   */
  readonly severity: "breaking" | "note";
  /** One sentence: what differs, and how to mend it where that is not plain. */
  readonly message: string;
  /** Whether `ensureTable` with `update: true` mends it. */
  readonly updatable: boolean;
}

export function breaking(aspect: TableAspect, message: string): TableDifference {
  return { aspect, severity: "breaking", message, updatable: false };
}

export function note(aspect: TableAspect, message: string): TableDifference {
  return { aspect, severity: "note", message, updatable: false };
}

export function updatable(difference: TableDifference): TableDifference {
  return { ...difference, updatable: true };
}
