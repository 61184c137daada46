import { parsePath } from "../parse-path.ts";
import { replies } from "../replies.ts";
import { reply, type SmtpSession } from "../smtp-session.ts";
import type { SmtpSteps } from "../smtp-step.ts";

export function* mail(session: SmtpSession, text: string): SmtpSteps {
  const { options, helo, draft, user } = session;
  const { limits, signIn, chaos } = options;
  if (helo === undefined || draft !== undefined) return yield* reply(session, replies.unrecognised);
  if (signIn.required && user === undefined) return yield* reply(session, replies.authNeeded);
  const path = parsePath("FROM", text, limits.addressBytes);
  if (path === undefined) return yield* reply(session, replies.invalidMail);
  const size = path.parameters.get("SIZE") ?? "0";
  if (!/^\d{1,20}$/.test(size)) return yield* reply(session, replies.invalidMail);
  if (Number(size) > limits.messageBytes) return yield* reply(session, replies.tooLarge);
  if (chaos?.refusesSender()) return yield* reply(session, replies.invalidSender(path.address));
  session.draft = { from: path.address, to: [], refusedRecipients: 0 };
  yield* reply(session, replies.sender(path.address));
}

export function* rcpt(session: SmtpSession, text: string): SmtpSteps {
  const { draft, options } = session;
  if (draft === undefined) return yield* reply(session, replies.unrecognised);
  const path = parsePath("TO", text, options.limits.addressBytes);
  const refusal =
    path === undefined || path.address === ""
      ? replies.invalidRcpt
      : draft.to.length >= options.limits.recipients
        ? replies.tooManyRecipients
        : options.chaos?.refusesRecipient()
          ? replies.invalidRecipient(path.address)
          : undefined;
  if (refusal !== undefined) {
    draft.refusedRecipients++;
    return yield* reply(session, refusal);
  }
  if (path === undefined) return;
  draft.to.push(path.address);
  yield* reply(session, replies.recipient(path.address));
}
