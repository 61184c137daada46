import { invalid, refusal } from "../item/refuse.ts";

/** Where an engine says that it is. */
export interface Place {
  readonly region: string;
  readonly accountId: string;
}

/** The ARN of a table here. */
export function tableArn({ region, accountId }: Place, name: string): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
}

/** Whether something is, or means to be, an ARN. */
export function isArn(given: unknown): given is string {
  return typeof given === "string" && given.startsWith("arn:");
}

const tableArnPattern = /^arn:[a-z-]+:dynamodb:([a-z0-9-]+):([0-9]{12}):table\/([a-zA-Z0-9_.-]+)$/;

/** The name in a table's ARN; anything else as it is. An ARN of another region or account names no table here. */
export function nameOfArn(place: Place, nameOrArn: string): string {
  if (!isArn(nameOrArn)) return nameOrArn;
  const [, region, accountId, name] = tableArnPattern.exec(nameOrArn) ?? [];
  if (name === undefined) return nameOrArn;
  if (region !== place.region) {
    throw invalid(`1 validation error detected: Invalid AWS region in '${nameOrArn}'`);
  }
  if (accountId !== place.accountId) {
    throw refusal("ResourceNotFoundException", "Requested resource not found");
  }
  return name;
}
