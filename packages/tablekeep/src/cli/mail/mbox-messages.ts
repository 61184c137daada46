import { createReadStream } from "node:fs";
import {
  type FileMarks,
  type FileMessage,
  headerOf,
  maxFileBytes,
  readable,
  sentAt,
  tooLarge,
} from "./file-message.ts";
import { type MboxVariant, mboxQuoting, noSender, readMarksLines } from "./mbox-format.ts";

/**
 * The messages of an mbox file, one at a time. A line `From …` after an empty line, or at the beginning, starts one, and has its sender and
 * time. Programs that do not quote leave such lines in messages; these lack the time, or a header field after them. The quoting of such lines in a message, `>From `, is undone. Lines end with CR LF, as they do on the wire.
 */
export async function* mboxMessages(
  file: string,
  variant: MboxVariant,
): AsyncGenerator<FileMessage, void, undefined> {
  const { unquote } = mboxQuoting[variant];
  let lines: string[] | undefined;
  let start: Pick<FileMessage, "sender" | "created"> = {};
  let position = 0;
  let number = 0;
  let size = 0;
  const message = (taken: readonly string[]): FileMessage => {
    const marks = readMarksLines(taken);
    const raw = Buffer.from(
      withoutLineEnds(marks === undefined ? taken : taken.slice(2))
        .map((line) => `${line}\r\n`)
        .join(""),
      "latin1",
    );
    const { created = sentAt(raw) } = start;
    const place = `${file}, message ${number}`;
    return { place, raw, ...start, created, position, mbox: file, marks: marks ?? statusOf(raw) };
  };
  for await (const [line, next] of withNext(linesOf(file))) {
    const startsMessage =
      line.startsWith("From ") &&
      (lines === undefined || (isEmpty(lines.at(-1)) && (hasTime.test(line) || startsField.test(next))));
    if (!startsMessage) {
      size += line.length + 2;
      if (size > maxFileBytes) throw tooLarge(`${file}, message ${number}`);
      lines?.push(line.replace(unquote, "$1"));
      continue;
    }
    // The empty line before the next message is not a part of this one.
    if (lines !== undefined) yield message(lines.slice(0, -1));
    const before = start.created;
    start = startOf(line);
    position = number > 0 && start.created === before ? position + 1 : 0;
    lines = [];
    size = 0;
    number++;
  }
  if (lines !== undefined) yield message(isEmpty(lines.at(-1)) ? lines.slice(0, -1) : lines);
}

/** The read state in the header field that mail programs add. They do not change the message otherwise, and neither does an import. */
function statusOf(raw: Uint8Array): FileMarks | undefined {
  const status = headerOf(raw, "status");
  return status !== undefined && /^[RO]{1,2}$/.test(status) ? { read: status.includes("R") } : undefined;
}

const hasTime = /\d:\d\d/;
const startsField = /^[!-9;-~]+[ \t]*:/;

/** Each line with the one after it; "" after the last. */
async function* withNext(
  lines: AsyncIterable<string>,
): AsyncGenerator<readonly [string, string], void, undefined> {
  let before: string | undefined;
  for await (const line of lines) {
    if (before !== undefined) yield [before, line];
    before = line;
  }
  if (before !== undefined) yield [before, ""];
}

function isEmpty(line: string | undefined): boolean {
  return line === "" || line === "\r";
}

/** Mail programs write a message unchanged to a file whose other lines end with LF: the lines of its header, of its body or of both may end with CR LF. */
function withoutLineEnds(lines: readonly string[]): string[] {
  const bodyAt = lines.findIndex(isEmpty) + 1;
  return [lines.slice(0, bodyAt), lines.slice(bodyAt)].flatMap((part) => {
    const ended = part.filter((line) => line.endsWith("\r")).length;
    // A single line may end with a CR that belongs to it.
    return ended * 2 > part.length ? part.map((line) => line.replace(/\r$/, "")) : part;
  });
}

/**
 * Sender and time of a line `From ann@example.org Mon Jan  1 00:00:00 2024`, in UTC unless an offset is before or after the year; undefined for
 * other lines. Mail programs that do not know the sender write `-`, and some write the number of the message, `17@xxx`.
 */
function startOf(line: string): Pick<FileMessage, "sender" | "created"> {
  const [, sender, month, day, clock, before, year, after] =
    /^From (\S+) +\w{3} (\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:([+-]\d{4}) )?(\d{4})(?: ([+-]\d{4}))?$/.exec(
      line,
    ) ?? [];
  const created = Date.parse(`${day} ${month} ${year} ${clock} ${before ?? after ?? "GMT"}`);
  if (sender === undefined || !Number.isFinite(created)) return {};
  if (sender === "-" || /^\d+@xxx$/.test(sender)) return { created };
  return { sender: sender === noSender ? "" : Buffer.from(sender, "latin1").toString("utf8"), created };
}

/** The lines of a file without their line ends, which are CR LF if the first one is, and LF otherwise. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  let rest = "";
  let end: RegExp | undefined;
  const chunks = createReadStream(file, "latin1")[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await readable(file, chunks.next());
    if (done === true) break;
    const lines = (rest + String(value)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      end ??= line.endsWith("\r") ? /\r$/ : /(?!)/;
      yield line.replace(end, "");
    }
  }
  if (rest !== "") yield rest;
}
