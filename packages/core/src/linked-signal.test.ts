import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { linkSignals } from "./linked-signal.ts";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a linked signal", () => {
  test("aborts with the first source that does, for its reason", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const linked = linkSignals(one.signal, undefined, other.signal);
    expect(linked.signal.aborted).toBe(false);
    other.abort("why");
    one.abort("later");
    expect(linked.signal.reason).toBe("why");
    expect(listeners(one.signal) + listeners(other.signal)).toBe(0);
  });

  test("of an aborted source is aborted from the start", () => {
    const one = new AbortController();
    const linked = linkSignals(one.signal, AbortSignal.abort("before"));
    expect(linked.signal.reason).toBe("before");
    expect(listeners(one.signal)).toBe(0);
  });

  test("can be aborted itself, which its sources do not notice", () => {
    const source = new AbortController();
    const linked = linkSignals(source.signal);
    linked.abort("done");
    expect(linked.signal.reason).toBe("done");
    expect(source.signal.aborted).toBe(false);
    expect(listeners(source.signal)).toBe(0);
  });

  test("without sources aborts only itself", () => {
    const linked = linkSignals(undefined);
    linked.abort();
    expect(linked.signal.reason).toMatchObject({ name: "AbortError" });
  });

  test("does not abort with its sources once it is released", () => {
    const source = new AbortController();
    const linked = linkSignals(source.signal);
    linked.release();
    source.abort();
    expect(linked.signal.aborted).toBe(false);
    expect(listeners(source.signal)).toBe(0);
  });

  test("is one of many at a source, which has one listener for all and none in the end", () => {
    const source = new AbortController();
    const all = Array.from({ length: 100 }, () => linkSignals(source.signal, source.signal));
    expect(listeners(source.signal)).toBe(1);
    for (const linked of all.slice(0, 50)) linked.release();
    expect(listeners(source.signal)).toBe(1);
    source.abort("end");
    expect(all.map(({ signal }) => signal.aborted)).toEqual(all.map((_, at) => at >= 50));
    expect(listeners(source.signal)).toBe(0);
  });

  test("that is linked while its source aborts is aborted", () => {
    const source = new AbortController();
    const first = linkSignals(source.signal);
    let second: AbortSignal | undefined;
    first.signal.addEventListener("abort", () => {
      second = linkSignals(source.signal).signal;
    });
    source.abort("now");
    expect(second?.reason).toBe("now");
    expect(listeners(source.signal)).toBe(0);
  });
});
