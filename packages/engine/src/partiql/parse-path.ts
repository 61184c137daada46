import type { Path, PathPart } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";
import { shownPosition } from "./statement-fault.ts";
import type { StatementReader } from "./statement-reader.ts";

/** AWS: Limits — the depth of a document path. */
const maxPathDepth = 32;

/** Reads a document path: `a."b c"[1]['d']`. */
export function parsePath(reader: StatementReader): Path {
  const path: [string, ...PathPart[]] = [parseName(reader)];
  for (;;) {
    if (reader.skipSymbol(".")) {
      if (reader.isSymbol("*")) throw invalid("Unpivot path component like a.*.b are not supported");
      path.push(parseName(reader));
    } else if (reader.skipSymbol("[")) {
      path.push(parseStep(reader));
      reader.expectSymbol("]");
    } else {
      break;
    }
  }
  if (path.length > maxPathDepth) {
    throw invalid(`The document path has too many nesting levels; nesting levels: ${path.length}`);
  }
  return path;
}

/** Reads a name, plain or in double quotes. */
export function parseName(reader: StatementReader): string {
  const { kind, text } = reader.next;
  if (kind !== "word" && kind !== "quoted") throw reader.unexpected();
  reader.take();
  return checkNotEmpty(text);
}

function parseStep(reader: StatementReader): PathPart {
  const { kind, text } = reader.next;
  if (kind === "text") {
    reader.take();
    return checkNotEmpty(text);
  }
  if (kind !== "number" || !/^[0-9]+$/.test(text)) {
    throw invalid(`Unexpected path component ${shownPosition(reader.next.position)}`);
  }
  reader.take();
  const index = Number(text);
  if (index > 2 ** 31 - 1) {
    throw invalid(`List index is not within the allowable range; index: [${text}]`);
  }
  return index;
}

function checkNotEmpty(name: string): string {
  if (name === "") throw invalid("Path component cannot be an empty string");
  return name;
}
