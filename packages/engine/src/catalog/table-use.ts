/** The use of one table since the engine was opened. */
export interface TableUse {
  /** Requests that name the table; PartiQL statements do not count. */
  readonly requests: number;
  readonly failures: number;
  /** Capacity units that DynamoDB would report for the requests that succeeded, indexes included. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A use that is still counted. All models of a table share one, so that changing the table does not reset it. */
export type CountedUse = { -readonly [Name in keyof TableUse]: TableUse[Name] };

export function noUse(): CountedUse {
  return { requests: 0, failures: 0, readUnits: 0, writeUnits: 0 };
}
