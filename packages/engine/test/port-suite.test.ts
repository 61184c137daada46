import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sdkClient, sdkPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { dynamoPortSuite, register } from "@tablekeep/port-suite";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openEngineOn } from "../src/engine.ts";
import { FolderStorage } from "../src/storage/folder-storage.ts";

const folders: string[] = [];

afterAll(async () => {
  for (const path of folders) await rm(path, { recursive: true, force: true });
});

/** Each way to use the engine as a port. */
const ways: Record<string, () => Promise<DynamoPort>> = {
  "the engine in memory": () => openEngine({ storage: { kind: "memory" } }),
  "the engine in a folder": async () => {
    const path = await mkdtemp(join(tmpdir(), "engine-suite-"));
    folders.push(path);
    return openEngine({ storage: { kind: "folder", path } });
  },
  "the engine in a folder on a slow disk": async () => {
    const path = await mkdtemp(join(tmpdir(), "engine-suite-"));
    folders.push(path);
    return openEngineOn(await FolderStorage.open(path, { slowFlushMs: 0 }));
  },
  "the engine through a client of the AWS SDK": async () => {
    const engine = await openEngine({ storage: { kind: "memory" } });
    const port = sdkPort(await sdkClient(engine));
    const close = () => port.close().then(() => engine.close());
    return { ...port, close, [Symbol.asyncDispose]: close };
  },
};

for (const [name, open] of Object.entries(ways)) {
  describe(name, () => {
    register(dynamoPortSuite({ open }), { test, beforeAll, afterAll });
  });
}
