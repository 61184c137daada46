import { type DynamoPort, type InputOf, type OperationName, type OutputOf, wrapPort } from "@tablekeep/core";

/** The members of an input that this works on. */
interface Expressions {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
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

/** A port that is wrong in one way on purpose: a suite that lets it pass is not worth much. */
export interface WrongPort {
  /** Its defect. */
  readonly name: string;
  /** How the names of the cases begin of which at least one must notice. */
  readonly area: string;
  /** Makes a right port wrong. */
  readonly wrap: (port: DynamoPort) => DynamoPort;
}

/** The wrong answer to an operation; `send` returns the right answer to an input. */
type Answer<Name extends OperationName> = (
  input: InputOf<Name>,
  send: (input: InputOf<Name>) => Promise<OutputOf<Name>>,
) => Promise<OutputOf<Name>>;

/** Answers one operation in another way. `make` is called once for each port, so an answer may have a memory. */
export function replacing<Name extends OperationName>(
  name: Name,
  make: (port: DynamoPort) => Answer<Name>,
): WrongPort["wrap"] {
  return (port) => {
    const answer = make(port);
    return wrapPort(port, (operation, input, options, next) => {
      if (operation !== (name as OperationName)) return next(operation, input, options);
      // `operation` is `Name` here, which the type checker cannot see through the two type parameters.
      const answered = answer(input as InputOf<Name>, (sent) => next(name, sent, options));
      return answered as Promise<never>;
    });
  };
}

/** Changes the input of an operation. */
export function changingInput<Name extends OperationName>(
  name: Name,
  change: (input: InputOf<Name>) => InputOf<Name>,
): WrongPort["wrap"] {
  return replacing(name, () => (input, send) => send(change(input)));
}

/** Changes what an operation answers. */
export function changingOutput<Name extends OperationName>(
  name: Name,
  change: (output: OutputOf<Name>, input: InputOf<Name>) => OutputOf<Name>,
): WrongPort["wrap"] {
  return replacing(name, () => async (input, send) => change(await send(input), input));
}
