import type { DynamoError } from "@tablekeep/core";
import { invalidParameter, refusal } from "../item/refuse.ts";

/** The name of the table that an ARN of a request on tags means, whatever region and account it names. */
export function taggedTable(arn: string): string {
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

/** DynamoDB's words; the missing letter is theirs. */
export function resourceNotFound(arn: string): DynamoError<"ResourceNotFoundException"> {
  return refusal("ResourceNotFoundException", `Requested resource not found: ResourcArn: ${arn} not found`);
}
