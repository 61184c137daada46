import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { createTranscripts } from "./transcripts.ts";

test("keeps the last sessions, newest first, open ones included", async () => {
  const clock = fakeClock();
  const transcripts = createTranscripts(clock, 2);
  const [first, second, third] = ["a:1", "b:2", "c:3"].map((client) => transcripts.begin(client));
  third?.add("<", "220 hello");
  await clock.advance(5);
  third?.add(">", "QUIT");
  third?.stored("id-1");
  third?.failed();
  third?.secured();
  second?.end("the client quit");
  second?.end("something else");
  const [newest, older] = transcripts.list();
  expect(transcripts.list()).toHaveLength(2);
  expect(newest).toMatchObject({
    client: "c:3",
    ended: undefined,
    secure: true,
    stored: ["id-1"],
    failed: 1,
    lines: [
      { at: 0, by: "<", text: "220 hello" },
      { at: 5, by: ">", text: "QUIT" },
    ],
  });
  expect(older).toMatchObject({ client: "b:2", ended: clock.now(), ending: "the client quit" });
  expect(transcripts.get(newest?.id ?? "")).toEqual(newest);
  expect(transcripts.get(first?.read().id ?? "")).toBeUndefined();
});

test("keeps the start and the end of a long session, and the start of a long line", () => {
  const session = createTranscripts(fakeClock()).begin("a:1");
  for (let at = 0; at < 10_000; at++) session.add(">", `line ${at}`);
  session.add(">", `\u001b[2J${"x".repeat(10_000)}`);
  for (let at = 0; at < 1_000; at++) session.stored(`id-${at}`);
  const { lines, leftOut, stored } = session.read();
  expect(lines[0]?.text).toBe("line 0");
  expect(lines.at(-2)?.text).toBe("line 9999");
  expect(lines.at(-1)?.text).toMatch(/^\?\[2Jx{300,500}…$/);
  expect(lines.length).toBeLessThan(200);
  expect(lines.length + leftOut).toBe(10_001);
  expect(stored.at(-1)).toBe("id-999");
  expect(stored.length).toBeLessThanOrEqual(200);
});
