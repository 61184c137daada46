import { DynamoError, sleep } from "@tablekeep/core";
import { expect, test } from "vitest";
import { append, layouts, singles } from "./journal-world.ts";
import { liveWorld } from "./live-world.ts";

test.each(layouts)(
  "%s: a live query of ids returns each once, through an outage, until the signal",
  async (layout) => {
    const { engine, journal, followed, clock, interfere, inTime, warnings } = await liveWorld({ layout });
    await append(journal, "a", singles(1, 1));
    const stop = new AbortController();
    const given: string[] = [];
    await inTime(async () => {
      const following = (async () => {
        for await (const { persistenceId } of followed.persistenceIds({ signal: stop.signal }))
          given.push(persistenceId);
      })();
      await sleep(clock, 1000);
      const exception = "ProvisionedThroughputExceededException";
      interfere(() => Promise.reject(new DynamoError({ exception, serviceMessage: "not now" })));
      await append(journal, "b", singles(1, 1));
      await sleep(clock, 20_000);
      expect(given).toEqual(["a"]);
      interfere(undefined);
      await sleep(clock, 20_000);
      stop.abort();
      await following;
    });
    expect(given).toEqual(["a", "b"]);
    expect(warnings.length).toBeGreaterThan(0);
    await engine.close();
  },
);
