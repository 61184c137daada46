import type { Envelope } from "../../model/message.ts";
import { outOfOrder } from "./envelope-commands.ts";
import { dataReader } from "./read-data.ts";
import { replies, type SmtpReply } from "./replies.ts";
import { closeWith, reply, resetCounts, type SmtpSession } from "./smtp-state.ts";
import type { SmtpSteps } from "./smtp-step.ts";
import { type StrictContent, strictContent } from "./strict-content.ts";

/** DATA and the message after it. */
export function* data(session: SmtpSession): SmtpSteps {
  const { draft } = session;
  if (draft === undefined) return yield* outOfOrder(session);
  // Clients that pipeline send DATA before they read that no recipient was accepted. MailHog accepts a message without any RCPT.
  if (draft.to.length === 0 && draft.rejectedRecipients > 0) {
    return yield* reply(session, replies.noRecipients);
  }
  if (session.options.strict && draft.to.length === 0) return yield* outOfOrder(session);
  const { from, to } = draft;
  const { helo = "", user } = session;
  const envelope: Envelope = { from, to, helo, user };
  session.draft = undefined;
  const begun = yield { kind: "begin", envelope };
  if (begun?.kind === "failed") return yield* reply(session, begun.reply);
  session.confidential = undefined;
  yield { kind: "reply", reply: replies.startData };
  const failure = yield* content(session, session.options.strict ? strictContent(draft.eightBit) : undefined);
  if (session.closed) return;
  if (failure !== undefined) return yield* reply(session, failure);
  const answer = yield { kind: "commit" };
  if (answer?.kind === "failed") return yield* reply(session, answer.reply);
  if (answer?.kind !== "stored") throw new TypeError("expected stored or failed as the answer to commit");
  resetCounts(session);
  yield* reply(session, replies.queued(answer.id));
}

/** Reads to the end of the message. Returns the reply if it cannot be stored. */
function* content(session: SmtpSession, strict?: StrictContent): SmtpSteps<SmtpReply | undefined> {
  const { input } = session;
  const { messageBytes, dataLineBytes } = session.options.limits;
  const reader = dataReader();
  let failure: SmtpReply | undefined;
  let size = 0;
  let ended = false;
  while (!ended) {
    const part = reader.read(input);
    ended = part.ended;
    size += part.content.length;
    if (failure === undefined && part.content.length > 0) {
      const tooMuch =
        size > messageBytes
          ? replies.tooLarge
          : reader.longestLine > dataLineBytes
            ? replies.dataLineTooLong
            : strict?.check(part.content);
      if (tooMuch === undefined) failure = yield* pass(part.content);
      else yield { kind: "discard" };
      failure ??= tooMuch;
    }
    // Many clients read no reply before the end of the message, so that input is read up to it, within a limit.
    if (size > 2 * messageBytes && failure !== undefined) {
      yield* closeWith(session, failure);
      return failure;
    }
    if (!ended) yield { kind: "more" };
  }
  yield { kind: "note", text: `${size} bytes of message` };
  if (reader.dotsAfterBareLf > 0) yield { kind: "note", text: bareLfNote(reader.dotsAfterBareLf) };
  return failure;
}

function* pass(bytes: Uint8Array): SmtpSteps<SmtpReply | undefined> {
  const answer = yield { kind: "content", bytes };
  return answer?.kind === "failed" ? answer.reply : undefined;
}

function bareLfNote(count: number): string {
  return `${count} lines of the message begin with a dot after a bare LF: they are content and do not end it`;
}
