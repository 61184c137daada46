import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Mail, MailMessage, MailSummary } from "@tablekeep/mail";
import { textJson } from "./mailhog-answers.ts";

/** A list of whole messages, and what stands around it. */
export interface MessageList {
  readonly type: string;
  /** Before the list: `{"total":…,"items":` or nothing. */
  readonly head: string;
  /** After the list. */
  readonly tail: string;
  readonly page: readonly MailSummary[];
}

/** Sends messages one after the other, as fast as the client reads them: neither a page nor a large message is held as a whole. */
export async function sendMessages(
  response: ServerResponse,
  mail: Mail,
  { type, head, tail, page }: MessageList,
  signal: AbortSignal,
): Promise<void> {
  startJson(response, type);
  let before = `${head}[`;
  for await (const message of mail.loadEach(page, { signal })) {
    response.write(before);
    await writeMessage(response, message, signal);
    before = ",";
  }
  response.end(`${before === "," ? "" : before}]${tail}`);
}

/** Sends one message. */
export async function sendMessage(
  response: ServerResponse,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  startJson(response, textJson);
  await writeMessage(response, message, signal);
  response.end();
}

function startJson(response: ServerResponse, type: string): void {
  response.setHeader("content-type", type);
  response.setHeader("x-content-type-options", "nosniff");
}

async function writeMessage(
  response: ServerResponse,
  message: MailMessage,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of inTurns(message.mailhogJson())) {
    if (!response.write(piece)) await once(response, "drain", { signal });
  }
}

/** Characters that are produced before others get their turn. */
const turnLength = 65_536;

/** Joins small chunks, and lets others work between the joined pieces and wherever a chunk is empty. */
export async function* inTurns(chunks: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for (const chunk of chunks) {
    piece += chunk;
    if (chunk !== "" && piece.length < turnLength) continue;
    await nextTurn();
    if (piece !== "") yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Resolves once the event loop has done what was waiting. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
