import { pacer } from "../../model/background-work.ts";
import { type ImapSearch, SearchedContent } from "../message/search-keys.ts";
import type { ImapMail } from "./imap-mailbox.ts";
import type { NumberedEntry, SelectedView } from "./selected-view.ts";

/** The messages of a view that a search finds. Reads only messages that the store's own search does not exclude. */
export async function* searchMailbox(
  search: ImapSearch,
  view: SelectedView,
  signal: AbortSignal,
): AsyncGenerator<NumberedEntry, void, undefined> {
  const { mail } = view.mailbox;
  const possible = await candidates(search, mail, signal);
  const pace = pacer();
  for (const numbered of [...view.all()]) {
    const known = search.matches({ ...numbered, content: undefined });
    if (known === false) continue;
    if (known === undefined) {
      if (possible !== undefined && !possible.has(numbered.entry.id)) continue;
      const message = await mail.load(numbered.entry.id, { signal });
      if (message === undefined) continue;
      if (search.matches({ ...numbered, content: new SearchedContent(message.raw) }) !== true) continue;
      const turn = pace(message.size);
      if (turn !== undefined) await turn;
    }
    yield numbered;
  }
}

/** The ids of messages that contain a string which every match contains; undefined if there is no such string. */
async function candidates(
  { required }: ImapSearch,
  mail: ImapMail,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const query = required.toSorted((one, other) => other.length - one.length)[0];
  // The store matches the unfolded text, in which a line break may occur.
  if (query === undefined || /[\r\n]/.test(query)) return undefined;
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await mail.search({ kind: "text", query }, { limit: 250, cursor, signal });
    for (const { id } of page.items) ids.add(id);
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}
