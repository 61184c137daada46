import type { OperationName } from "@tablekeep/core";
import type { ReadPath, TestTable } from "./tables.ts";

/** One thing done to both backends. */
export interface Step {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  /** Of a request with a planted fault: its place, as members from the outermost, and the request without the fault. */
  readonly planted?: { readonly place: readonly (string | number)[]; readonly base: Step };
  /** Of a query or scan: read all pages, each with the key that the one before gave, of each segment if there are several. */
  readonly allPages?: { readonly table: TestTable; readonly path: ReadPath; readonly segments?: number };
}
