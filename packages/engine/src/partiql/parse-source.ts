import { invalid } from "../item/refuse.ts";
import { parseName } from "./parse-path.ts";
import type { StatementReader } from "./statement-reader.ts";

/** Reads the table of a statement, and the index if it names one: `"table"."index"`. */
export function parseSource(reader: StatementReader): { table: string; index: string | undefined } {
  const { kind } = reader.next;
  if (kind === "text" || kind === "parameter" || reader.isSymbol("("))
    throw invalid("Unexpected from source");
  const table = parseName(reader);
  const index = reader.skipSymbol(".") ? parseName(reader) : undefined;
  if (reader.isSymbol(".")) throw invalid("A path may contain at most 2 components in the FROM clause");
  if (reader.isKeyword("AS") || reader.next.kind === "word" || reader.next.kind === "quoted") {
    throw invalid("Aliasing is not supported");
  }
  return { table, index };
}
