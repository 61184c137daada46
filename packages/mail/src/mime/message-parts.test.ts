import { expect, test } from "vitest";
import { type MessagePart, partAt, readMessageParts } from "./message-parts.ts";

/** The result, and how often other work got a turn meanwhile. */
async function withTurns<Result>(work: Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let running = true;
  const count = () => {
    turns++;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  const result = await work;
  running = false;
  return { result, turns };
}

const shape = ({ type, lines, parts, message }: MessagePart): unknown => [
  type.value,
  lines,
  ...parts.map(shape),
  ...(message === undefined ? [] : [shape(message)]),
];

test("parts end where the next one or their container ends", async () => {
  const inner =
    "Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\none\r\ntwo\r\n--i\r\n\r\nopen\r\n";
  const data = [
    "Content-Type: multipart/mixed; boundary=b\r\n\r\npreamble --b\r\n--b \r\n",
    inner,
    "--bx\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\n1\r\n2\r\n\r\n--b--\r\n--b\r\nafter\r\n",
  ].join("");
  const root = await readMessageParts(data);
  expect(shape(root)).toEqual([
    "multipart/mixed",
    0,
    ["multipart/mixed", 0, ["text/plain", 1], ["text/plain", 1]],
    ["message/rfc822", 4, ["text/plain", 2]],
  ]);
  const text = (...numbers: number[]) => {
    const part = partAt(root, numbers);
    return part && data.slice(part.bodyAt, part.end);
  };
  expect([text(1, 1), text(1, 2), text(2), text(3)]).toEqual([
    "one\r\ntwo",
    "open\r\n--bx",
    "Subject: x\r\n\r\n1\r\n2\r\n",
    undefined,
  ]);
});

test("a boundary is found where searched pieces meet", async () => {
  for (let shift = 0; shift < 8; shift++) {
    const filler = "x".repeat(262_144 - 40 + shift);
    const data = `Content-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\n\r\n${filler}\r\n--bb\r\n\r\nend\r\n--bb--\r\n`;
    const root = await readMessageParts(data);
    expect(root.parts.map(({ bodyAt, end }) => end - bodyAt)).toEqual([filler.length, 3]);
  }
});

test.each([
  ["a long text", `Subject: x\r\n\r\n${"line\r\n".repeat(700_000)}`],
  [
    "a thousand multiparts whose boundaries do not occur",
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${Array.from({ length: 990 }, (_, at) => `--b\r\nContent-Type: multipart/mixed; boundary=none${at}\r\n\r\nx\r\n`).join("")}--b\r\n\r\n${"tail\r\n".repeat(700_000)}`,
  ],
  ["a header without an end", `Subject: x\r\n${" folded\r\n".repeat(500_000)}`],
])("other work gets turns while it is taken apart: %s", async (_, data) => {
  const { result, turns } = await withTurns(readMessageParts(data));
  expect(result.end).toBe(data.length);
  expect(turns).toBeGreaterThan(data.length / 2_097_152);
});

test.each(["message/rfc822", "message/global", "Message/Global"])(
  "a part of the type %s is a message",
  async (type) => {
    const inner =
      "Subject: gr\u00c3\u00bc\u00c3\u009fe\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\r\none\r\n--i--\r\n";
    const data = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${inner}--b--\r\n`;
    const root = await readMessageParts(data);
    expect(shape(root)).toEqual([
      "multipart/mixed",
      0,
      [type.toLowerCase(), 6, ["multipart/mixed", 0, ["text/plain", 0]]],
    ]);
    expect(partAt(root, [1, 1])?.type.value).toBe("text/plain");
  },
);
