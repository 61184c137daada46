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

const tableArnPattern = /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:[0-9]{12}:table\/([a-zA-Z0-9_.-]+)$/;

/**
 * The name in a table's ARN; anything else as it is. An engine has one set of tables, so that the region and the account
 * do not count, as in DynamoDB Local: a client may be configured for any.
 */
export function nameOfArn(nameOrArn: string): string {
  return tableArnPattern.exec(nameOrArn)?.[1] ?? nameOrArn;
}
