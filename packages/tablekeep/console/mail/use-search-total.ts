import { useEffect, useState } from "preact/hooks";
import { callApi } from "../api/call-api.ts";
import { mailPath } from "./mail-message.ts";
import { type MailSearch, requestQuery } from "./search-kinds.ts";

/**
 * The number of all matches of a search, which may take much longer than its first page: undefined while unknown. It is counted while
 * `isWanted`; another search ends the count on the server as well.
 */
export function useSearchTotal(search: MailSearch, isWanted: boolean): number | undefined {
  const { inbox, kind, query } = search;
  const [total, setTotal] = useState<number>();
  useEffect(() => {
    setTotal(undefined);
    if (!isWanted) return;
    const life = new AbortController();
    const path = `${mailPath(inbox)}/count?${new URLSearchParams(requestQuery({ inbox, kind, query }))}`;
    callApi<{ count: number }>(path, { signal: life.signal }).then(
      ({ count }) => setTotal(count),
      () => {
        // The list shows how many it has read.
      },
    );
    return () => life.abort();
  }, [inbox, kind, query, isWanted]);
  return total;
}
