import { readFileSync } from "node:fs";
import { ServerError } from "../server-error.ts";

/** A web hook: a URL that every new message is reported to. */
export interface MailHook {
  /** Its name in logs, and of its position in the store. */
  readonly name: string;
  readonly url: string;
  /** The key of the signatures: `whsec_` and base64, or any other string. @default none: not signed */
  readonly secret?: string;
  /** Only messages to a recipient that matches: patterns with `*`, separated by commas. @default all */
  readonly to?: string;
  /** Only messages from a sender that matches. @default all */
  readonly from?: string;
  /** Only messages whose subject contains this, ignoring case. @default all */
  readonly subject?: string;
}

const known = ["name", "url", "secret", "to", "from", "subject"];

/** Reads web hooks from a file: an array of {@link MailHook}. Errors never contain secrets. */
export function readHooksFile(path: string): readonly MailHook[] {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(path, (error as NodeJS.ErrnoException).code ?? "it is not JSON", error);
  }
  if (!Array.isArray(document)) throw invalid(path, "it must be an array of hooks");
  const hooks = document.map((hook: unknown, at) =>
    parseHook(hook, (reason) => invalid(path, `hook ${at + 1} ${reason}`)),
  );
  if (new Set(hooks.map(({ name }) => name)).size < hooks.length)
    throw invalid(path, "two hooks have the same name");
  return hooks;
}

function parseHook(given: unknown, wrong: (reason: string) => ServerError): MailHook {
  if (typeof given !== "object" || given === null) throw wrong("must be an object");
  const hook = given as Readonly<Record<string, unknown>>;
  const other = Object.keys(hook).find((name) => !known.includes(name));
  if (other !== undefined) throw wrong(`has the unknown field ${JSON.stringify(other)}`);
  const text = (name: string): string | undefined => {
    const value = hook[name];
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    throw wrong(`has a field ${name} that is not a non-empty string`);
  };
  const [name, url] = [text("name"), text("url")];
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name))
    throw wrong("must have a name of 1 to 64 letters, digits or _ . -");
  if (url === undefined || !/^https?:\/\/[^\s]+$/.test(url) || !URL.canParse(url))
    throw wrong("must have a url that begins with http:// or https://");
  return { name, url, secret: text("secret"), to: text("to"), from: text("from"), subject: text("subject") };
}

function invalid(path: string, reason: string, cause?: unknown): ServerError {
  const message = `cannot read web hooks from ${path}: ${reason}`;
  return new ServerError("SERVER_HOOKS_FILE_INVALID", message, { path, reason }, cause);
}
