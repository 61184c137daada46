/** The words of a line for a shell, without quotes and without what follows a `#` or a `>`. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, single, double, bare, end] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"#<>]+)|([#<>])/g)) {
    if (end !== undefined) break;
    words.push(single ?? double ?? bare ?? "");
  }
  return words;
}

/** The lines in a page's blocks for a shell; one that goes on behind a backslash is one. */
export function shellLinesOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, code = ""]) =>
    code.replaceAll("\\\n", " ").split("\n"),
  );
}
