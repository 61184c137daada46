import { defaultInbox, isInboxName } from "@tablekeep/mail";
import { readFileEntries } from "../json-file.ts";
import { ServerError } from "../server-error.ts";

/** New messages of one inbox that are relayed automatically. */
export interface RelayRule {
  /** The name of a relay. */
  readonly relay: string;
  /** The named inbox whose messages are relayed. @default the default inbox */
  readonly inbox?: string;
  /** Only to recipients that match: patterns with `*`, separated by commas. @default all */
  readonly matching?: string;
}

const known = ["relay", "inbox", "matching"];

/** Reads rules from a file: an array of {@link RelayRule}. */
export function readRelayRulesFile(path: string): readonly RelayRule[] {
  const invalid = (reason: string, pointer?: string, cause?: unknown) => {
    const message = `cannot read relay rules from ${path}: ${reason}`;
    return new ServerError("SERVER_RELAY_RULES_INVALID", message, { path, reason, pointer }, cause);
  };
  return readFileEntries(path, { noun: "rule", known, invalid }).map(({ text, wrong }) => {
    const [relay, inbox, matching] = [text("relay"), text("inbox"), text("matching")];
    if (relay === undefined) throw wrong("must have the name of a relay", "relay");
    if (inbox !== undefined && !isInboxName(inbox))
      throw wrong("must have an inbox of lower-case letters, digits or . _ -", "inbox");
    return {
      relay,
      ...(inbox !== undefined && inbox !== defaultInbox && { inbox }),
      ...(matching !== undefined && { matching }),
    };
  });
}
