import { keyOf, put, slices, tailOf } from "./pages.mjs";

/** Appends pages to the generation that it has read, and notices another one only after a while. */
export function* sequencer({ world, truth, fault }) {
  for (;;) {
    const { generation, state } = yield { get: "record" };
    const tails = [];
    let isOutdated = false;
    for (let slice = 0; slice < slices; slice++) {
      tails[slice] = yield* tailOf(generation, slice);
      const last = tails[slice] === 0 ? {} : yield { get: keyOf(generation, slice, tails[slice] - 1) };
      if (last?.followedBy !== undefined && fault !== "end-ignored") isOutdated = true;
    }
    const again = yield { get: "record" };
    if (fault !== "start-unchecked" && again.generation !== generation) isOutdated = true;
    for (let turns = 1 + world.below(20); turns > 0 && !isOutdated; turns--) {
      const slice = world.below(slices);
      const place = { generation, slice, number: tails[slice] };
      if (yield* put(world, truth, place, {})) tails[slice]++;
      else {
        const page = yield { get: keyOf(generation, slice, tails[slice]) };
        if (page?.followedBy !== undefined && fault !== "end-ignored") isOutdated = true;
        else if (page !== undefined) tails[slice]++;
      }
    }
    const isSwept = (record) => record.generation === generation && record.state === "sweeping";
    const live = (record) => ({ ...record, state: "live" });
    if (state === "sweeping" && !isOutdated) yield { write: [{ key: "record", when: isSwept, to: live }] };
  }
}

/** Begins a new generation now and then. */
export function* rebuilder({ world }) {
  for (;;) {
    for (let rest = 30 + world.below(80); rest > 0; rest--) yield { call: () => {} };
    const { generation, old } = yield { get: "record" };
    const next = { generation: generation + 1, state: "sweeping", old: [...old, generation] };
    yield {
      write: [{ key: "record", when: (record) => record.generation === generation, to: () => next }],
    };
  }
}

/** Removes the generations that the record lists. */
export function* remover({ world, truth, fault }) {
  for (;;) {
    yield { call: () => {} };
    const { generation: current, state, old } = yield { get: "record" };
    const listed = fault === "remove-current" ? [...old, current] : old;
    if (state === "live") for (const generation of listed) yield* remove(generation, current);
  }

  function* remove(generation, current) {
    const key = `removal-${generation}`;
    let left = fault === "count-by-search" ? undefined : (yield { get: key })?.left;
    if (left === undefined) {
      left = [];
      for (let slice = 0; slice < slices; slice++) left[slice] = yield* end(generation, slice, current);
      const counts = left;
      const when = fault === "count-replaced" ? undefined : (item) => item === undefined;
      yield { write: [{ key, when, to: () => ({ left: counts }) }], loses: true };
      // Another one may have counted before pages were removed: its count is right. Without a count that is stored, nothing may be removed.
      const stored = yield { get: key };
      if (stored === undefined && fault !== "count-not-stored") return;
      if (fault !== "count-replaced" && fault !== "count-by-search") left = stored?.left ?? left;
    }
    left = [...left];
    if (fault === "forget-first") yield* forget(generation, key);
    while (left.some((count) => count > 0)) {
      const keys = [];
      for (let slice = 0; slice < slices; slice++)
        while (left[slice] > 0 && keys.length < 3) keys.push(keyOf(generation, slice, --left[slice]));
      // One request removes several pages, in any order, and may be carried out in part.
      keys.sort(() => world.random() - 0.5);
      for (const each of keys)
        yield { write: [{ key: each, to: () => undefined }], done: () => truth.remove(each) };
      const counts = [...left];
      const when = (item) => item !== undefined;
      if (world.chance(0.3)) yield { write: [{ key, when, to: () => ({ left: counts }) }] };
    }
    yield* forget(generation, key);
  }

  function* end(generation, slice, followedBy) {
    for (;;) {
      const tail = yield* tailOf(generation, slice);
      if (fault === "no-end") return tail;
      const last = tail === 0 ? undefined : yield { get: keyOf(generation, slice, tail - 1) };
      if (last?.followedBy !== undefined) return fault === "end-removed" ? tail : tail - 1;
      if (yield* put(world, truth, { generation, slice, number: tail }, { followedBy }))
        return fault === "end-removed" ? tail + 1 : tail;
    }
  }

  function* forget(generation, key) {
    for (;;) {
      const record = yield { get: "record" };
      const isSame = (stored) => stored.generation === record.generation && stored.state === record.state;
      const old = record.old.filter((each) => each !== generation);
      const change = { key: "record", when: isSame, to: (stored) => ({ ...stored, old }) };
      const { ok } = yield { write: [change, { key, to: () => undefined }] };
      if (ok && !(yield { get: "record" }).old.includes(generation)) return;
    }
  }
}

/** Reads all pages of the generation that it finds, and ends with an error if there is another one then. */
export function* reader({ truth, fault }) {
  for (;;) {
    const { generation } = yield { get: "record" };
    const there = Array.from({ length: slices }, (_unused, slice) => truth.appended(generation, slice));
    const read = [];
    let isOutdated = false;
    for (let slice = 0; slice < slices; slice++)
      for (let number = 0; !isOutdated; number++) {
        const page = yield { get: keyOf(generation, slice, number) };
        read[slice] = number;
        if (page === undefined) break;
        isOutdated = page.followedBy !== undefined;
      }
    const now = yield { get: "record" };
    if (isOutdated || (now.generation !== generation && fault !== "reader-unchecked")) continue;
    truth.hasRead(generation, read, there);
  }
}
