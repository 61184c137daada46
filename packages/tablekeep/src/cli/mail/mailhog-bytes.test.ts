import { expect, test } from "vitest";
import { restoreBytes } from "./mailhog-bytes.ts";

/** What MailHog's JSON has of a message, with the line break that it lacks. */
const inJson = (bytes: Buffer) => Buffer.from(bytes.toString("utf8"));
const bytes = (text: string) => Buffer.from(text, "latin1");

test.each([
  ["a download that is the message", "A: 1\r\nB: \xe4\r\n\r\n\xfc\r\n", "A: 1\r\nB: \xe4\r\n\r\n\xfc\r\n"],
  ["a download with another header", "A: 1\r\nB: 2\r\n\r\n\xfc\r\n", "B: 2\r\nX: y\r\nA: 1\r\n\r\n\xfc"],
])("bytes that are not UTF-8 come from %s", (_what, message, download) => {
  expect(restoreBytes(inJson(bytes(message)), bytes(download))).toEqual(bytes(message));
});

test.each(["", "A: 1\r\n\r\nanother body \xfc", "no header"])(
  "a download of something else is not used: %j",
  (download) => {
    const raw = inJson(bytes("A: 1\r\n\r\n\xfc\r\n"));
    expect(restoreBytes(raw, bytes(download))).toEqual(raw);
  },
);
