import { describe, expect, test } from "vitest";
import { compileFold, EventFolder } from "../../console/sandbox/fold-events.ts";

const events = (...numbers: number[]) =>
  numbers.map((sequenceNr) => ({ sequenceNr, payload: { [`e${sequenceNr}`]: true } }));
const counting = "(state = { seen: [] }, { sequenceNr }) => (state.seen.push(sequenceNr), state)";

function folderOf(code: string): EventFolder {
  const folder = new EventFolder(compileFold(code));
  folder.keep(0, undefined);
  return folder;
}

describe("EventFolder", () => {
  test("returns wanted states, and continues from kept ones although the fold changes states in place", () => {
    const folder = folderOf(counting);
    const first = folder.fold({ after: 0, events: events(1, 2), wanted: [0, 1], isLast: false });
    expect(first).toEqual({ last: 2, states: { 0: null, 1: '{"seen":[1]}' }, kept: [0, 2] });
    for (const _ of ["once", "again"]) {
      const { states } = folder.fold({ after: 2, events: events(3), wanted: [2, 3], isLast: true });
      expect(states).toEqual({ 2: '{"seen":[1,2]}', 3: '{"seen":[1,2,3]}' });
    }
  });

  test("a number without an event has the state of the event before", () => {
    const { states } = folderOf(counting).fold({
      after: 0,
      events: events(1, 5),
      wanted: [3, 9],
      isLast: true,
    });
    expect(states).toEqual({ 3: '{"seen":[1]}', 9: '{"seen":[1,5]}' });
  });

  test("keeps a bounded number of states, and rejects a start that it has dropped", () => {
    const folder = folderOf(counting);
    for (let at = 1; at <= 200; at++)
      folder.fold({ after: at - 1, events: events(at), wanted: [], isLast: false });
    expect(folder.keep(500, 1)).toHaveLength(64);
    expect(() => folder.fold({ after: 0, events: [], wanted: [0], isLast: true })).toThrow("no longer kept");
  });

  test.each([
    ["event 1: RangeError: no", "() => { throw new RangeError('no') }"],
    ["event 1: TypeError", "() => 1n"],
    ["event 1: TypeError", "() => { const a = {}; a.a = a; return a; }"],
    ["larger than 5 MB", "() => 'x'.repeat(6_000_000)"],
  ])("reports %s", (message, code) => {
    const run = () => folderOf(code).fold({ after: 0, events: events(1), wanted: [1], isLast: true });
    expect(run).toThrow(message);
  });

  test.each(["(state", "5", "undefined", "throwing()"])("rejects %s as a fold", (code) => {
    expect(() => compileFold(code)).toThrow();
  });
});
