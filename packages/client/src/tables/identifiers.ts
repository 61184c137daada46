/** The same names, made different from each other by numbers at their ends. */
export function identifiers(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}${count}`;
    taken.add(unique);
    return unique;
  });
}
