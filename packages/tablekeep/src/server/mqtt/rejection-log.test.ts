import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { RejectionLog } from "./rejection-log.ts";

test("logs ten rejected clients per minute, and then the number of the others", async () => {
  const clock = fakeClock();
  const lines: unknown[] = [];
  const ignore = () => {};
  const warn = (message: string, fields?: object) => void lines.push([message, fields]);
  const log = new RejectionLog({ clock, logger: { debug: ignore, info: ignore, warn, error: ignore } });
  const add = (count: number) => {
    for (let number = 1; number <= count; number++)
      log.add({ from: "127.0.0.1", reason: "not authorized", names: { client: `c${number}`, user: "" } });
  };
  add(13);
  expect(lines).toHaveLength(10);
  expect(lines[9]).toEqual([
    "MQTT client rejected",
    { from: "127.0.0.1", client: "c10", reason: "not authorized" },
  ]);
  await clock.advance(60_000);
  expect(lines.slice(10)).toEqual([["further MQTT clients rejected", { count: 3 }]]);
  add(1);
  await clock.advance(60_000);
  expect(lines).toHaveLength(12);
});

test("logs the beginning of a long name", () => {
  const names: unknown[] = [];
  const ignore = () => {};
  const warn = (_message: string, fields?: object) => void names.push(fields);
  const logger = { debug: ignore, info: ignore, warn, error: ignore };
  new RejectionLog({ clock: fakeClock(), logger }).add({
    from: "::1",
    reason: "r",
    names: { user: "u".repeat(9_000) },
  });
  expect(names).toEqual([{ from: "::1", user: "u".repeat(128), reason: "r" }]);
});
