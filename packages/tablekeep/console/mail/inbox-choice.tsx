import type { VNode } from "preact";
import { parseHash, placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { type MailSearch, placeQuery, searchOf } from "./search-kinds.ts";
import type { InboxEntry, Inboxes } from "./use-inboxes.ts";

export interface InboxChoiceProps {
  readonly search: MailSearch;
  readonly inboxes: Inboxes;
}

/** Switches between inboxes. The search stays. */
export function InboxChoice({ search, inboxes }: InboxChoiceProps): VNode | null {
  const { list, refresh } = inboxes;
  if (list === undefined && search.inbox === "") return null;
  const choose = (inbox: string) =>
    goTo(placeOf(["mail"], placeQuery({ ...searchOf(parseHash(location.hash)), inbox })));
  return (
    <select
      class="inbox-choice"
      aria-label="Inbox"
      value={search.inbox}
      onFocus={refresh}
      onPointerEnter={refresh}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">{labelOf("Default inbox", list?.messages)}</option>
      {withChosen(list?.named ?? [], search.inbox).map(({ name, messages, locked = false }) => (
        <option key={name} value={name} disabled={locked && name !== search.inbox}>
          {locked ? `${name} (needs its token)` : labelOf(name, messages)}
        </option>
      ))}
    </select>
  );
}

/** An inbox without messages may not be in the list yet. */
function withChosen(named: readonly InboxEntry[], chosen: string): readonly InboxEntry[] {
  if (chosen === "" || named.some(({ name }) => name === chosen)) return named;
  return [...named, { name: chosen, rules: [] }];
}

function labelOf(name: string, messages: number | undefined): string {
  return messages === undefined ? name : `${name} (${messages.toLocaleString()})`;
}
