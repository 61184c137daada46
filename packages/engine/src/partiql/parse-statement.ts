import { cached } from "../expression/template.ts";
import { parseDelete, parseInsert, parseUpdate } from "./parse-change.ts";
import { parseSelect } from "./parse-select.ts";
import type { ParsedStatement, Statement } from "./statement.ts";
import { malformed } from "./statement-fault.ts";
import { StatementReader } from "./statement-reader.ts";

/** Longer statements are parsed each time: they are rare, and what is made of them is large. */
const maxCachedLength = 1000;

/** Parses a statement. What is wrong in it is told in DynamoDB's words. */
export function parseStatement(text: string): ParsedStatement {
  return text.length > maxCachedLength ? parse(text) : parseCached(text);
}

const parseCached: typeof parse = cached(parse);

function parse(text: string): ParsedStatement {
  const reader = new StatementReader(text);
  const statement = parseAny(reader);
  reader.expectEnd();
  return { statement, parameters: reader.parameters };
}

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
