import { outOfOrder } from "./envelope-commands.ts";
import { readLine } from "./input-lines.ts";
import { replies, type SmtpReply, smtpReply } from "./replies.ts";
import { closeWith, reply, type SmtpSession } from "./smtp-state.ts";
import type { SignIn, SmtpSteps } from "./smtp-step.ts";

/** Handles AUTH. Clients may repeat it before MAIL. */
export function* auth(session: SmtpSession, text: string): SmtpSteps {
  const { options, helo, draft, secure } = session;
  const isRepeated = options.strict && session.user !== undefined;
  if (helo === undefined || draft !== undefined || isRepeated) return yield* outOfOrder(session);
  if (!secure && !options.signIn.withoutTls) return yield* reply(session, replies.authNeedsTls);
  const [mechanism = "", initial] = text.split(/\s+/, 2);
  const read = readers[mechanism.toUpperCase()];
  if (read === undefined || !isOffered(session, mechanism.toUpperCase())) {
    return yield* reply(session, replies.authUnsupported);
  }
  if (options.chaos?.rejectsSignIn()) return yield* reply(session, replies.unrecognized);
  const shown = yield* read(session, initial || undefined);
  if ("code" in shown) {
    const isMalformed = shown === replies.authMalformed;
    return yield* reply(session, options.strict && isMalformed ? replies.syntaxError : shown);
  }
  const answer = yield { kind: "sign-in", signIn: shown };
  if (answer?.kind === "granted") {
    session.user = shown.user;
    return yield* reply(session, replies.authOk);
  }
  session.failedSignIns++;
  yield* reply(session, replies.authFailed);
  const tooMany = session.failedSignIns >= options.limits.failedSignIns;
  if (tooMany && !session.closed) yield* closeWith(session, replies.tooManyFaults);
}

function isOffered({ options: { signIn } }: SmtpSession, mechanism: string): boolean {
  return (
    signIn.mechanisms.some((each) => each === mechanism) || (mechanism === "EXTERNAL" && !signIn.required)
  );
}

/** Reads the credentials of one mechanism. Returns a reply if they are invalid. */
type Reader = (session: SmtpSession, initial: string | undefined) => SmtpSteps<SignIn | SmtpReply>;

const readers: Readonly<Record<string, Reader>> = {
  *PLAIN(session, initial) {
    const response = initial ?? (yield* prompt(session, replies.authContinue));
    if (typeof response !== "string") return response;
    const [, user, password] = decode(response).split("\0");
    if (user === undefined || password === undefined) return replies.authMalformed;
    return { mechanism: "PLAIN", user, password };
  },

  *LOGIN(session, initial) {
    const user = initial ?? (yield* prompt(session, replies.authUser));
    if (typeof user !== "string") return user;
    const password = yield* prompt(session, replies.authPassword);
    if (typeof password !== "string") return password;
    return { mechanism: "LOGIN", user: decode(user), password: decode(password) };
  },

  *"CRAM-MD5"(session) {
    const challenge = session.options.signIn.challenge();
    const encoded = Buffer.from(challenge).toString("base64");
    const response = yield* prompt(session, smtpReply(334, encoded));
    if (typeof response !== "string") return response;
    const text = decode(response);
    const at = text.lastIndexOf(" ");
    if (at === -1) return replies.authMalformed;
    return { mechanism: "CRAM-MD5", user: text.slice(0, at), challenge, digest: text.slice(at + 1) };
  },

  // biome-ignore lint/correctness/useYield: same type as the others, without a further line to read
  *EXTERNAL(_session, initial = "") {
    return { mechanism: "EXTERNAL", user: decode(initial) };
  },
};

/** Prompts for one more line. Returns a reply if the line is invalid. */
function* prompt(session: SmtpSession, challenge: SmtpReply): SmtpSteps<string | SmtpReply> {
  yield { kind: "reply", reply: challenge };
  const line = yield* readLine(session.input, session.options.limits.commandLineBytes);
  yield { kind: "received", line: "(secret)" };
  if (line.kind === "too-long") return replies.lineTooLong;
  if (line.kind === "bare-lf") return replies.lineEnd;
  const text = line.bytes.toString("latin1").trim();
  return text === "*" ? replies.authCancelled : text;
}

/** Decodes base64. `=` is an empty string (RFC 4954, 4). */
function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
