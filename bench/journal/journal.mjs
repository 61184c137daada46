/**
 * The journal in the packed layout: appends and replays a second, 1 KB events of three shapes.
 * In process on a durable folder beside the floor, which is the same requests on the raw port with the same codec; then
 * over HTTP beside castore's DynamoDB adapter on the stock AWS SDK, each side on its own server; then both on DynamoDB
 * Local, if there is a Java. A single append also stands beside the least that any client and server could do: an exchange and one
 * flush. BENCH_LAYOUTS=packed,bucketed,floor adds columns over HTTP: another layout, and the floor, which no journal
 * can exceed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTable, httpPort } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { javaVersion, startDynamoDbLocal } from "../../scripts/lib/dynamodb-local.mjs";
import { startProgram } from "../engine/sides/start-server.mjs";
import { shapes } from "../lib/shapes.mjs";
import { finish } from "../lib/targets.mjs";
import { castoreSide } from "./sides/castore-side.mjs";
import { compareSides } from "./sides/compare-sides.mjs";
import { exchangeFloor } from "./sides/exchange-floor.mjs";
import { journalSide } from "./sides/journal-side.mjs";
import { packedFloor } from "./sides/packed-floor.mjs";
import { expectSameRequests } from "./sides/same-requests.mjs";
import { worksOn } from "./sides/works.mjs";

const layouts = (process.env.BENCH_LAYOUTS ?? "packed").split(",");
/** BENCH_ON=process,http,floor,local restricts a run to some of the places. */
const places = (process.env.BENCH_ON ?? "process,http,floor,local").split(",");
const folder = mkdtempSync(join(tmpdir(), "tablekeep-bench-"));
const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };

const overHttp = (work) => (work === "replay of 100 single" ? 1.5 : 3);
const engineServer = (path) => startProgram("engine-server.mjs", [join(folder, path)]);

await expectSameRequests(packedFloor, journalSide, shapes[0]);
for (const shape of shapes) {
  if (places.includes("process")) await inProcess(shape);
  if (places.includes("http"))
    await besideCastore("Over HTTP, durable folder", engineServer, overHttp, shape);
  if (places.includes("floor")) await besideExchange(shape);
  if (places.includes("local") && javaVersion() >= 17)
    await besideCastore(
      "DynamoDB Local in memory",
      () => startDynamoDbLocal(),
      () => 1.5,
      shape,
    );
}
rmSync(folder, { recursive: true, force: true });
finish();

async function inProcess(shape) {
  const path = join(folder, `in-process-${shape.name}`);
  const engine = await openEngine({ storage: { kind: "folder", path } });
  const sides = {
    floor: { works: worksOn(await onTable(engine, packedFloor, "packed"), shape) },
    packed: { works: worksOn(await onTable(engine, journalSide, "packed"), shape) },
  };
  await compareSides(`In process, durable folder, ${shape.title}`, sides, () => 0.8);
  await engine.close();
}

/** Each side has a server to itself, so that the CPU of a server is that of its side. */
async function besideCastore(title, start, target, shape) {
  const ends = [];
  const sides = { castore: await connected(start, "castore", shape, ends) };
  for (const layout of layouts) sides[layout] = await connected(start, layout, shape, ends);
  await compareSides(`${title}, ${shape.title}`, sides, target);
  for (const end of ends) await end();
}

/** A single append beside the least that any client and server can do on these processes and this disk. */
async function besideExchange(shape) {
  const work = "append, 1 id";
  const ends = [];
  const exchange = async (how) => {
    const args = [how, join(folder, `exchange-${how}-${shape.name}`)];
    const { endpoint, pid, stop } = await startProgram(
      "exchange.mjs",
      args,
      new URL("server/", import.meta.url),
    );
    const floor = await exchangeFloor(endpoint, shape);
    ends.push(floor.close, stop);
    return { works: { [work]: { inFlight: 1, run: floor.exchange } }, pid };
  };
  const append = async (side) => {
    const { works, pid } = await connected(engineServer, side, shape, ends, "floor");
    return { works: { [work]: works[work] }, pid };
  };
  const sides = {
    castore: await append("castore"),
    commit: await exchange("commit"),
    flush: await exchange("flush"),
    packed: await append("packed"),
  };
  await compareSides(`An exchange and one commit or flush, ${shape.title}`, sides, () => undefined);
  for (const end of ends) await end();
}

/** A side over HTTP, on its own server. */
async function connected(start, name, shape, ends, place = "") {
  const { endpoint, pid, stop } = await start(`${place}${name}-${shape.name}`);
  const port = httpPort({
    endpoint,
    region: "us-east-1",
    credentials,
    maxConnections: 64,
    socketTimeoutMs: 60_000,
  });
  ends.push(async () => {
    await port.close();
    stop();
  });
  return { works: worksOn(await sideOn(name, port, endpoint), shape), pid };
}

function sideOn(name, port, endpoint) {
  if (name === "castore") return castoreSide(endpoint, port);
  return name === "floor" ? onTable(port, packedFloor, "packed") : onTable(port, journalSide, name);
}

async function onTable(port, makeSide, layout) {
  const options = { table: `bench-${makeSide.name.toLowerCase()}`, layout };
  await ensureTable(port, { ...journalTableSpec(options) });
  return makeSide(port, await openJournal(port, options), options.table);
}
