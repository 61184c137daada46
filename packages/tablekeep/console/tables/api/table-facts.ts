export interface KeyFact {
  readonly name: string;
  readonly type: "S" | "N" | "B";
}

interface KeyFacts {
  readonly partition: KeyFact;
  readonly sort?: KeyFact;
}

export interface IndexFacts extends KeyFacts {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly status: string;
  readonly projection: "all" | "keys" | readonly string[];
  readonly itemCount: number;
  readonly sizeBytes: number;
}

/** Whether a place to read is a global index, which has no consistent reads. */
export function isGlobal(place: TableFacts | IndexFacts): boolean {
  return "kind" in place && place.kind === "global";
}

export interface TableFacts extends KeyFacts {
  readonly name: string;
  readonly status: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
  readonly billing: "on-demand" | "provisioned";
  readonly indexes: readonly IndexFacts[];
  /** Whether its items cannot be changed here, such as those of a store. */
  readonly readOnly?: true;
  /** Why it is read-only. */
  readonly reason?: string;
  /** Whether imports, statements, changes to its settings and its deletion can be undone. */
  readonly undo?: true;
  /** Whether its changes can be watched without a stream. */
  readonly live?: true;
  /** The view type of its stream; undefined without a stream. */
  readonly stream?: string;
  /** Requests since the server started, and the capacity units that DynamoDB reports for them or, in a folder, would report. */
  readonly used: {
    readonly requests: number;
    readonly failures: number;
    readonly readUnits: number;
    readonly writeUnits: number;
  };
  /** The use by this API. */
  readonly browsed: { readonly readUnits: number };
}

/** An attribute in DynamoDB's JSON: `{ "S": "text" }`. */
export type WireValue = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, WireValue>>;

export interface ItemsPage {
  readonly items: readonly WireItem[];
  readonly scanned: number;
  readonly readUnits: number;
  readonly next?: string;
}

/** The cost of reading since the query was sent. */
export interface ReadCost {
  readonly items: number;
  readonly scanned: number;
  readonly readUnits: number;
}
