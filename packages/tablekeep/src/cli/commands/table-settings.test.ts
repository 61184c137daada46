import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openEngine } from "@tablekeep/engine";
import { beforeAll, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

const data = tempFolder();
const outside = dirname(data);

async function tables(...argv: string[]) {
  const { code, stdout, stderr } = await runMain(["table", ...argv, "--data", data]);
  return { code, stdout, stderr };
}

/** The expiry settings and the tags of a table. */
async function settingsOf(TableName: string) {
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  const { Table } = await engine.describeTable({ TableName });
  const { TimeToLiveDescription } = await engine.describeTimeToLive({ TableName });
  const { Tags } = await engine.listTagsOfResource({ ResourceArn: Table?.TableArn });
  return { ttl: TimeToLiveDescription?.AttributeName, tags: Tags };
}

const later = { N: "4102444800" };
const due = { N: String(Math.floor(Date.now() / 1000) - 3600) };
const Tags = [
  { Key: "stage", Value: "" },
  { Key: "team", Value: "shop" },
];
const description = {
  TableName: "carts",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
};
const dump = {
  TableDescription: description,
  TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "expires" },
  Tags,
  Items: [{ id: { S: "a" }, expires: later }],
};

beforeAll(async () => {
  await (await openEngine({ storage: { kind: "folder", path: data } })).close();
});

function fileOf(name: string, content: object): string {
  const file = join(outside, `${name}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test("a dump carries expiry and tags, and load sets them in a new table", async () => {
  const { code, stdout } = await tables("import", fileOf("carts", dump), "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { created: true, notes: [] }]);
  expect(await settingsOf("carts")).toEqual({ ttl: "expires", tags: Tags });
  const output = join(outside, "again.json");
  expect(await tables("export", "carts", "--output", output)).toMatchObject({ code: 0 });
  const again = JSON.parse(readFileSync(output, "utf8")) as object;
  expect(again).toMatchObject(dump);
  expect(Object.keys(again)).toEqual(["TableDescription", "TimeToLiveDescription", "Tags", "Items"]);
  await tables("import", output, "--table", "copy");
  expect(await settingsOf("copy")).toEqual({ ttl: "expires", tags: Tags });
});

test("settings after the items are used if the description is there, too", async () => {
  const { Items, ...rest } = dump;
  const { code } = await tables("import", fileOf("behind", { Items, ...rest }), "--table", "behind");
  expect([code, await settingsOf("behind")]).toEqual([0, { ttl: "expires", tags: Tags }]);
});

test("--no-ttl keeps items that have expired", async () => {
  const file = fileOf("due", { ...dump, Items: [{ id: { S: "a" }, expires: due }] });
  await tables("import", file, "--table", "kept", "--no-ttl");
  expect((await settingsOf("kept")).ttl).toBeUndefined();
  await using engine = await openEngine({ storage: { kind: "folder", path: data } });
  expect((await engine.scan({ TableName: "kept" })).Count).toBe(1);
});

test("an existing table keeps its expiry, and load reports it", async () => {
  await tables("create", "--table", "plain", "--partition-key", "id");
  const { code, stdout } = await tables("import", fileOf("carts", dump), "--table", "plain", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { created: false, notes: ["its items do not expire by expires"] },
  ]);
  expect((await settingsOf("plain")).ttl).toBeUndefined();
});

test("create enables expiry, from an option or a dump, and rejects a table with a different one", async () => {
  const argv = ["create", "--table", "sessions", "--partition-key", "id", "--ttl"];
  expect(await tables(...argv, "until")).toEqual({ code: 0, stdout: "Created sessions.\n", stderr: "" });
  expect(await tables(...argv, "until")).toMatchObject({ code: 0, stdout: "sessions already exists.\n" });
  expect((await settingsOf("sessions")).ttl).toBe("until");
  expect(await tables(...argv, "other")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("its items do not expire by other"),
  });
  await tables("create", fileOf("carts", dump), "--table", "of-dump");
  expect(await settingsOf("of-dump")).toEqual({ ttl: "expires", tags: Tags });
  await tables("create", fileOf("carts", dump), "--table", "of-both", "--ttl", "mine");
  expect((await settingsOf("of-both")).ttl).toBe("mine");
});

test.each([
  ["expiry that is not an object", { ...dump, TimeToLiveDescription: "expires" }, "TimeToLiveDescription"],
  ["tags that are not a list", { ...dump, Tags: {} }, "Tags"],
  ["a tag without a value", { ...dump, Tags: [{ Key: "x" }] }, "Tags"],
])("%s is rejected before anything is made", async (_what, content, word) => {
  const file = fileOf("broken", content);
  for (const verb of ["import", "create"]) {
    const rejected = await tables(verb, file, verb === "import" ? "--table" : "--table", "never-made");
    expect([rejected.code, rejected.stderr]).toEqual([2, expect.stringContaining(word)]);
    expect(rejected.stderr).toContain("[CLI_DUMP_INVALID]");
  }
  expect((await tables("list")).stdout).not.toContain("never-made");
});
