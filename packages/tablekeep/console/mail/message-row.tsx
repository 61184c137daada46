import type { VNode } from "preact";
import { shortTime } from "../parts/show-time.ts";
import { useStore } from "../shell/use-store.ts";
import { readMarks } from "./kept-marks.ts";
import { senderName } from "./mail-message.ts";
import type { MailSummary } from "./mail-summary.ts";
import { isRead } from "./read-marks.ts";

/** Pixels; the style sheet makes it fit. */
export const messageRowHeight = 82;

/** A message in the list. */
export function MessageRow({ message }: { readonly message: MailSummary }): VNode {
  const { id, subject, created, from, envelope, preview, attachments } = message;
  const isNew = !isRead(useStore(readMarks), id);
  return (
    <div class={isNew ? "message-row is-new" : "message-row"}>
      <div class="row-line">
        <span class="grow message-from">{senderName(from) || envelope.from || "(no sender)"}</span>
        {attachments > 0 && (
          <small>
            {attachments} {attachments === 1 ? "file" : "files"}
          </small>
        )}
        <small>
          <time dateTime={created}>{shortTime(created)}</time>
        </small>
      </div>
      <div class="row-line">
        <span class="grow message-subject">
          {isNew && <span class="unseen">New: </span>}
          {subject || "(no subject)"}
        </span>
      </div>
      <div class="row-line">
        <span class="grow dim">
          to {envelope.to.join(", ")}
          {preview !== "" && ` · ${preview}`}
        </span>
      </div>
    </div>
  );
}
