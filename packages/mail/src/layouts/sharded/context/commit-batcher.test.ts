import { expect, test } from "vitest";
import { commitBatcher } from "./commit-batcher.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The messages committed so far. */
function watched() {
  const station = commitBatcher();
  const left: string[] = [];
  const go = (name: string) => station.waitForOthers().then(() => left.push(name));
  return { station, left, go };
}

test("commits a single message at once", async () => {
  const { station, left, go } = watched();
  station.begin()();
  await go("alone");
  expect(left).toEqual(["alone"]);
});

test("commits messages together once the last one in flight is ready", async () => {
  const { station, left, go } = watched();
  const ready = [station.begin(), station.begin(), station.begin()];
  ready[0]?.();
  void go("first");
  ready[1]?.();
  void go("second");
  await turn();
  expect(left).toEqual([]);
  ready[2]?.();
  await turn();
  expect(left).toEqual(["first", "second"]);
});

test("a message that does not end delays others only briefly", async () => {
  const { station, left, go } = watched();
  station.begin();
  const ready = station.begin();
  ready();
  ready();
  await go("patient");
  expect(left).toEqual(["patient"]);
});
