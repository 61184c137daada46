import { buildPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { isFeedError } from "../feed-error.ts";
import { ShardTree } from "./shard-tree.ts";
import { streamSettings } from "./stream-options.ts";

const hour = 60 * 60 * 1000;

function treeOf(seenUntil: ReadonlyMap<string, number> = new Map(), from = new Map<string, bigint>()) {
  const clock = fakeClock();
  const port = buildPort(
    async () => expect.unreachable("a tree sends nothing"),
    async () => {},
  );
  const settings = streamSettings(port, "arn", { tableName: "things", clock });
  return { clock, tree: new ShardTree(settings, from, { seenUntil }) };
}

const idsOf = (shards: readonly { readonly id: string }[]) => shards.map(({ id }) => id);
const list = (...shards: (readonly [string, string?])[]) => ({
  enabled: true,
  shards: shards.map(([id, parent]) => ({ id, ...(parent !== undefined && { parent }) })),
});

test("starts roots, and children once their parent has ended", () => {
  const { tree } = treeOf();
  tree.update(list(["a"], ["b", "a"], ["c", "a"], ["d", "trimmed"]));
  expect(idsOf(tree.advance())).toEqual(["a", "d"]);
  const [a] = tree.open;
  if (a !== undefined) a.ended = true;
  expect(idsOf(tree.advance())).toEqual(["a", "b", "c"]);
  expect(idsOf(tree.open)).toEqual(["d", "b", "c"]);
});

test("forgets shards that are no longer listed, and reports each once", () => {
  const { tree } = treeOf();
  let parent: string | undefined;
  const gone: string[] = [];
  for (let at = 0; at < 200; at++) {
    const id = `shard ${at}`;
    gone.push(...tree.update(list(...(parent === undefined ? [] : [[parent] as const]), [id, parent])));
    tree.advance();
    for (const reader of tree.open) reader.ended = reader.id !== id;
    tree.advance();
    expect(idsOf(tree.open)).toEqual([id]);
    parent = id;
  }
  expect(gone).toEqual(Array.from({ length: 198 }, (_, at) => `shard ${at}`));
});

test("starts the children of a shard that is gone and had been read", () => {
  const { clock, tree } = treeOf(new Map([["a", Date.UTC(2020, 0, 1)]]));
  tree.update(list(["a"], ["b", "a"]));
  tree.advance();
  clock.jump(hour);
  expect(tree.update(list(["b", "a"]))).toEqual(["a"]);
  tree.advance();
  expect(idsOf(tree.open)).toEqual(["b"]);
  expect(tree.update(list(["b", "a"]))).toEqual([]);
});

test.each([
  ["with an old time", new Map([["a", Date.UTC(2020, 0, 1) - 25 * hour]]), new Map()],
  ["without a time", new Map(), new Map([["a", 7n]])],
])("a shard of a checkpoint %s that is gone is an error", (_name, seenUntil, from) => {
  const { tree } = treeOf(seenUntil, from);
  let thrown: unknown;
  try {
    tree.update(list(["b", "a"]));
  } catch (error) {
    thrown = error;
  }
  expect(isFeedError(thrown, "FEED_STREAM_TRIMMED") && thrown.details.shard).toBe("a");
});
