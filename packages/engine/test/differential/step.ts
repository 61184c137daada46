import type { OperationName } from "@tablekeep/core";
import type { ReadPath, TestTable } from "./tables.ts";

/** One thing done to both backends. */
export interface Step {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  /** Something in the request was broken on purpose. */
  readonly malformed?: boolean;
  /** Of a query or scan: read all pages, each with the key that the one before gave. */
  readonly allPages?: { readonly table: TestTable; readonly path: ReadPath };
}
