import type { DynamoPort, Tag } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";

const api = "AWS: API_TagResource";

async function taggedTable(world: PortWorld, Tags?: Tag[]): Promise<string> {
  const TableName = await ownTable(world, Tags === undefined ? {} : { Tags });
  const { Table } = await world.port.describeTable({ TableName });
  return Table?.TableArn ?? "";
}

async function tagsOf(port: DynamoPort, ResourceArn: string): Promise<Tag[]> {
  const { Tags } = await port.listTagsOfResource({ ResourceArn });
  return [...(Tags ?? [])].sort((one, two) => ((one.Key ?? "") < (two.Key ?? "") ? -1 : 1));
}

const cases: readonly PortCase[] = [
  {
    name: "ListTagsOfResource of a table without tags gives none",
    source: "AWS: API_ListTagsOfResource",
    async run(world) {
      same(await tagsOf(world.port, await taggedTable(world)), []);
    },
  },
  {
    name: "CreateTable takes tags",
    source: "AWS: API_CreateTable",
    async run(world) {
      const tags = [
        { Key: "a", Value: "1" },
        { Key: "b", Value: "" },
      ];
      same(await tagsOf(world.port, await taggedTable(world, tags)), tags);
    },
  },
  {
    name: "TagResource adds tags and replaces those of the same key",
    source: api,
    async run(world) {
      const { port } = world;
      const ResourceArn = await taggedTable(world);
      await port.tagResource({
        ResourceArn,
        Tags: [
          { Key: "a", Value: "1" },
          { Key: "b", Value: "2" },
        ],
      });
      await port.tagResource({
        ResourceArn,
        Tags: [
          { Key: "b", Value: "new" },
          { Key: "c", Value: "3" },
        ],
      });
      same(await tagsOf(port, ResourceArn), [
        { Key: "a", Value: "1" },
        { Key: "b", Value: "new" },
        { Key: "c", Value: "3" },
      ]);
    },
  },
  {
    name: "UntagResource removes tags and passes over those that are not there",
    source: "AWS: API_UntagResource",
    async run(world) {
      const { port } = world;
      const ResourceArn = await taggedTable(world);
      await port.tagResource({
        ResourceArn,
        Tags: [
          { Key: "a", Value: "1" },
          { Key: "b", Value: "2" },
        ],
      });
      await port.untagResource({ ResourceArn, TagKeys: ["a", "absent"] });
      same(await tagsOf(port, ResourceArn), [{ Key: "b", Value: "2" }]);
    },
  },
  {
    name: "ListTagsOfResource gives all 50 tags of a table at once",
    source: "AWS: API_ListTagsOfResource, Tagging restrictions",
    async run(world) {
      const ResourceArn = await taggedTable(world);
      const tags = Array.from({ length: 50 }, (_, at) => ({ Key: `k${at + 10}`, Value: String(at) }));
      await world.port.tagResource({ ResourceArn, Tags: tags });
      const page = await world.port.listTagsOfResource({ ResourceArn });
      same([page.Tags?.length, page.NextToken], [50, undefined]);
      same(await tagsOf(world.port, ResourceArn), tags);
    },
  },
  {
    name: "TagResource takes letters, white space, numbers and + - = . _ : / @, and nothing else",
    source: "AWS docs: Tagging restrictions in DynamoDB",
    async run(world) {
      const ResourceArn = await taggedTable(world);
      const Tags = [{ Key: "Größe 1+-=._:/@", Value: "é 2+-=._:/@" }];
      await world.port.tagResource({ ResourceArn, Tags });
      same(await tagsOf(world.port, ResourceArn), Tags);
      for (const sign of ["!", "#", "<", "\n", '"']) {
        const odd = (tag: Tag) => world.port.tagResource({ ResourceArn, Tags: [tag] });
        await refuses(odd({ Key: `a${sign}`, Value: "" }), "ValidationException", "Member must satisfy");
        await refuses(odd({ Key: "a", Value: sign }), "ValidationException", "Member must satisfy");
      }
    },
  },
  {
    name: "TagResource of a table that does not exist is refused",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { Table } = await port.describeTable({ TableName: tables.simple });
      const ResourceArn = (Table?.TableArn ?? "").replace(tables.simple, unique());
      await refuses(
        port.tagResource({ ResourceArn, Tags: [{ Key: "a", Value: "1" }] }),
        "ResourceNotFoundException",
      );
    },
  },
  {
    name: "TagResource refuses something that is no ARN",
    source: api,
    async run({ port }) {
      const call = port.tagResource({ ResourceArn: "not-an-arn", Tags: [{ Key: "a", Value: "1" }] });
      await refuses(call, "ValidationException");
    },
  },
];

export const tagCases: readonly PortCase[] = cases.map((each) => ({ ...each, ...localGap("has no tags") }));
