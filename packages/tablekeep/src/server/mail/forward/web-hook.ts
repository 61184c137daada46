import { createHmac } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import type { MailSummary } from "@tablekeep/mail";
import { addressPatterns } from "../../mail-rules/address-pattern.ts";
import type { MailHook } from "../../mail-rules/hooks-file.ts";
import { summaryJson } from "../api/message-json.ts";
import type { ForwardTarget } from "./forward-messages.ts";

/** Milliseconds for one request to a hook. */
const requestMs = 15_000;

/**
 * Reports messages to a URL, signed as the Standard Webhooks specification says: the id of the message, the time in seconds and the
 * body, separated by dots, under HMAC-SHA256.
 */
export function webHook(hook: MailHook, clock: Clock): ForwardTarget {
  const filters = {
    to: hook.to === undefined ? undefined : addressPatterns(hook.to),
    from: hook.from === undefined ? undefined : addressPatterns(hook.from),
    subject: hook.subject?.toLowerCase(),
  };
  return {
    name: `hook:${hook.name}`,
    wants: ({ envelope, subject }) =>
      (filters.to === undefined || envelope.to.some(filters.to)) &&
      (filters.from === undefined || filters.from(envelope.from)) &&
      (filters.subject === undefined || subject.toLowerCase().includes(filters.subject)),
    forward: (message, signal) => post(hook, message, clock, signal),
  };
}

async function post(hook: MailHook, message: MailSummary, clock: Clock, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ type: "mail.stored", message: summaryJson(message) });
  const seconds = Math.floor(clock.now() / 1000);
  const late = new AbortController();
  const cancel = clock.after(requestMs, () => late.abort(new Error("no answer in time")));
  try {
    const answer = await fetch(hook.url, {
      method: "POST",
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
      headers: {
        "content-type": "application/json",
        "webhook-id": message.id,
        "webhook-timestamp": String(seconds),
        ...(hook.secret !== undefined && {
          "webhook-signature": `v1,${hookSignature(hook.secret, `${message.id}.${seconds}.${body}`)}`,
        }),
      },
      body,
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`the hook answered with status ${answer.status}`);
  } finally {
    cancel();
  }
}

/** The signature of a text in base64. */
function hookSignature(secret: string, text: string): string {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
  return createHmac("sha256", key).update(text).digest("base64");
}
