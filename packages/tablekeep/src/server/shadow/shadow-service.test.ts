import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openShadowManager, type ShadowChange, shadowTableSpec } from "@tablekeep/shadow";
import { expect, test } from "vitest";
import { until } from "../../../test/shadow/packet-client.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { shadowFeed } from "./shadow-service.ts";

test("a write whose caller gives up while it is under way is reported once it is stored", async () => {
  await using engine = await openEngine({ storage: { kind: "folder", path: tempFolder() } });
  const table = shadowTableSpec().name;
  await ensureTable(engine, shadowTableSpec());
  // The caller gives up as soon as the write is sent: what a deadline does at the worst moment.
  let gone = new AbortController();
  const port = wrapPort(engine, (operation, input, options, next) => {
    const answer = next(operation, input, options);
    if (/^(?:updateItem|transactWriteItems)$/i.test(operation)) gone.abort(new Error("too late"));
    return answer;
  });
  const manager = openShadowManager(port);
  const feed = shadowFeed({ engine }, { table, manager, clock: systemClock, logger: silentLogger });
  const heard: ShadowChange[] = [];
  feed.listen((change) => heard.push(change));
  for (const version of [1, 2, 3]) {
    gone = new AbortController();
    const outcome = await manager.report({ id: "lamp", state: { version } }, { signal: gone.signal });
    expect(outcome.kind).toBe("unknown");
    await until(() => heard.length === version);
    expect(heard.at(-1)).toMatchObject({ kind: "updated", version, update: { current: { version } } });
  }
  feed.close();
  await openShadowManager(engine).report({ id: "lamp", state: { version: 4 } });
  expect(heard).toHaveLength(3);
});
