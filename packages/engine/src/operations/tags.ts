import type { DynamoError, Tag } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Database, Operation } from "../database/database.ts";
import { dynamoError, invalid, invalidParameter } from "../values/dynamo-errors.ts";

export const tagResource: Operation<"TagResource"> = (database, { ResourceArn = "", Tags = [] }) => {
  if (Tags.length === 0) throw invalid("Atleast one Tag needs to be provided as Input.");
  checkTags(Tags);
  const given = new Set(Tags.map(({ Key }) => Key));
  return changeTags(database, ResourceArn, (tags) => {
    const all = [...tags.filter(({ Key }) => !given.has(Key)), ...Tags];
    checkTagCount(all);
    return all;
  });
};

export const untagResource: Operation<"UntagResource"> = (database, { ResourceArn = "", TagKeys = [] }) => {
  if (TagKeys.length === 0) throw invalid("Atleast one Tag Key needs to be provided as Input.");
  for (const key of TagKeys) checkTagKey(key);
  return changeTags(database, ResourceArn, (tags) => tags.filter(({ Key = "" }) => !TagKeys.includes(Key)));
};

/** A table has at most 50 tags, and DynamoDB lists them all at once: it never returns a token, and ignores any. */
export const listTagsOfResource: Operation<"ListTagsOfResource"> = (database, { ResourceArn = "" }) => {
  const table = database.catalog.find(tableOfArn(ResourceArn));
  if (table === undefined) throw resourceNotFoundError(ResourceArn);
  return { Tags: [...table.record.tags].sort((a, b) => ((a.Key ?? "") < (b.Key ?? "") ? -1 : 1)) };
};

/** Replaces the tags of the table with this ARN. */
function changeTags(
  database: Database,
  arn: string,
  change: (tags: readonly Tag[]) => Tag[],
): Promise<Answer> {
  const name = tableOfArn(arn);
  return database.writes.submit((transaction) => {
    const record = database.catalog.latest(transaction, name);
    if (record === undefined) throw resourceNotFoundError(arn);
    database.catalog.put(transaction, { ...record, tags: change(record.tags) });
    return {};
  });
}

/** Returns the table of an ARN in a tag request, for any region and account. */
function tableOfArn(arn: string): string {
  if (!arn.startsWith("arn:")) throw invalidParameter(`ARNs must start with 'arn:': ${arn}`);
  const [, , service, , , ...resource] = arn.split(":");
  if (service !== "dynamodb") {
    throw invalidParameter(`Provided Arn is not a DynamoDB resource arn: ${arn}`);
  }
  const name = /^table\/([^/]+)$/.exec(resource.join(":"))?.[1];
  if (name === undefined) {
    throw invalidParameter(
      `Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${arn}`,
    );
  }
  return name;
}

/** DynamoDB's message; the missing letter is theirs. */
function resourceNotFoundError(arn: string): DynamoError<"ResourceNotFoundException"> {
  return dynamoError(
    "ResourceNotFoundException",
    `Requested resource not found: ResourcArn: ${arn} not found`,
  );
}

/** AWS: Limits — tags of one table. */
const maxTags = 50;

// AWS: Tagging restrictions — letters, white space, numbers, and + - = . _ : / @.
const keyPattern = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u;
const valuePattern = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u;

function checkTagKey(key: string | undefined): asserts key is string {
  if (key === undefined || !keyPattern.test(key)) {
    throw invalid(`The Tag Key provided is invalid, Key: ${key ?? null}`);
  }
  if (/^aws:/i.test(key)) throw invalid(`Tag Key cannot be prefixed with aws:, Key: ${key}`);
}

/** Checks the tags of one request. */
export function checkTags(tags: readonly Tag[]): void {
  const seen = new Set<string>();
  for (const { Key, Value } of tags) {
    checkTagKey(Key);
    if (Value === undefined || !valuePattern.test(Value)) {
      throw invalid(`The Tag Value provided is invalid, Value: ${Value ?? null}`);
    }
    if (seen.has(Key)) {
      throw invalid(`Duplicate Tag Keys provided as input: Duplicate Tag Key found ${Key}`);
    }
    seen.add(Key);
  }
  checkTagCount(tags);
}

/** Checks all tags that a table would have. */
function checkTagCount(tags: readonly Tag[]): void {
  if (tags.length > maxTags) {
    throw invalid("Number of Tags exceed the current limit for the provided ResourceArn");
  }
}
