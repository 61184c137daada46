import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { engineWithMail } from "../../../../test/engine-mail.ts";
import { openMail } from "../../../open-mail.ts";
import { envelope, letter } from "../../../testing/mail-case.ts";

test("aborting the first store of an hour does not abort other stores", async () => {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const engine = await engineWithMail();
  const port = faultyPort(engine, "seed=1 faults=[{op:UpdateItem,nth:1,kind:delay,ms:500}]", { clock });
  const mail = await openMail(port, { clock });
  const stop = new AbortController();
  const aborted = mail
    .store(envelope, letter("aborted"), { signal: stop.signal })
    .catch((error: unknown) => error);
  const kept = mail.store(envelope, letter("kept"));
  for (let turns = 0; port.log.length === 0 && turns < 10_000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const work = async () => [await aborted, await kept];
  await clock.autoAdvance(work, { busy: () => port.busy() });
  expect((await mail.list()).items.map(({ subject }) => subject)).toContain("kept");
  await engine.close();
});
