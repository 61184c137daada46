import { expect, test } from "vitest";
import { commitBatcher } from "./commit-batcher.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Who has left so far. */
function watched() {
  const station = commitBatcher();
  const left: string[] = [];
  const go = (name: string) => station.waitForOthers().then(() => left.push(name));
  return { station, left, go };
}

test("a message alone leaves at once", async () => {
  const { station, left, go } = watched();
  station.begin()();
  await go("alone");
  expect(left).toEqual(["alone"]);
});

test("messages leave together once the last of those under way is ready", async () => {
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
