import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DynamoPort, Random } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleChild } from "./children/start-child.ts";
import { scanAll } from "./tables.ts";

/*
 * What the engine's own storage leaves on a disk that loses power. A library that is preloaded into a writing process
 * records every write to `data.mdb` and `writes.log`, every flush that returned, and every acknowledgment, in order. From that
 * record the test builds the files as a power cut at any moment leaves them: what was flushed is there; of what was not, any part
 * may be.
 */

const hasCompiler = spawnSync("cc", ["--version"]).status === 0;

/** One record of `disk-log.c`. */
interface DiskEvent {
  readonly kind: "written" | "written-durably" | "flushed" | "acknowledged";
  /** The index in {@link fileNames}; -1 for an acknowledgment. */
  readonly file: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

const fileNames = ["data.mdb", "writes.log"] as const;

const kinds: Readonly<Record<string, DiskEvent["kind"]>> = {
  w: "written",
  d: "written-durably",
  s: "flushed",
  a: "acknowledged",
};

function parseLog(log: Buffer): DiskEvent[] {
  const events: DiskEvent[] = [];
  for (let at = 0; at < log.length; ) {
    const kind = kinds[String.fromCharCode(log[at] ?? 0)];
    if (kind === undefined) throw new Error(`no record at byte ${at}`);
    const length = Number(log.readBigInt64LE(at + 10));
    events.push({
      kind,
      file: (log[at + 1] ?? 0) - 1,
      offset: Number(log.readBigInt64LE(at + 2)),
      bytes: log.subarray(at + 18, at + 18 + length),
    });
    at += 18 + length;
  }
  return events;
}

type SeededRandom = Random & { int(from: number, to: number): number };

/** The files, and what was written to them and may be lost. */
class Disk {
  readonly #files = fileNames.map(() => new DiskFile());

  get unflushedWrites(): number {
    return this.#files.reduce((sum, { unflushedWrites }) => sum + unflushedWrites, 0);
  }

  play(event: DiskEvent): void {
    this.#files[event.file]?.play(event);
  }

  /** Writes the files to a folder as they are after a power cut. A file that nothing was written to does not exist. */
  async leave(path: string, random: SeededRandom): Promise<void> {
    for (const [at, file] of this.#files.entries()) {
      const content = file.afterPowerCut(random);
      if (content.length > 0) await writeFile(join(path, fileNames[at] as string), content);
    }
  }
}

class DiskFile {
  #flushed: Buffer = Buffer.alloc(0);
  #unflushed: DiskEvent[] = [];

  get unflushedWrites(): number {
    return this.#unflushed.length;
  }

  play(event: DiskEvent): void {
    if (event.kind === "written") this.#unflushed.push(event);
    if (event.kind === "written-durably") this.#flushed = applied(this.#flushed, event.offset, event.bytes);
    if (event.kind !== "flushed") return;
    for (const { offset, bytes } of this.#unflushed) this.#flushed = applied(this.#flushed, offset, bytes);
    this.#unflushed = [];
  }

  /**
   * Returns the file after a power cut: each write that was not flushed is complete, missing, or ends after some
   * sectors.
   */
  afterPowerCut(random: SeededRandom): Buffer {
    let file: Buffer = Buffer.from(this.#flushed);
    for (const { offset, bytes } of this.#unflushed) {
      const sectors = Math.ceil(bytes.length / 512);
      const kept = [0, sectors, random.int(0, sectors)][random.int(0, 2)] as number;
      file = applied(file, offset, bytes.subarray(0, kept * 512));
    }
    return file;
  }
}

function applied(file: Buffer, offset: number, bytes: Buffer): Buffer {
  const end = offset + bytes.length;
  const longer = end <= file.length ? file : Buffer.concat([file, Buffer.alloc(end - file.length)]);
  bytes.copy(longer, offset);
  return longer;
}

describe.skipIf(process.platform !== "linux" || !hasCompiler)(
  "power cuts (on Linux, with a C compiler)",
  () => {
    let base = "";
    let script = "";
    let library = "";
    beforeAll(async () => {
      base = await mkdtemp(join(tmpdir(), "engine-power-cut-"));
      library = join(base, "disk-log.so");
      const source = fileURLToPath(new URL("children/disk-log.c", import.meta.url));
      const compiled = spawnSync("cc", [
        "-shared",
        "-fPIC",
        "-Wall",
        "-Werror",
        "-o",
        library,
        source,
        "-ldl",
        "-lpthread",
      ]);
      expect(String(compiled.stderr)).toBe("");
      script = await bundleChild("power-cut-writer");
    });
    afterAll(async () => {
      await rm(base, { recursive: true, force: true });
      await rm(dirname(script), { recursive: true, force: true });
    });

    /** Lets a process write into a new folder; returns the folder and what reached its disk. */
    async function record(
      name: string,
      durable: boolean,
      ...limits: readonly string[]
    ): Promise<{ folder: string; events: DiskEvent[] }> {
      const folder = join(base, name);
      const log = join(base, `${name}.log`);
      const DISK_FILES = fileNames.map((file) => `/${name}/${file}`).join(":");
      const env = { ...process.env, LD_PRELOAD: library, DISK_LOG: log, DISK_FILES };
      const writer = spawnSync(process.execPath, [script, folder, String(durable), "12", ...limits], { env });
      expect([writer.status, String(writer.stderr)]).toEqual([0, ""]);
      return { folder, events: parseLog(await readFile(log)) };
    }

    const idsOf = ({ bytes }: DiskEvent) => (JSON.parse(String(bytes)) as { ids: string[] }).ids;

    /** Returns the keys of all change records. */
    async function streamedIds(engine: DynamoPort): Promise<string[]> {
      const { Streams = [] } = await engine.listStreams({ TableName: "items" });
      const { StreamArn } = Streams[0] ?? {};
      const { StreamDescription } = await engine.describeStream({ StreamArn });
      const { ShardId } = StreamDescription?.Shards?.[0] ?? {};
      let { ShardIterator } = await engine.getShardIterator({
        StreamArn,
        ShardId,
        ShardIteratorType: "TRIM_HORIZON",
      });
      const ids: string[] = [];
      for (;;) {
        const { Records = [], NextShardIterator } = await engine.getRecords({ ShardIterator });
        if (Records.length === 0) return ids;
        ids.push(...Records.map(({ dynamodb }) => dynamodb?.Keys?.["id"]?.S ?? ""));
        ShardIterator = NextShardIterator;
      }
    }

    /** Returns how many acknowledgments were sent while a write to the file was not flushed. */
    function earlyAcknowledgments(events: readonly DiskEvent[]): number {
      const disk = new Disk();
      let early = 0;
      for (const event of events) {
        disk.play(event);
        if (event.kind === "acknowledged" && disk.unflushedWrites > 0) early++;
      }
      return early;
    }

    /** Where commits wait: on the event loop, beside it, and on a limit at which they change between both. And the length of the log. */
    const places = [
      ["on the event loop", "1e9", "0"],
      ["on the event loop, in a log", "1e9", "4000000"],
      ["on the event loop, in a log that is often full", "1e9", "60000"],
      ["beside the event loop", "0", "60000"],
      ["sometimes beside it", "0.3", "60000"],
    ] as const;

    test.each(places)(
      "every write is flushed before it is acknowledged, with commits %s",
      async (place, ...limits) => {
        const { events } = await record(`ordered ${place}`, true, ...limits);
        const count = (kind: DiskEvent["kind"]) => events.filter((event) => event.kind === kind).length;
        expect(count("acknowledged")).toBe(4 * 12 * 4);
        expect(count("flushed")).toBeGreaterThan(12);
        expect(earlyAcknowledgments(events)).toBe(0);
      },
    );

    test.each(places)(
      "no acknowledged write is lost or partial when the power is cut, with commits %s",
      async (place, ...limits) => {
        const { folder, events } = await record(`cut ${place}`, true, ...limits);
        const first = events.findIndex(({ kind }) => kind === "acknowledged");
        // The power is cut right after a write or a flush.
        const moments = events.flatMap(({ kind }, at) =>
          at > first && kind !== "acknowledged" ? [at + 1] : [],
        );
        const random = seededRandom(`power cut ${place}`);
        let cutsInWrites = 0;
        for (let cut = 0; cut < 40; cut++) {
          const disk = new Disk();
          const until = moments[random.int(0, moments.length - 1)] as number;
          const acknowledged: string[] = [];
          for (const event of events.slice(0, until)) {
            disk.play(event);
            if (event.kind === "acknowledged") acknowledged.push(...idsOf(event));
          }
          if (disk.unflushedWrites > 0) cutsInWrites++;
          const path = join(base, `after-cut-${cut} ${place}`);
          await mkdir(path);
          await cp(join(folder, "format.json"), join(path, "format.json"));
          await disk.leave(path, random);
          const engine = await openEngine({ storage: { kind: "folder", path } });
          const there = new Set(
            (await scanAll(engine, undefined, "items")).map((item) => item["id"]?.S ?? ""),
          );
          const streamed = await streamedIds(engine);
          await engine.close();
          // Each item has its change record: it is inserted once.
          expect(streamed.toSorted()).toEqual([...there].sort());
          expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
          for (const id of there) {
            if (id.endsWith("1of2")) expect(there).toContain(id.replace("1of2", "2of2"));
            if (id.endsWith("2of2")) expect(there).toContain(id.replace("2of2", "1of2"));
          }
        }
        // The cuts do hit writes that were not flushed yet.
        expect(cutsInWrites).toBeGreaterThan(10);
      },
    );

    test("flushes nothing with durable: false", async () => {
      const { events } = await record("fast", false);
      expect(events.filter(({ kind }) => kind === "flushed" || kind === "written-durably")).toEqual([]);
      expect(earlyAcknowledgments(events)).toBe(4 * 12 * 4);
    });
  },
);
