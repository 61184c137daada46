import type { HttpExchange } from "./http-exchange.ts";
import { HttpRefusal } from "./http-refusal.ts";

/** A whole number of the query string within bounds; `usual` where it is not given. */
export function queryNumber<Usual extends number | undefined>(
  { query }: Pick<HttpExchange, "query">,
  name: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, usual }: { min?: number; max?: number; usual: Usual },
): number | Usual {
  const text = query.get(name);
  if (text === null || text === "") return usual;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new HttpRefusal(400, `${name} must be a whole number from ${min} to ${max}`);
}
