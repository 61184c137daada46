import type { WireItem, WireValue } from "../../src/values/wire-value.ts";

/** What stands at a path, by walking the JSON with entries only. */
export function naiveAt(item: WireItem, path: readonly (string | number)[]): WireValue | undefined {
  let current: WireValue | undefined = { M: item };
  for (const part of path) {
    const tagged: Record<string, unknown> = current as never;
    if (typeof part === "string") {
      const map = tagged["M"] as object | undefined;
      current = map && (new Map(Object.entries(map)).get(part) as WireValue | undefined);
    } else {
      current = (tagged["L"] as WireValue[] | undefined)?.[part];
    }
    if (current === undefined) return undefined;
  }
  return current;
}
