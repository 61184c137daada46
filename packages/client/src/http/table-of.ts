/** The one table that a request is about; undefined for none or several. Only errors and logs need it. */
export function tableOf(input: object): string | undefined {
  const names = new Set(tablesOf(input as AnyInput));
  const [name] = names;
  return names.size === 1 ? name : undefined;
}

interface AnyInput {
  readonly TableName?: string | undefined;
  readonly RequestItems?: object | undefined;
  readonly TransactItems?: Iterable<Readonly<Record<string, Named | undefined>> | undefined> | undefined;
}

interface Named {
  readonly TableName?: string | undefined;
}

function tablesOf(input: AnyInput): string[] {
  if (typeof input.TableName === "string") return [input.TableName];
  if (input.RequestItems) return Object.keys(input.RequestItems);
  const actions = [...(input.TransactItems ?? [])].flatMap((action) => Object.values(action ?? {}));
  return actions.map((action) => action?.TableName).filter((name) => name !== undefined);
}
