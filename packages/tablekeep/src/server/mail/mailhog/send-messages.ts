import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Mail, MailSummary } from "@tablekeep/mail";
import { goJson } from "./go-json.ts";

/** A list of whole messages, and what stands around it. */
export interface MessageList {
  readonly type: string;
  /** Before the list: `{"total":…,"items":` or nothing. */
  readonly head: string;
  /** After the list. */
  readonly tail: string;
  readonly page: readonly MailSummary[];
}

/** Sends messages one after the other, as fast as the client takes them: a page of large ones is never held whole. */
export async function sendMessages(
  response: ServerResponse,
  mail: Mail,
  { type, head, tail, page }: MessageList,
  signal: AbortSignal,
): Promise<void> {
  response.setHeader("content-type", type);
  response.setHeader("x-content-type-options", "nosniff");
  let before = `${head}[`;
  for await (const message of mail.loadEach(page, { signal })) {
    if (!response.write(before + goJson(message.mailhog()))) await once(response, "drain", { signal });
    before = ",";
  }
  response.end(`${before === "," ? "" : before}]${tail}`);
}
