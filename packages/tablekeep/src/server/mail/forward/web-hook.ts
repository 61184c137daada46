import type { Clock } from "@tablekeep/core";
import { addressPatterns } from "../../patterns/wildcard.ts";
import type { MailHook } from "../../setting-files/mail-hooks-file.ts";
import { hookFailure, postHook } from "../../web-hooks/post-hook.ts";
import { summaryJson } from "../api/message-json.ts";
import { ForwardFailure, type ForwardTarget } from "./forward-messages.ts";

/** Reports messages to a URL: see {@link postHook}. */
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
    async forward(message, signal) {
      const { inbox } = hook;
      const body = JSON.stringify({ type: "mail.stored", inbox, message: summaryJson(message) });
      const request = { url: hook.url, secret: hook.secret, id: message.id, body };
      await postHook(request, clock, signal).catch((error: unknown) => {
        throw new ForwardFailure(hookFailure(error), { cause: error });
      });
    },
  };
}
