import type { VNode } from "preact";
import { servedPath } from "../api/served-path.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { placeOf } from "../shell/route.ts";
import type { MailSearch } from "./mail-search.ts";

/** Shown instead of an empty list. */
export function NoMessages({ search }: { readonly search: MailSearch }): VNode {
  if (search.query !== "") {
    return (
      <EmptyState title="No results">
        <p>
          No message {search.kind === "query" ? "matches" : "holds"} “{search.query}”. Search another field
          with the list beside the search box, or <a href={placeOf(["mail"])}>show all messages</a>.
        </p>
      </EmptyState>
    );
  }
  const inject = location.origin + servedPath("/api/v3/mail/messages?to=you@example.com");
  return (
    <EmptyState
      title="No messages yet"
      commands={[
        "npx tablekeep mail put --to you@example.com --subject hello",
        `curl --data-binary "Subject: hello" "${inject}"`,
      ]}
    >
      <p>
        Point your program at this server's SMTP (<a href={servedPath("/about")}>its address</a>), or put a
        first message in. It appears here by itself.
      </p>
      <p>
        A message did not arrive? <a href={placeOf(["mail", "sessions"])}>See the SMTP sessions</a>.
      </p>
    </EmptyState>
  );
}
