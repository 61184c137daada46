/** A server whose disk takes long to flush answers what needs no flush, and stores what waited with few flushes. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../build-program.ts";
import { until } from "../shadow/packet-client.ts";
import { startServed } from "../shadow/served-process.ts";
import { tempFolder } from "../temp-folder.ts";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0;
const folder = tempFolder();
const files = { HELD_FLUSH: `${folder}.held`, FLUSH_LOG: `${folder}.flushes` };
const library = `${folder}.so`;
let program = "";

const hold = () => writeFileSync(files.HELD_FLUSH, "");
const release = () => rmSync(files.HELD_FLUSH);
const flushes = () => (existsSync(files.FLUSH_LOG) ? readFileSync(files.FLUSH_LOG, "latin1") : "");

/** Sends a request on its own connection; resolves with the status of the response. */
async function statusOf(method: string, url: URL, body?: string): Promise<number | undefined> {
  const sent = request(url, { method, agent: new Agent({ keepAlive: false }) });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

beforeAll(async () => {
  if (!hasCompiler) return;
  const source = fileURLToPath(new URL("held-flush.c", import.meta.url));
  const args = ["-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"];
  expect(String(spawnSync("cc", args).stderr)).toBe("");
  program = await buildProgram();
});

describe.skipIf(process.platform !== "linux" || !hasCompiler)(
  "a slow disk (on Linux, with a C compiler)",
  () => {
    test("delays writes only, which share its flushes; kill -9 loses none that was answered", async () => {
      const leftOut = ["smtp", "dynamodb", "mqtt"] as const;
      const served = startServed(program, folder, leftOut, [], [], { LD_PRELOAD: library, ...files });
      const { http = "" } = await served.urls;
      const at = (path: string) => new URL(path, http);
      const create = (thing: string) =>
        statusOf("POST", at(`/things/${thing}/shadow`), '{"state":{"reported":{"on":true}}}');
      expect(await create("first")).toBe(200);

      hold();
      const before = flushes().length;
      const answers: (number | undefined)[] = [];
      const creations = [create("held").then((status) => answers.push(status))];
      await until(() => flushes().length > before);
      for (let thing = 0; thing < 100; thing++)
        creations.push(create(`thing-${thing}`).then((status) => answers.push(status)));
      for (let round = 0; round < 20; round++) expect(await statusOf("GET", at("/healthz"))).toBe(200);
      expect(await statusOf("GET", at("/things/first/shadow"))).toBe(200);
      expect(await statusOf("GET", at("/things/held/shadow"))).toBe(404);
      expect([answers, flushes().length]).toEqual([[], before + 1]);
      release();
      await Promise.all(creations);
      expect(new Set(answers)).toEqual(new Set([200]));
      const own = flushes().slice(before);
      expect(own).toMatch(/^t{2,20}$/);

      hold();
      const lost = create("killed").catch(() => undefined);
      await until(() => flushes().length > before + own.length);
      await served.kill();
      await lost;
      release();
      const again = startServed(program, folder, leftOut);
      const { http: later = "" } = await again.urls;
      for (const thing of ["first", "held", "thing-0", "thing-99"])
        expect(await statusOf("GET", new URL(`/things/${thing}/shadow`, later))).toBe(200);
      expect(await statusOf("GET", new URL("/things/killed/shadow", later))).toBe(404);
      expect(await again.stop()).toBe(0);
    });
  },
);
