import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { replies } from "./replies.ts";
import { type SmtpReply, smtpReply } from "./smtp-reply.ts";

const tryLater = smtpReply(451, "Unable to store message, try again later");
const noRoom = smtpReply(452, "Unable to store message, no room left for now");
const never = smtpReply(554, "Unable to store message");

/**
 * What a client is told when its message could not be stored. A 4xx asks it to come again, so one is given only where
 * that may help: a fault that stays would be met again for days.
 */
export function storeFailureReply(error: unknown): SmtpReply {
  if (!isTablekeepError(error)) return never;
  // It may be stored or not. Sent again it may be there twice, which is better than not at all.
  if (error.ambiguous) return tryLater;
  if (error.code === "MAIL_STORE_FULL") return noRoom;
  return replyOfKind(error);
}

function replyOfKind({ kind }: TablekeepError): SmtpReply {
  switch (kind) {
    case "limit":
      return replies.tooLarge;
    case "throttled":
    case "unavailable":
    case "conflict":
    case "closed":
    case "aborted":
      return tryLater;
    default:
      return never;
  }
}
