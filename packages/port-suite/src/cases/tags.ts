import type { Tag } from "@tablekeep/core";
import { upTo } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { rejects, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";

const tag = (Key: string, Value: string): Tag => ({ Key, Value });

/** A new table, and what can be done to its tags. */
async function tagged(world: PortWorld, Tags?: Tag[]) {
  const { port } = world;
  const TableName = await ownTable(world, Tags === undefined ? {} : { Tags });
  const ResourceArn = (await port.describeTable({ TableName })).Table?.TableArn ?? "";
  return {
    add: (...tags: Tag[]) => port.tagResource({ ResourceArn, Tags: tags }),
    remove: (...TagKeys: string[]) => port.untagResource({ ResourceArn, TagKeys }),
    /** All tags, in the order of their keys. */
    list: async () => {
      const page = await port.listTagsOfResource({ ResourceArn });
      same(page.NextToken, undefined);
      return [...(page.Tags ?? [])].sort((one, two) => ((one.Key ?? "") < (two.Key ?? "") ? -1 : 1));
    },
  };
}

export const tagCases: readonly PortCase[] = cases({ source: "AWS: API_TagResource", gap: "has no tags" }, [
  {
    name: "ListTagsOfResource of a table without tags returns none",
    source: "AWS: API_ListTagsOfResource",
    async run(world) {
      same(await (await tagged(world)).list(), []);
    },
  },
  {
    name: "CreateTable accepts tags",
    source: "AWS: API_CreateTable",
    async run(world) {
      const tags = [tag("a", "1"), tag("b", "")];
      same(await (await tagged(world, tags)).list(), tags);
    },
  },
  {
    name: "TagResource adds tags and replaces those of the same key",
    async run(world) {
      const { add, list } = await tagged(world);
      await add(tag("a", "1"), tag("b", "2"));
      await add(tag("b", "new"), tag("c", "3"));
      same(await list(), [tag("a", "1"), tag("b", "new"), tag("c", "3")]);
    },
  },
  {
    name: "UntagResource removes tags and passes over those that are not there",
    source: "AWS: API_UntagResource",
    async run(world) {
      const { add, remove, list } = await tagged(world);
      await add(tag("a", "1"), tag("b", "2"));
      await remove("a", "absent");
      same(await list(), [tag("b", "2")]);
    },
  },
  {
    name: "ListTagsOfResource returns all 50 tags of a table at once",
    source: "AWS: API_ListTagsOfResource, Tagging restrictions",
    async run(world) {
      const { add, list } = await tagged(world);
      const tags = upTo(50).map((at) => tag(`k${at + 10}`, String(at)));
      await add(...tags);
      same(await list(), tags);
    },
  },
  {
    name: "TagResource accepts letters, white space, numbers and + - = . _ : / @, and nothing else",
    source: "AWS docs: Tagging restrictions in DynamoDB",
    async run(world) {
      const { add, list } = await tagged(world);
      const allowed = tag("Größe 1+-=._:/@", "é 2+-=._:/@");
      await add(allowed);
      same(await list(), [allowed]);
      for (const sign of ["!", "#", "<", "\n", '"']) {
        await rejects(add(tag(`a${sign}`, "")), "ValidationException", "The Tag Key provided is invalid");
        await rejects(add(tag("a", sign)), "ValidationException", "The Tag Value provided is invalid");
      }
    },
  },
  {
    name: "TagResource of a table that does not exist is rejected",
    async run({ port, tables, unique }) {
      const { Table } = await port.describeTable({ TableName: tables.simple });
      const ResourceArn = (Table?.TableArn ?? "").replace(tables.simple, unique());
      const call = port.tagResource({ ResourceArn, Tags: [tag("a", "1")] });
      await rejects(call, "ResourceNotFoundException");
    },
  },
  {
    name: "TagResource rejects something that is not an ARN",
    tagResource: { ResourceArn: "not-an-arn", Tags: [tag("a", "1")] },
    rejected: "",
  },
]);
