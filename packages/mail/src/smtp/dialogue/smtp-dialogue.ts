import { isUtf8 } from "node:buffer";
import { auth } from "./auth.ts";
import { data } from "./data.ts";
import { extendedHello, hello, mail, outOfOrder, rcpt } from "./envelope-commands.ts";
import { type InputBuffer, inputBuffer, readLine } from "./input-lines.ts";
import { replies } from "./replies.ts";
import { closeWith, newSession, reply, type SmtpSession, type SmtpSessionOptions } from "./smtp-state.ts";
import type { SmtpAnswer, SmtpStep, SmtpSteps } from "./smtp-step.ts";

/** One SMTP session without its socket: bytes in, steps out. */
export interface SmtpDialogue {
  /** Adds bytes from the client. They are not copied: the caller must not change them. */
  feed(bytes: Uint8Array): void;
  /** Returns the next step. Pass the answer to the previous one. Returns `more` until bytes are fed, and `close` at the end. */
  next(answer?: SmtpAnswer): SmtpStep;
}

/**
 * Starts MailHog's dialogue, extended by SIZE, 8BITMIME, SMTPUTF8, STARTTLS, limits, and dot-stuffing by the RFC. Pipelined
 * commands are answered in order.
 *
 * @example
 * const dialogue = smtpDialogue({ hostname, software: "MailHog", limits: defaultSmtpLimits, signIn, startTls: false, secure: false });
 * dialogue.feed(Buffer.from("HELO client\r\n"));
 * for (let step = dialogue.next(); step.kind !== "more"; step = dialogue.next())
 *   if (step.kind === "reply") socket.write(formatReply(step.reply));
 */
export function smtpDialogue(options: SmtpSessionOptions): SmtpDialogue {
  const input = inputBuffer();
  const steps = session(newSession(options, input));
  return {
    feed: (bytes) => input.feed(bytes),
    next(answer) {
      const { done, value } = steps.next(answer);
      return done ? { kind: "close" } : value;
    },
  };
}

function* session(state: SmtpSession): SmtpSteps {
  const { hostname, software, limits } = state.options;
  yield { kind: "reply", reply: replies.greeting(hostname, software) };
  while (!state.closed) {
    const line = yield* readLine(state.input, limits.commandLineBytes);
    if (++state.commands > limits.commands) yield* closeWith(state, replies.tooManyCommands);
    else if (line.kind === "line") yield* command(state, textOf(state, line.bytes));
    else yield* unreadable(state, line.kind);
  }
}

/** Bytes that are not UTF-8 are read as Latin-1, as old senders write addresses. */
function textOf({ options }: SmtpSession, bytes: Buffer): string {
  return bytes.toString(options.strict || isUtf8(bytes) ? "utf8" : "latin1");
}

function* unreadable(state: SmtpSession, kind: "too-long" | "bare-lf"): SmtpSteps {
  const isTooLong = kind === "too-long";
  yield {
    kind: "received",
    line: isTooLong ? "(a line that is too long)" : "(a line that ends with LF alone)",
  };
  yield* reply(state, isTooLong ? replies.lineTooLong : replies.lineEnd);
}

/** `text` follows the verb. As in MailHog, only the space between the two is trimmed. */
type Handler = (state: SmtpSession, text: string, input: InputBuffer) => SmtpSteps;

const handlers: Readonly<Record<string, Handler>> = {
  HELO: hello,
  EHLO: extendedHello,
  AUTH: auth,
  MAIL: mail,
  RCPT: rcpt,
  DATA: data,
  STARTTLS: startTls,
  *RSET(state) {
    state.draft = undefined;
    // As in MailHog, MAIL may follow without a greeting.
    if (!state.options.strict) state.helo ??= "";
    yield* reply(state, replies.ok);
  },
  *NOOP(state) {
    yield* reply(state, replies.ok);
  },
  *QUIT(state) {
    yield* closeWith(state, replies.bye);
  },
};

/** Commands that MailHog does not recognize. */
const strictHandlers: Readonly<Record<string, Handler>> = {
  *VRFY(state, text) {
    yield* reply(state, text === "" ? replies.syntaxError : replies.cannotVerify);
  },
  *EXPN(state) {
    yield* reply(state, replies.notImplemented);
  },
  *HELP(state) {
    yield* reply(state, replies.help);
  },
};

/** Commands that have no parameter. */
const bareCommands: ReadonlySet<string> = new Set(["DATA", "RSET", "QUIT", "STARTTLS"]);

function handlerOf({ options }: SmtpSession, verb: string): Handler | undefined {
  if (Object.hasOwn(handlers, verb)) return handlers[verb];
  return options.strict && Object.hasOwn(strictHandlers, verb) ? strictHandlers[verb] : undefined;
}

function* command(state: SmtpSession, line: string): SmtpSteps {
  // A single expression that also trims would backtrack over every blank of a long line.
  const trimmed = state.options.strict ? line.trimEnd() : line.trim();
  const [, word = "", text = ""] = /^(\S*)\s*(.*)$/s.exec(trimmed) ?? [];
  const verb = word.toUpperCase();
  const handle = handlerOf(state, verb);
  const isCommand = handle !== undefined;
  // A misspelled AUTH is not a command, but still contains a password.
  const isAuth = verb.startsWith("AUTH");
  if (isAuth) yield { kind: "received", line: authWithoutSecrets(line) };
  else if (isCommand || state.confidential === undefined) yield { kind: "received", line };
  else yield { kind: "received", line: redactedLines[state.confidential] };
  if (isAuth) state.confidential = "AUTH";
  else if (isCommand) state.confidential = verb === "DATA" ? "DATA" : undefined;
  if (!isCommand) yield* reply(state, replies.unrecognized);
  else if (state.options.strict && text !== "" && bareCommands.has(verb))
    yield* reply(state, replies.syntaxError);
  else yield* handle(state, text, state.input);
}

/** A client that ignores a negative reply continues with its password or its message, in any number of lines. */
const redactedLines = {
  AUTH: "(secret)",
  DATA: "(not a command: probably a line of the rejected message)",
} as const;

const mechanism =
  /^AUTH\s+(PLAIN|LOGIN|CRAM-MD5|EXTERNAL|NTLM|GSSAPI|XOAUTH2|OAUTHBEARER|SCRAM-[\w-]+)(\s|$)/i;

function authWithoutSecrets(line: string): string {
  const [, name] = mechanism.exec(line.trim()) ?? [];
  return name === undefined ? "AUTH (secret)" : `AUTH ${name} (secret)`;
}

/** RFC 3207: everything received before TLS is discarded, pipelined commands included. */
function* startTls(state: SmtpSession, _text: string, input: InputBuffer): SmtpSteps {
  if (!state.options.startTls || state.secure) return yield* outOfOrder(state);
  yield { kind: "reply", reply: replies.startTls };
  input.clear();
  state.helo = undefined;
  state.extended = false;
  state.user = undefined;
  state.draft = undefined;
  yield { kind: "upgrade" };
  state.secure = true;
}
