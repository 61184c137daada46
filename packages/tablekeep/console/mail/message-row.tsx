import type { VNode } from "preact";
import { shortTime } from "../parts/show-values.ts";
import type { MailSummary } from "./mail-message.ts";
import { senderName } from "./mail-message.ts";

/** Pixels; the style sheet makes it fit. */
export const messageRowHeight = 82;

/** A message in the list. */
export function MessageRow({ message }: { readonly message: MailSummary }): VNode {
  const { subject, created, from, envelope, preview, attachments, tags } = message;
  const isNew = !message.read;
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
        {tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
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
