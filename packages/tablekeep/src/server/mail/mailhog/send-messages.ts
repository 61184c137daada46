import type { ServerResponse } from "node:http";
import type { Clock } from "@tablekeep/core";
import type { Mail, MailhogPart, MailMessage, MailSummary } from "@tablekeep/mail";
import type { HttpExchange } from "../../http/http-route.ts";
import { contentDisposition } from "../../http/responses.ts";
import { drained } from "../../http/send-pieces.ts";
import { textJson } from "./mailhog-answers.ts";

/** A list of complete messages, and the text around it. */
export interface MessageList {
  readonly type: string;
  /** Before the list: `{"total":…,"items":` or nothing. */
  readonly head: string;
  /** After the list. */
  readonly tail: string;
  readonly page: readonly MailSummary[];
}

/**
 * Sends messages one after the other, as fast as the client reads them: neither a page nor a large message is in
 * memory as a whole.
 */
export async function sendMessages(
  { response, signal }: Pick<HttpExchange, "response" | "signal">,
  mail: Mail,
  { type, head, tail, page }: MessageList,
  clock: Clock,
): Promise<void> {
  startJson(response, type);
  let before = `${head}[`;
  for await (const message of mail.loadEach(page, { signal })) {
    response.write(before);
    await writeMessage(response, message, { signal, clock });
    before = ",";
  }
  response.end(`${before === "," ? "" : before}]${tail}`);
}

/** Sends one message. */
export async function sendMessage(
  { response, signal }: Pick<HttpExchange, "response" | "signal">,
  message: MailMessage,
  clock: Clock,
): Promise<void> {
  startJson(response, textJson);
  await writeMessage(response, message, { signal, clock });
  response.end();
}

function startJson(response: ServerResponse, type: string): void {
  response.setHeader("content-type", type);
  response.setHeader("x-content-type-options", "nosniff");
}

async function writeMessage(
  response: ServerResponse,
  message: MailMessage,
  limits: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  for await (const piece of inTurns(message.mailhogJson())) {
    if (!response.write(piece)) await drained(response, limits);
  }
}

/** Characters that are produced before the event loop gets a turn. */
const turnLength = 65_536;

/** Joins small chunks, and yields to the event loop between the joined pieces and after every empty chunk. */
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

/** Resolves once the event loop has run pending work. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** A part as a file. */
export interface PartFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends a part of a message as a download. Its content is not trusted, so a browser must never show it as a page of ours,
 * regardless of its headers.
 */
export function partFile(part: MailhogPart, defaultName: string): PartFile {
  const header = (name: string) => {
    const key = Object.keys(part.headers).find((each) => each.toLowerCase() === name);
    return key === undefined ? undefined : part.headers[key]?.[0];
  };
  const name = fileName(header("content-disposition")) ?? defaultName;
  return {
    headers: {
      "content-type": cleanHeader(header("content-type")) ?? "application/octet-stream",
      "content-disposition": contentDisposition("attachment", name),
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    },
    body: part.content,
  };
}

function fileName(disposition: string | undefined): string | undefined {
  const [, quoted, bare] = /;\s*filename="?(?:((?<=")[^"]*)"|([^\s;"]+))/i.exec(disposition ?? "") ?? [];
  const name = (quoted ?? bare ?? "").replace(/^.*[/\\]/s, "");
  return name === "" ? undefined : name;
}

/** A value that is valid in one header of a response. */
function cleanHeader(value: string | undefined): string | undefined {
  return value !== undefined && /^[\t\x20-\x7e]+$/.test(value) ? value : undefined;
}
