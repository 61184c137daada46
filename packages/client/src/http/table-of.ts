/** The one table that a request is about; undefined for none or several. Only errors and logs need it. */
export function tableOf(input: object): string | undefined {
  const names = tablesOf(input);
  return names.length === 1 ? names[0] : undefined;
}

/** The tables that a request names, once each. A PartiQL statement names its table in its text, which is not read. */
export function tablesOf(input: object): readonly string[] {
  return [...new Set(namedTables(input as AnyInput))];
}

interface AnyInput {
  readonly TableName?: string | undefined;
  readonly RequestItems?: object | undefined;
  readonly TransactItems?: Iterable<Readonly<Record<string, Named | undefined>> | undefined> | undefined;
}

interface Named {
  readonly TableName?: string | undefined;
}

function namedTables(input: AnyInput): string[] {
  if (typeof input.TableName === "string") return [input.TableName];
  if (input.RequestItems) return Object.keys(input.RequestItems);
  const actions = [...(input.TransactItems ?? [])].flatMap((action) => Object.values(action ?? {}));
  return actions.map((action) => action?.TableName).filter((name) => name !== undefined);
}
