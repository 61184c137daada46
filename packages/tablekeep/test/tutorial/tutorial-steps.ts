/** The steps of a reader of a page, in order: save a file, run commands, compare the output. */
export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "commands"; readonly lines: readonly string[] }
  | { readonly kind: "output"; readonly lines: readonly string[] };

/** The steps of a page: `js` blocks that begin with a file's name, `sh` blocks, and `text` blocks. */
export function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```(js|sh|text)\n(.*?)^```$/gms)].map(([, language, text = ""]): Step => {
    const lines = text.trimEnd().split("\n");
    if (language === "sh") return { kind: "commands", lines };
    if (language === "text") return { kind: "output", lines };
    const name = /^\/\/ (\S+)$/.exec(lines[0] ?? "")?.[1];
    if (name === undefined) throw new Error(`a file of the tutorial has no name: ${lines[0]}`);
    return { kind: "file", name, text };
  });
}
