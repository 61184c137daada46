import { describe, expect, test } from "vitest";
import { turnsOf } from "../../test/turns-of.ts";
import { MailError } from "../model/mail-error.ts";
import { copyInTurns, type MessageThread, messageThread } from "./message-thread.ts";

/** Runs at once, and loads until `state[1]` is set. */
const slowProgram = `
const { parentPort, workerData } = require("node:worker_threads");
const state = new Int32Array(workerData);
Atomics.store(state, 0, 1);
Atomics.wait(state, 1, 0);
parentPort.postMessage("ready");
parentPort.on("message", ({ raw }) => parentPort.postMessage({ result: raw.length }));
`;

/** A thread with {@link slowProgram}. Its time passes only when `ring` is called. */
function slowThread() {
  const shared = new SharedArrayBuffer(8);
  const state = new Int32Array(shared);
  const waits: number[] = [];
  let timer: (() => void) | undefined;
  const after = (ms: number, callback: () => void) => {
    waits.push(ms);
    timer = callback;
    return () => {
      timer = undefined;
    };
  };
  const thread: MessageThread<number> = messageThread({
    name: "reader",
    program: slowProgram,
    workerData: shared,
    timeoutMs: 2_000,
    memoryMb: 32,
    maxBytes: 10,
    clock: { now: () => 0, monotonic: () => 0, after },
    refused: (reason) => new MailError("MAIL_DECODE_REFUSED", reason, { reason }),
  });
  const raw = Uint8Array.of(1, 2, 3);
  return {
    thread,
    waits,
    ring: () => timer?.(),
    run: () => thread.run(raw, async () => ({ raw: new Uint8Array(raw) }), undefined),
    /** Waits until the program runs, and this thread has been informed of it. */
    async running() {
      while (Atomics.load(state, 0) === 0) await turn();
      for (let turns = 0; turns < 10; turns++) await turn();
    },
    loaded() {
      Atomics.store(state, 1, 1);
      Atomics.notify(state, 1);
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a thread for messages", () => {
  test("does not count the time until its program is loaded", async () => {
    const { thread, waits, run, running, loaded } = slowThread();
    const results = Promise.all([run(), run()]);
    await running();
    expect(waits).toEqual([30_000]);
    loaded();
    expect(await results).toEqual([3, 3]);
    expect(waits).toEqual([30_000, 2_000, 2_000]);
    await thread.close();
  });

  test("refuses a message if its program is not loaded in time", async () => {
    const { thread, ring, run, running } = slowThread();
    const refused = expect(run()).rejects.toMatchObject({
      code: "MAIL_DECODE_REFUSED",
      details: { reason: expect.stringContaining("30000 ms") },
    });
    await running();
    ring();
    await refused;
    await thread.close();
  });
});

test("a large message is copied in several turns of the event loop", async () => {
  const raw = Buffer.alloc(10_000_003, "0123456789");
  const { turns, result } = await turnsOf(() => copyInTurns([raw.subarray(0, 5), raw.subarray(5)]));
  expect(raw.equals(result)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(9);
});
