/** A step into an attribute: the name of a member, or the index of an element. */
export type PathStep = string | number;

/**
 * The steps of a typed path: `address.city`, `lines.0`. A name in double quotes may contain dots and digits only, with the escapes of JSON: `"user.name".first`.
 * Quotes that do not enclose a whole name are part of it.
 */
export function stepsOfPath(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  let rest = path;
  for (;;) {
    const [quoted] = /^"(?:[^"\\]|\\.)*"(?=\.|$)/.exec(rest) ?? [];
    const name = quoted === undefined ? undefined : stringOf(quoted);
    const [typed] = name === undefined ? rest.split(".", 1) : [quoted];
    const step = typed ?? "";
    steps.push(name ?? (steps.length > 0 && /^\d+$/.test(step) ? Number(step) : step));
    if (rest.length === step.length) return steps;
    rest = rest.slice(step.length + 1);
  }
}

/** How the name of an attribute is typed as a path. */
export function pathOfName(name: string): string {
  return name.includes(".") || name.startsWith('"') ? JSON.stringify(name) : name;
}

function stringOf(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
