import { isReservedWord } from "./reserved-words.ts";
import type { Path, PathPart } from "./syntax-tree.ts";
import type { Template } from "./template.ts";
import { ExpressionFault, type TokenReader } from "./token-reader.ts";

/** AWS: Limits — the depth of a document path. */
const maxPathDepth = 32;

/** Reads a document path: `a.b[1].#c`. */
export function parsePath(reader: TokenReader): Template<Path> {
  const parts: Template<PathPart>[] = [parseName(reader)];
  for (;;) {
    if (reader.skipSymbol(".")) {
      parts.push(parseName(reader));
    } else if (reader.skipSymbol("[")) {
      parts.push(parseIndex(reader));
      reader.expectSymbol("]");
    } else {
      break;
    }
  }
  if (parts.length > maxPathDepth) {
    throw new ExpressionFault(
      `The document path has too many nesting levels; nesting levels: ${parts.length}`,
    );
  }
  return (binding) => parts.map((part) => part(binding)) as unknown as Path;
}

/** Whether a path can begin here. */
export function startsPath(reader: TokenReader): boolean {
  return reader.isWord() || reader.next.kind === "name";
}

function parseName(reader: TokenReader): Template<string> {
  const { kind, text } = reader.next;
  if (kind === "name") {
    reader.take();
    return (binding) => binding.name(text);
  }
  if (!reader.isWord()) throw reader.syntaxError();
  const { start } = reader.take();
  if (isReservedWord(text)) {
    reader.note(start, `Attribute name is a reserved keyword; reserved keyword: ${text}`);
  }
  return () => text;
}

function parseIndex(reader: TokenReader): Template<number> {
  if (reader.next.kind !== "index") throw reader.syntaxError();
  const { text } = reader.take();
  const index = Number(text);
  if (index > 2 ** 31 - 1) {
    throw new ExpressionFault(`List index is not within the allowable range; index: [${text}]`);
  }
  return () => index;
}
