import { readFileSync } from "node:fs";
import { defaultInbox, isInboxName } from "@tablekeep/mail";
import { jsonFileReason } from "../file-reason.ts";
import { ServerError } from "../server-error.ts";

/** What is relayed without being asked: the new messages of one inbox. */
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
  const invalid = (reason: string, cause?: unknown) => {
    const message = `cannot read relay rules from ${path}: ${reason}`;
    return new ServerError("SERVER_RELAY_RULES_INVALID", message, { path, reason }, cause);
  };
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(jsonFileReason(error), error);
  }
  if (!Array.isArray(document)) throw invalid("it must be an array of rules");
  return document.map((rule: unknown, at) =>
    parseRule(rule, (reason) => invalid(`rule ${at + 1} ${reason}`)),
  );
}

function parseRule(given: unknown, wrong: (reason: string) => ServerError): RelayRule {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong("must be an object");
  const rule = given as Readonly<Record<string, unknown>>;
  const other = Object.keys(rule).find((name) => !known.includes(name));
  if (other !== undefined) throw wrong(`has the unknown field ${JSON.stringify(other)}`);
  const text = (name: string) => {
    const value = rule[name];
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw wrong(`must have a non-empty string as ${name}`);
    return value as string | undefined;
  };
  const [relay, inbox, matching] = [text("relay"), text("inbox"), text("matching")];
  if (relay === undefined) throw wrong("must have the name of a relay");
  if (inbox !== undefined && !isInboxName(inbox))
    throw wrong("must have an inbox of lower-case letters, digits or . _ -");
  return {
    relay,
    ...(inbox !== undefined && inbox !== defaultInbox && { inbox }),
    ...(matching !== undefined && { matching }),
  };
}
