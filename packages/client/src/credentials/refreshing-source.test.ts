import { type Clock, type LogFields, silentLogger } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { Credentials } from "./credentials.ts";
import { refreshingSource } from "./refreshing-source.ts";

const minute = 60_000;

/** A provider that the test scripts, a source over it and a clock. `fetches` are the requests it has had. */
function setUp(script: (fetch: number) => Promise<Credentials> | Credentials) {
  const clock = fakeClock({ startAt: Date.now() });
  const fetches: unknown[] = [];
  const warnings: LogFields[] = [];
  const provider = async (request?: { readonly forceRefresh?: boolean }) => {
    fetches.push(request);
    return script(fetches.length);
  };
  const logger = { ...silentLogger, warn: (_: string, fields?: LogFields) => warnings.push(fields ?? {}) };
  return { clock, fetches, warnings, source: refreshingSource("the test", provider, { clock, logger }) };
}

function endingIn(clock: { now(): number }, name: string, ms: number): Credentials {
  return { accessKeyId: name, secretAccessKey: "s", expiration: new Date(clock.now() + ms) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("renewal in the background", () => {
  test("a failed one keeps the old credentials, is logged without secrets, and is tried again after a pause", async () => {
    const setup = setUp((fetch) => {
      if (fetch === 2 || fetch === 3) throw new Error("secret-in-a-message");
      return endingIn(setup.clock, `K${fetch}`, 60 * minute);
    });
    const { clock, fetches, source, warnings } = setup;
    await source.get();
    await clock.advance(56 * minute);
    expect((await source.get()).accessKeyId).toBe("K1");
    await turn();
    expect((await source.get()).accessKeyId).toBe("K1");
    await turn();
    expect(fetches.length).toBe(2);
    await clock.advance(1_000);
    await source.get();
    await turn();
    await clock.advance(1_999);
    await source.get();
    await turn();
    expect(fetches.length).toBe(3);
    await clock.advance(1);
    await source.get();
    await turn();
    expect((await source.get()).accessKeyId).toBe("K4");
    expect(warnings).toEqual([
      { provider: "the test", code: "CLIENT_CREDENTIALS_FAILED" },
      { provider: "the test", code: "CLIENT_CREDENTIALS_FAILED" },
    ]);
  });

  test("a provider that still returns old or soon expiring credentials is not called on every request", async () => {
    const setup = setUp((fetch) => endingIn(setup.clock, `K${fetch}`, 2 * minute));
    const { fetches, source } = setup;
    for (let call = 0; call < 50; call++) {
      await source.get();
      await turn();
    }
    expect(fetches.length).toBe(1);
  });

  test("when the credentials have really ended, its failure is the caller's", async () => {
    const setup = setUp((fetch) => {
      if (fetch > 1) throw new Error("gone");
      return endingIn(setup.clock, "K1", 60 * minute);
    });
    await setup.source.get();
    await setup.clock.advance(60 * minute);
    await expect(setup.source.get()).rejects.toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      kind: "denied",
      details: { provider: "the test" },
    });
  });
});

describe("refresh by force", () => {
  test("100 rejected calls cause one fetch, which must not come from a cache", async () => {
    const { fetches, source } = setUp((fetch) => ({ accessKeyId: `K${fetch}`, secretAccessKey: "s" }));
    const stale = await source.get();
    const all = await Promise.all(Array.from({ length: 100 }, () => source.refresh(stale)));
    expect(new Set(all.map((each) => each.accessKeyId))).toEqual(new Set(["K2"]));
    expect(fetches).toEqual([{ forceRefresh: false }, { forceRefresh: true }]);
  });

  test("does nothing if the credentials were refreshed since", async () => {
    const { fetches, source } = setUp((fetch) => ({ accessKeyId: `K${fetch}`, secretAccessKey: "s" }));
    const stale = await source.get();
    await source.refresh(stale);
    expect((await source.refresh(stale)).accessKeyId).toBe("K2");
    expect(fetches.length).toBe(2);
  });

  test("a provider that has no newer ones is left alone for a while", async () => {
    const { clock, fetches, source } = setUp(() => ({ accessKeyId: "K", secretAccessKey: "s" }));
    const stale = await source.get();
    for (let call = 0; call < 50; call++) await source.refresh(stale);
    expect(fetches.length).toBe(2);
    await clock.advance(1_000);
    await source.refresh(stale);
    expect(fetches.length).toBe(3);
  });
});

describe("a provider that misbehaves", () => {
  test("one that never answers is abandoned after 30 s, and the next call retries", async () => {
    const { clock, source } = setUp((fetch) =>
      fetch === 1 ? new Promise(() => {}) : { accessKeyId: "K2", secretAccessKey: "s" },
    );
    const waiting = source.get();
    await turn();
    const rejected = expect(waiting).rejects.toMatchObject({ code: "CLIENT_CREDENTIALS_FAILED" });
    await clock.advance(30_000);
    await rejected;
    expect((await source.get()).accessKeyId).toBe("K2");
  });

  test("one that never answers does not keep the process alive after its callers have given up", async () => {
    const timers: unknown[] = [];
    const after: Clock["after"] = (ms, _callback, options) => {
      timers.push([ms, options?.background]);
      return () => {};
    };
    const clock = { ...fakeClock(), after };
    const source = refreshingSource("the test", () => new Promise(() => {}), { clock, logger: silentLogger });
    void source.get();
    await turn();
    expect(timers).toEqual([[30_000, true]]);
  });

  test("a caller that aborts does not wait, and the fetch continues for the others", async () => {
    let give: (credentials: Credentials) => void = () => {};
    const { fetches, source } = setUp(
      () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    );
    const abort = new AbortController();
    const impatient = source.get(abort.signal);
    const patient = source.get();
    abort.abort(new Error("enough"));
    await expect(impatient).rejects.toMatchObject({ code: "CLIENT_ABORTED", cause: new Error("enough") });
    await turn();
    give({ accessKeyId: "K", secretAccessKey: "s" });
    expect((await patient).accessKeyId).toBe("K");
    expect(fetches.length).toBe(1);
  });

  test("an answer that is not credentials is rejected by the field, not by its value", async () => {
    const { source } = setUp(() => ({ accessKeyId: "K", secretAccessKey: "" }));
    await expect(source.get()).rejects.toMatchObject({
      code: "CLIENT_CREDENTIALS_FAILED",
      details: { field: "secretAccessKey" },
    });
  });

  test("a secret that JSON.parse quotes in its error does not get out", async () => {
    const { source } = setUp(() => JSON.parse("hush-secret"));
    const error = await source.get().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "CLIENT_CREDENTIALS_FAILED" });
    const texts = [error, (error as Error).cause].map((each) => `${each} ${(each as Error).stack}`);
    expect(texts.join()).not.toContain("hush");
  });
});

test("credentials without an end are fetched once", async () => {
  const { clock, fetches, source } = setUp(() => ({ accessKeyId: "K", secretAccessKey: "s" }));
  await source.get();
  await clock.advance(10_000 * minute);
  await source.get();
  expect(fetches.length).toBe(1);
});
