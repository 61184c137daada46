import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { tableInput } from "../../test/tables.ts";
import { openEngine } from "../engine.ts";
import { withCallDeadline } from "./call-deadline.ts";

const endless = () => new Promise<never>(() => {});

test.each([true, false])("a call that ends too early is ambiguous if it may write: %s", async (mayChange) => {
  const clock = fakeClock();
  const over = expect(withCallDeadline(clock, mayChange, { deadlineMs: 10 }, endless)).rejects.toMatchObject({
    code: "ENGINE_DEADLINE_EXCEEDED",
    ambiguous: mayChange,
  });
  await clock.advance(10);
  await over;
});

test("an aborted SELECT is not ambiguous; an aborted INSERT is", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable(tableInput());
  const abortedWith = async (Statement: string) => {
    const abort = new AbortController();
    const call = engine.executeStatement({ Statement }, { signal: abort.signal });
    abort.abort();
    return call.catch((error: unknown) => error);
  };
  expect(await abortedWith("SELECT * FROM things")).toMatchObject({
    code: "ENGINE_ABORTED",
    ambiguous: false,
  });
  expect(await abortedWith("INSERT INTO things VALUE {'pk': 'a'}")).toMatchObject({
    code: "ENGINE_ABORTED",
    ambiguous: true,
  });
  await engine.close();
});
