const space = /[ \t\r\n\f\v]*/y;
const word = /[A-Za-z_$][A-Za-z0-9_$]*/y;

/**
 * Returns whether a PartiQL statement is a SELECT, after any white space and comments.
 *
 * @example
 * isSelect("-- all\n SELECT * FROM t"); // true
 */
export function isSelect(statement: string): boolean {
  word.lastIndex = skipSpace(statement, 0, statement.lastIndexOf("*/"));
  return word.exec(statement)?.[0].toUpperCase() === "SELECT";
}

/**
 * Returns where the next token of a PartiQL statement begins: after white space and comments. A comment that is not closed
 * is not skipped. `lastCommentEnd` is the position of the last `*` + `/`, found once per statement: otherwise a statement
 * of many opened comments would be searched to its end for each.
 *
 * @example
 * skipSpace("  SELECT", 0, -1); // 2
 */
export function skipSpace(statement: string, from: number, lastCommentEnd: number): number {
  let at = from;
  for (;;) {
    space.lastIndex = at;
    space.exec(statement);
    at = space.lastIndex;
    const opening = statement.slice(at, at + 2);
    if (opening === "/*") {
      if (at + 2 > lastCommentEnd) return at;
      at = statement.indexOf("*/", at + 2) + 2;
    } else if (opening === "--") {
      const lineEnd = statement.indexOf("\n", at);
      if (lineEnd === -1) return statement.length;
      at = lineEnd + 1;
    } else {
      return at;
    }
  }
}
