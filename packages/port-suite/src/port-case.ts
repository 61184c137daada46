import type { DynamoPort } from "@tablekeep/core";
import type { SharedTables } from "./shared-tables.ts";

/** The backend of a port; only known gaps depend on it. */
export type Backend = "tablekeep" | "dynamodb-local" | "aws";

/** One behavior of DynamoDB, checked. */
export interface PortCase {
  /** A sentence on the behavior; unique in the suite. */
  readonly name: string;
  /** The evidence: a page of the AWS documentation, or a suite that ran against AWS. */
  readonly source: string;
  readonly run: (world: PortWorld) => Promise<void>;
  /** Backends known to fail this case, each with the reason. There the case must fail: a closed gap is noticed. */
  readonly gaps?: Partial<Record<Backend, string>>;
}

/** The context of a case. */
export interface PortWorld {
  readonly port: DynamoPort;
  /** Tables that all cases share: use separate keys from {@link PortWorld.unique}. */
  readonly tables: SharedTables;
  readonly backend: Backend;
  /** Returns a string that no other call returns, for keys and table names ([a-z0-9-], at most 60 characters). */
  unique(): string;
  /** Polls until `done` returns true. Control-plane changes are not immediate. */
  eventually(what: string, done: () => Promise<boolean>): Promise<void>;
}

/** The `gaps` of a case that DynamoDB Local fails for this reason, to be spread into it; nothing without a reason. */
export function localGap(reason: string | undefined): Pick<PortCase, "gaps"> {
  return reason === undefined ? {} : { gaps: { "dynamodb-local": reason } };
}
