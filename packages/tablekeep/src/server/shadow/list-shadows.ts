import type { ListedRow, ListPage, ShadowManager } from "@tablekeep/shadow";

/** Which shadows to list. */
export interface ListShadowsRequest {
  /** Only those of this thing. @default those of all */
  readonly thing?: string | undefined;
  /** What the names of the things begin with. */
  readonly prefix: string;
  readonly limit: number;
  /** Where the page before ended. @default the beginning */
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
}

/** A beginning may match nothing for long: after so many rows the caller is asked whether to go on. */
const maxLookedAt = 10_000;

/** One page of shadows. Things are not in the order of their names, so that a beginning is looked for among all. */
export async function listShadows(manager: ShadowManager, request: ListShadowsRequest): Promise<ListPage> {
  const { thing: id, prefix, limit, signal } = request;
  const rows: ListedRow[] = [];
  let { token } = request;
  let lookedAt = 0;
  do {
    const page = await manager.list({ id, limit: limit - rows.length, token, signal });
    rows.push(...page.rows.filter((row) => row.id.startsWith(prefix)));
    lookedAt += page.rows.length;
    token = page.token;
  } while (token !== undefined && rows.length < limit && prefix !== "" && lookedAt < maxLookedAt);
  return { rows, ...(token !== undefined && { token }) };
}
