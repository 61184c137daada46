import type { VNode } from "preact";
import { servedPath } from "../api/call-api.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { placeOf } from "../shell/route.ts";
import { mailPath } from "./mail-message.ts";
import type { MailSearch } from "./search-kinds.ts";
import type { InboxRule } from "./use-inboxes.ts";

export interface NoMessagesProps {
  readonly search: MailSearch;
  /** The rules of the inbox. */
  readonly rules: readonly InboxRule[];
}

/** Shown instead of an empty list. */
export function NoMessages({ search, rules }: NoMessagesProps): VNode {
  const { inbox, kind, query } = search;
  if (query !== "") {
    return (
      <EmptyState title="No results">
        <p>
          No message {inbox !== "" && `in ${inbox} `}
          {kind === "query" ? "matches" : "contains"} “{query}”. Search another field with the list beside the
          search box, or <a href={placeOf(["mail"], { inbox })}>show all messages</a>.
        </p>
      </EmptyState>
    );
  }
  const inject = location.origin + servedPath(`${mailPath(inbox)}/messages?to=you@example.com`);
  const post = `curl --data-binary "Subject: hello" "${inject}"`;
  if (inbox !== "") return <EmptyInbox inbox={inbox} rules={rules} post={post} />;
  return (
    <EmptyState
      title="No messages yet"
      commands={["npx tablekeep mail put --to you@example.com --subject hello", post]}
    >
      <p>
        Send your application's mail to this server's <a href={servedPath("/about")}>SMTP address</a>, or
        store a message with one of these commands. New messages appear here at once.
      </p>
      <DidNotArrive inbox={inbox} />
    </EmptyState>
  );
}

interface EmptyInboxProps {
  readonly inbox: string;
  readonly rules: readonly InboxRule[];
  /** A command that sends a message. */
  readonly post: string;
}

function EmptyInbox({ inbox, rules, post }: EmptyInboxProps): VNode {
  return (
    <EmptyState title={`No messages in ${inbox} yet`} commands={[`inbox+${inbox}`, post]}>
      <p>
        To send to this inbox, sign in at this server's <a href={servedPath("/about")}>SMTP address</a> as the
        user below, with any password. If the server has SMTP users, replace <code>inbox</code> with your user
        name, and use its password. Or store a message with the command. New messages appear here at once.
      </p>
      {rules.length > 0 && (
        <>
          <p>Mail that matches one of these rules is also delivered here:</p>
          <ul class="inbox-rules">
            {rules.map((rule, at) => (
              <li key={`${at}`}>
                <code>{ruleText(rule)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <DidNotArrive inbox={inbox} />
    </EmptyState>
  );
}

function DidNotArrive({ inbox }: { readonly inbox: string }): VNode {
  return (
    <p>
      A message did not arrive? <a href={placeOf(["mail", "sessions"], { inbox })}>See the SMTP sessions</a>.
    </p>
  );
}

/** All conditions of a rule, which must hold together. */
function ruleText(rule: InboxRule): string {
  return Object.entries(rule)
    .map(([condition, value]) => (condition === "header" ? String(value) : `${condition}: ${value}`))
    .join(" and ");
}
