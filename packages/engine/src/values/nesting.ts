/** The deepest value that AWS's newer layer of checks reads. Source: the Parity Suite of 2026-10-09, `deepRequests`: "about 62". */
const maxDepthOfNewerLayer = 62;

/**
 * Returns whether a value of a request, of any shape, is nested so deeply that AWS applies its older layer of checks, which has
 * other messages. Reads the whole request: only for requests that are rejected anyway.
 */
export function isOnlyForOlderLayer(request: unknown): boolean {
  return isNestedDeeperThan(maxDepthOfNewerLayer, request);
}

/** Returns whether a value in this item, map or request is inside more than the given number of maps and lists. */
export function isNestedDeeperThan(levels: number, container: unknown): boolean {
  // Not recursive: the depth is not limited yet. A caller in this process can pass a cycle.
  const pending: { node: unknown; depth: number }[] = [{ node: container, depth: 0 }];
  const seen = new Set<unknown>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (typeof node !== "object" || node === null || ArrayBuffer.isView(node) || seen.has(node)) continue;
    if (depth > levels) return true;
    seen.add(node);
    for (const [name, child] of Object.entries(node)) {
      const isNesting = typeof child === "object" && (name === "M" || name === "L");
      pending.push({ node: child, depth: isNesting ? depth + 1 : depth });
    }
  }
  return false;
}
