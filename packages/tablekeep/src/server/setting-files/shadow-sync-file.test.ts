import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { chooseShadows } from "../shadow/sync/choose-shadows.ts";
import { checkShadowSync, readShadowSyncFile } from "./shadow-sync-file.ts";

const endpoint = "https://example-ats.iot.eu-central-1.amazonaws.com";
const shadows = [{ things: "lamp-*" }];

function read(content: unknown) {
  const path = join(tempFolder(), "..", "sync.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return readShadowSyncFile(path);
}

test("a file names the cloud, and the shadows by patterns", () => {
  expect(read({ endpoint, shadows })).toMatchObject({ endpoint, shadows });
  const all = {
    endpoint: "http://127.0.0.1:8025",
    region: "eu-west-1",
    realtime: false,
    everySeconds: 60,
    conflicts: "newest",
    shadows: [{ things: "a", shadows: "*", direction: "toCloud" }],
  };
  expect(read(all)).toEqual(all);
});

test.each([
  ["{", undefined],
  [[], ""],
  [{ shadows }, "/endpoint"],
  [{ endpoint: "example.com", shadows }, "/endpoint"],
  [{ endpoint: `${endpoint}/things`, shadows }, "/endpoint"],
  [{ endpoint: "https://me:secret@example.com", shadows }, "/endpoint"],
  [{ endpoint }, "/shadows"],
  [{ endpoint, shadows: [] }, "/shadows"],
  [{ endpoint, shadows: [{}] }, "/shadows/0/things"],
  [{ endpoint, shadows: [...shadows, { things: "a", shadows: 1 }] }, `/shadows/${shadows.length}/shadows`],
  [{ endpoint, shadows: [{ things: "a", direction: "up" }] }, "/shadows/0/direction"],
  [{ endpoint, shadows: [{ thing: "a" }] }, "/shadows/0/thing"],
  [{ endpoint, shadows, conflicts: "mine" }, "/conflicts"],
  [{ endpoint, shadows, everySeconds: 0 }, "/everySeconds"],
  [{ endpoint, shadows, realtime: 1 }, "/realtime"],
  [{ endpoint, shadows, region: "Frankfurt!" }, "/region"],
])("%j is an error that says where to correct it", (content, pointer) => {
  let error: unknown;
  try {
    read(content);
  } catch (thrown) {
    error = thrown;
  }
  const details = expect.objectContaining({ pointer });
  expect(error).toMatchObject({ code: "SERVER_SHADOW_SYNC_INVALID", details });
  expect(String(error)).not.toContain("secret@");
});

test("options of a server are checked in the same way", () => {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  checkShadowSync({ endpoint, credentials, shadows });
  let error: unknown;
  try {
    checkShadowSync({ endpoint: "example.com", shadows });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "SERVER_OPTION_INVALID", details: { option: "shadows.sync" } });
});

test("the first entry that matches counts, and names that AWS rejects match none", () => {
  const chosen = chooseShadows([
    { things: "lamp-1", direction: "toCloud" },
    { things: "lamp-*", shadows: "*" },
    { things: "door", shadows: "config" },
  ]);
  expect(chosen.entryOf({ id: "lamp-1", name: "" })?.direction).toBe("toCloud");
  expect(chosen.entryOf({ id: "lamp-1", name: "x" })?.shadows).toBe("*");
  expect(chosen.entryOf({ id: "door", name: "" })).toBeUndefined();
  expect(chosen.entryOf({ id: "lamp-#", name: "" })).toBeUndefined();
  expect(chosen.named).toEqual([
    { id: "lamp-1", name: "" },
    { id: "door", name: "config" },
  ]);
  expect([chosen.mayHaveMore("lamp-2"), chosen.mayHaveMore("door")]).toEqual([true, false]);
});
