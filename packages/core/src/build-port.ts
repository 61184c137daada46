import type { InputOf, OperationName, OutputOf } from "./dynamo-operations.ts";
import type { CallOptions, Dispatch, DynamoPort } from "./dynamo-port.ts";
import { operationNames } from "./operation-traits.ts";

/** `PutItem` → `putItem`, computed once: this is on the path of every call. */
const methodNames = Object.fromEntries(
  operationNames.map((name) => [name, name.charAt(0).toLowerCase() + name.slice(1)]),
) as Record<OperationName, keyof DynamoPort & string>;

/** A port whose every method goes to `dispatch`. */
export function buildPort(dispatch: Dispatch, close: () => Promise<void>): DynamoPort {
  const methods: Record<string, unknown> = {};
  for (const operation of operationNames) {
    methods[methodNames[operation]] = (input: never, options: CallOptions = {}) =>
      dispatch(operation, input, options);
  }
  // The loop above sets every method of the interface; `operationNames` is checked against it by type.
  return { ...methods, close, [Symbol.asyncDispose]: close } as unknown as DynamoPort;
}

/** Stands between a caller and a port: sees each call, and decides what to pass on. */
export type Interceptor = <Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
  next: Dispatch,
) => Promise<OutputOf<Name>>;

/** A port that sends every call of `port` through `intercept`, under the same retry limits. Closing it closes `port`. */
export function wrapPort(port: DynamoPort, intercept: Interceptor): DynamoPort {
  const next = dispatchTo(port);
  const wrapped = buildPort(
    (operation, input, options) => intercept(operation, input, options, next),
    () => port.close(),
  );
  return port.retryLimits === undefined ? wrapped : { ...wrapped, retryLimits: port.retryLimits };
}

/** The methods of `port` as one function. */
export function dispatchTo(port: DynamoPort): Dispatch {
  const methods = port as unknown as Record<string, (input: unknown, options: CallOptions) => Promise<never>>;
  return (operation, input, options) => {
    const method = methods[methodNames[operation]];
    if (method === undefined) throw new TypeError(`the port has no operation ${operation}`);
    return method.call(port, input, options);
  };
}
