import { type FileEntry, type Members, readFileEntries } from "../json-file.ts";
import { wildcard } from "../patterns/wildcard.ts";
import { ServerError } from "../server-error.ts";

/** The handling of mail for some recipients. */
export type RecipientOutcome =
  /** The message is stored, and a delivery status notification to its sender as well. */
  | { readonly kind: "bounce"; readonly status: string; readonly text: string }
  /** The message is stored, and a complaint of the recipient as well. */
  | { readonly kind: "complaint" }
  /** The recipient is rejected in the SMTP dialogue. */
  | { readonly kind: "reject"; readonly code: number; readonly text: string };

/** A rule for the recipients that match a pattern. */
export interface RecipientRule {
  /** `*` stands for any characters. */
  readonly to: string;
  readonly outcome: RecipientOutcome;
}

/** Finds the handling of mail for an address; undefined for most. */
export type RecipientRules = (address: string) => RecipientOutcome | undefined;

const noMailbox = "smtp; 550 5.1.1 user unknown";
const bounced: RecipientOutcome = { kind: "bounce", status: "5.1.1", text: noMailbox };

/** The addresses of Amazon SES's mailbox simulator, also with a label: `bounce+test@…`. */
const simulatorRules: readonly RecipientRule[] = [
  { to: "bounce@simulator.amazonses.com", outcome: bounced },
  { to: "bounce+*@simulator.amazonses.com", outcome: bounced },
  { to: "suppressionlist@simulator.amazonses.com", outcome: bounced },
  { to: "suppressionlist+*@simulator.amazonses.com", outcome: bounced },
  { to: "complaint@simulator.amazonses.com", outcome: { kind: "complaint" } },
  { to: "complaint+*@simulator.amazonses.com", outcome: { kind: "complaint" } },
];

/** Compiles rules. The first that matches decides; those of the mailbox simulator come last. */
export function recipientRules(rules: readonly RecipientRule[]): RecipientRules {
  const compiled = [...rules, ...simulatorRules].map(({ to, outcome }) => ({
    matches: wildcard(to, { ignoreCase: true }),
    outcome,
  }));
  return (address) => compiled.find(({ matches }) => matches(address))?.outcome;
}

const known = ["to", "action", "code", "status", "text"];

/** Reads rules from a file: an array of `{ "to": pattern, "action": "bounce" | "complaint" | "reject" }`. */
export function readRulesFile(path: string): readonly RecipientRule[] {
  const invalid = (reason: string, pointer?: string, cause?: unknown) => {
    const message = `cannot read rules from ${path}: ${reason}`;
    return new ServerError("SERVER_RULES_FILE_INVALID", message, { path, reason, pointer }, cause);
  };
  return readFileEntries(path, { noun: "rule", known, invalid }).map(({ members, wrong }) => {
    const { to } = members;
    if (typeof to !== "string" || to === "") throw wrong("must have a pattern as to", "to");
    return { to, outcome: outcomeOf(members, wrong) };
  });
}

function outcomeOf(rule: Members, wrong: FileEntry["wrong"]): RecipientOutcome {
  const text = rule["text"];
  if (text !== undefined && (typeof text !== "string" || !/^[\x20-\x7e]{1,400}$/.test(text)))
    throw wrong("must have one line of at most 400 ASCII characters as text", "text");
  switch (rule["action"]) {
    case "bounce": {
      const status = rule["status"] ?? "5.1.1";
      if (typeof status !== "string" || !/^[45]\.\d{1,3}\.\d{1,3}$/.test(status))
        throw wrong(`must have a status such as 5.1.1 or 4.2.2, got ${JSON.stringify(status)}`, "status");
      return { kind: "bounce", status, text: text === undefined ? noMailbox : `smtp; ${text}` };
    }
    case "complaint":
      return { kind: "complaint" };
    case "reject": {
      const code = rule["code"] ?? 550;
      if (!Number.isInteger(code) || Number(code) < 400 || Number(code) > 599)
        throw wrong(`must have a code from 400 to 599, got ${JSON.stringify(code)}`, "code");
      return { kind: "reject", code: Number(code), text: text ?? "5.1.1 user unknown" };
    }
    default:
      throw wrong("must have an action: bounce, complaint or reject", "action");
  }
}
