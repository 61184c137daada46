import type { DynamoError } from "@tablekeep/core";
import { invalid } from "../item/refuse.ts";

/** DynamoDB's refusal of a statement that it cannot read. */
export function malformed(detail: string): DynamoError<"ValidationException"> {
  return invalid(`Statement wasn't well formed, can't be processed: ${detail}`);
}

/** Where something stands in a statement. */
export interface Position {
  /** From 1, as are columns. */
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** A position in DynamoDB's own notation. */
export function shownPosition({ line, column, length }: Position): string {
  return `at ${line}:${column}:${length}`;
}
