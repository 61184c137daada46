/**
 * The beginning of a value as JSON, in one line. Work ends with it, however large the value is. `open` returns what a value
 * stands for, where it is wrapped in something.
 */
export function shortJson(
  value: unknown,
  maxCharacters: number,
  open: (value: unknown) => unknown = (given) => given,
): string {
  let text = "";
  const add = (more: string): boolean => {
    text += more.length > maxCharacters ? more.slice(0, maxCharacters + 1) : more;
    return text.length <= maxCharacters;
  };
  const addList = (begin: string, parts: Iterable<readonly [string, unknown]>, end: string): boolean => {
    let before = begin;
    for (const [label, part] of parts) {
      if (!add(`${before}${label}`) || !print(open(part))) return false;
      before = ",";
    }
    return add(before === begin ? `${begin}${end}` : end);
  };
  const print = (given: unknown): boolean => {
    if (Array.isArray(given)) return addList("[", labeled(given), "]");
    if (typeof given === "string") return add(JSON.stringify(given.slice(0, maxCharacters + 1)));
    if (typeof given !== "object" || given === null || isRaw(given)) return add(JSON.stringify(given) ?? "");
    return addList("{", members(given), "}");
  };
  print(value);
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}

function* labeled(list: readonly unknown[]): Generator<readonly [string, unknown]> {
  for (const each of list) yield ["", each];
}

function* members(value: object): Generator<readonly [string, unknown]> {
  for (const [name, member] of Object.entries(value)) yield [`${JSON.stringify(name)}:`, member];
}

function isRaw(value: object): boolean {
  return (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) ?? false;
}
