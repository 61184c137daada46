/** The members of an input that this works on. */
interface Expressions {
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

/** The input without one of its expressions, and without the placeholders that nothing uses then. */
export function withoutExpression<Input extends Expressions>(
  input: Input,
  expression: keyof Input & `${string}Expression`,
): Input {
  const rest = { ...input, [expression]: undefined };
  const text = Object.entries(rest)
    .filter(([member]) => member.endsWith("Expression"))
    .map(([, value]) => String(value ?? ""))
    .join(" ");
  const used = <Value>(placeholders: Record<string, Value> | undefined) => {
    const entries = Object.entries(placeholders ?? {}).filter(([name]) => text.match(tokenOf(name)) !== null);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  return {
    ...rest,
    ExpressionAttributeNames: used(input.ExpressionAttributeNames),
    ExpressionAttributeValues: used(input.ExpressionAttributeValues),
  };
}

function tokenOf(placeholder: string): RegExp {
  return new RegExp(`${placeholder}(?![A-Za-z0-9_])`);
}
