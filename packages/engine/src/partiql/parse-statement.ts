import { cached } from "../expression/template.ts";
import { parseDelete, parseInsert, parseUpdate } from "./parse-change.ts";
import { parseSelect } from "./parse-select.ts";
import type { ParsedStatement, Statement } from "./statement.ts";
import { malformed } from "./statement-fault.ts";
import { StatementReader } from "./statement-reader.ts";

/** Parses a statement. What is wrong in it is told in DynamoDB's words. */
export const parseStatement: (text: string) => ParsedStatement = cached((text) => {
  const reader = new StatementReader(text);
  const statement = parseAny(reader);
  reader.expectEnd();
  return { statement, parameters: reader.parameters };
});

function parseAny(reader: StatementReader): Statement {
  if (reader.skipKeyword("SELECT")) return parseSelect(reader);
  if (reader.skipKeyword("INSERT")) return parseInsert(reader);
  if (reader.skipKeyword("UPDATE")) return parseUpdate(reader);
  if (reader.skipKeyword("DELETE")) return parseDelete(reader);
  if (!reader.skipKeyword("EXISTS")) throw malformed("Expected data manipulation");
  reader.expectSymbol("(");
  reader.expectKeyword("SELECT");
  const select = parseSelect(reader);
  reader.expectSymbol(")");
  return { kind: "exists", table: select.table, select };
}
