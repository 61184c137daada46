import { expect, test } from "vitest";
import { rawClient } from "./smtp-client.ts";
import { startSmtp } from "./start-smtp.ts";

const line = (...lines: string[]) => lines.map((each) => `${each}\r\n`).join("");

test("accepts what sloppy senders send", async () => {
  const { url, receiver } = await startSmtp();
  const client = await rawClient(url);
  const sloppy = Buffer.from(
    line("RSET", "MAIL FROM:<j\xf6rg@x.example> SIZE=abc", "RCPT TO:d@e.example", "DATA", "hi", "."),
    "latin1",
  );
  expect((await client.say(sloppy, 5)).match(/^\d{3} /gm)?.map(Number)).toEqual([250, 250, 250, 354, 250]);
  expect(receiver.arrived).toMatchObject([{ envelope: { from: "jörg@x.example", to: ["d@e.example"] } }]);
});

test("rejects what sloppy senders send if it is strict", async () => {
  const { url, receiver } = await startSmtp({ strict: true });
  const client = await rawClient(url);
  const sloppy = Buffer.from(
    line(
      "RSET",
      "MAIL FROM:<a@b>",
      "EHLO me",
      "MAIL FROM:<jörg@x.example>",
      "MAIL FROM:<a@b> SIZE=abc",
      "MAIL FROM:<a@b>",
      "RCPT TO:d@e.example",
      "DATA",
    ),
  );
  expect((await client.say(sloppy, 8)).match(/^\d{3} /gm)?.map(Number)).toEqual([
    250, 503, 250, 553, 501, 250, 501, 554,
  ]);
  expect(receiver.arrived).toEqual([]);
});
