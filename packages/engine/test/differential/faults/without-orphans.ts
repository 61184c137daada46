type Members = Readonly<Record<string, unknown>>;

/** What a change left, without the placeholders that expressions used only before it. */
export function withoutOrphans(before: unknown, after: unknown): unknown {
  if (!isMembers(before) || !isMembers(after)) return after;
  const own = Array.isArray(after) ? after : withoutOwnOrphans(before, after);
  if (Array.isArray(after)) {
    const aligned = Array.isArray(before) && before.length === after.length;
    return aligned ? after.map((each, at) => withoutOrphans(before[at], each)) : after;
  }
  return Object.fromEntries(
    Object.entries(own).map(([name, each]) => [name, withoutOrphans(before[name], each)]),
  );
}

function withoutOwnOrphans(before: Members, after: Members): Members {
  const left = used(after);
  const orphans = new Set([...used(before)].filter((name) => !left.has(name)));
  if (orphans.size === 0) return after;
  const entries = Object.entries(after).flatMap(([name, each]) => {
    if (!name.startsWith("ExpressionAttribute") || !isMembers(each)) return [[name, each]];
    const kept = Object.entries(each).filter(([placeholder]) => !orphans.has(placeholder));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
  });
  return Object.fromEntries(entries) as Members;
}

/** The placeholders that the expressions of a request name. */
function used(request: Members): Set<string> {
  const texts = Object.entries(request).filter(([name]) => name.endsWith("Expression"));
  return new Set(texts.flatMap(([, text]) => String(text).match(/[:#]\w+/g) ?? []));
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array);
}
