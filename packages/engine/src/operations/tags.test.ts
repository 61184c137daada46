import type { Tag } from "@tablekeep/core";
import { expect, test } from "vitest";
import { openTestDatabase, PersistentTestStorage, rejectionOf, tableInput } from "../../test/tables.ts";

const ResourceArn = "arn:aws:dynamodb:us-east-1:000000000000:table/things";
const numbered = (count: number): Tag[] =>
  Array.from({ length: count }, (_, at) => ({ Key: `k${String(at).padStart(2, "0")}`, Value: String(at) }));

async function opened() {
  const storage = new PersistentTestStorage();
  const { port } = openTestDatabase(storage);
  await port.createTable(tableInput());
  return { port, storage };
}

test("tags are listed all at once, and survive a restart", async () => {
  const { port, storage } = await opened();
  await port.tagResource({ ResourceArn, Tags: numbered(25) });
  const again = openTestDatabase(storage).port;
  expect(await again.listTagsOfResource({ ResourceArn })).toEqual({ Tags: numbered(25) });
});

test("a table has at most 50 tags, and replacing one does not add to them", async () => {
  const { port } = await opened();
  await port.tagResource({ ResourceArn, Tags: numbered(50) });
  await port.tagResource({ ResourceArn, Tags: [{ Key: "k00", Value: "new" }] });
  const more = port.tagResource({ ResourceArn, Tags: [{ Key: "more", Value: "" }] });
  expect(await rejectionOf(more)).toBe(
    "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn",
  );
  expect((await port.listTagsOfResource({ ResourceArn })).Tags?.length).toBe(50);
});

test("something that is not a table's ARN is rejected with DynamoDB's messages", async () => {
  const { port } = await opened();
  const rejected = (arn: string) => rejectionOf(port.listTagsOfResource({ ResourceArn: arn }));
  const prefix = "ValidationException: One or more parameter values were invalid: ";
  expect(await rejected("things")).toBe(`${prefix}ARNs must start with 'arn:': things`);
  const bucket = "arn:aws:s3:::things";
  expect(await rejected(bucket)).toBe(`${prefix}Provided Arn is not a DynamoDB resource arn: ${bucket}`);
  const index = `${ResourceArn}/index/x`;
  expect(await rejected(index)).toBe(
    `${prefix}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${index}`,
  );
  const absent = ResourceArn.replace("things", "absent");
  expect(await rejected(absent)).toBe(
    `ResourceNotFoundException: Requested resource not found: ResourcArn: ${absent} not found`,
  );
});

test("a key that no tag can have is rejected when a tag is removed, too", async () => {
  const { port } = await opened();
  const rejected = (...TagKeys: string[]) => rejectionOf(port.untagResource({ ResourceArn, TagKeys }));
  expect(await rejected("absent", "")).toBe("ValidationException: The Tag Key provided is invalid, Key: ");
  for (const Key of ["aws:foo", "AWS:foo"]) {
    const words = `ValidationException: Tag Key cannot be prefixed with aws:, Key: ${Key}`;
    expect(await rejected(Key)).toBe(words);
    expect(await rejectionOf(port.tagResource({ ResourceArn, Tags: [{ Key, Value: "" }] }))).toBe(words);
  }
  expect(await rejected("myaws:foo")).toBe("accepted");
});

test("an empty list is rejected, and a token is ignored", async () => {
  const { port } = await opened();
  expect(await rejectionOf(port.tagResource({ ResourceArn, Tags: [] }))).toBe(
    "ValidationException: Atleast one Tag needs to be provided as Input.",
  );
  expect(await rejectionOf(port.untagResource({ ResourceArn, TagKeys: [] }))).toBe(
    "ValidationException: Atleast one Tag Key needs to be provided as Input.",
  );
  await port.tagResource({ ResourceArn, Tags: numbered(1) });
  expect(await port.listTagsOfResource({ ResourceArn, NextToken: "x" })).toEqual({ Tags: numbered(1) });
});
