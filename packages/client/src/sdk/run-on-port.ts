import type { AnswerCommand, SendOptions } from "./answer-command.ts";

// biome-ignore-start lint/suspicious/noExplicitAny: the SDK types a handler by its command; these stand in all of them
type Handler = (args: any) => Promise<any>;
type Middleware = (next: Handler, context: any) => Handler;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** The part of the SDK's middleware stack that is used here. */
interface Stack {
  add(middleware: Middleware, options: { name: string; step: "serialize" | "deserialize" }): void;
  identify(): string[];
}

interface SdkCommand {
  readonly input: object;
  readonly middlewareStack: Stack;
}

type Callback = (error: unknown, output?: object) => void;
type Send = (
  command: SdkCommand,
  options?: SendOptions | Callback,
  callback?: Callback,
) => Promise<object> | undefined;

/** An SDK client, seen as what it sends with. */
export interface SdkClient {
  middlewareStack: Stack;
  send: Send;
}

/** What the handler at the bottom of the stack gets instead of an HTTP request. */
interface PortRequest {
  readonly operation: string;
  readonly input: object;
}

/** A transport for the SDK that answers with a port. It goes into the client's `requestHandler`. */
export function portHandler(answer: AnswerCommand): {
  handle(request: unknown, options?: SendOptions): Promise<never>;
  destroy(): void;
} {
  return {
    async handle(request, options) {
      const { operation, input } = request as PortRequest;
      const output = await answer(operation, input, options);
      return { response: { statusCode: 200, headers: {} }, output } as never;
    },
    destroy() {},
  };
}

/**
 * Makes an SDK client run on a port. Its middleware (signing, retries, HTTP) gives way to two that stand in the places of
 * the serializer and the deserializer, around which the Document client and users put theirs. A command that nobody has
 * put anything around is answered at once: resolving a stack takes far longer than the call.
 */
export function runOnPort(
  client: SdkClient,
  fresh: SdkCommand,
  answer: AnswerCommand,
  direct: DirectCommands,
): void {
  const isUntouched = replaceStack(client, fresh.middlewareStack);
  const throughStack = client.send.bind(client);
  const send: Send = (command, optionsOrCallback, callback) => {
    const operation = direct.get(command.constructor);
    if (operation === undefined || !isUntouched() || command.middlewareStack.identify().length > 0)
      return throughStack(command, optionsOrCallback, callback);
    const isCallback = typeof optionsOrCallback === "function";
    const answered = answer(operation, command.input, isCallback ? undefined : optionsOrCallback);
    const told = isCallback ? optionsOrCallback : callback;
    if (told === undefined) return answered;
    answered.then((output) => told(null, output), told).catch(() => {});
    return undefined;
  };
  Object.defineProperty(client, "send", { value: send, writable: true, configurable: true });
}

/** The command classes that can be answered without their middleware, and their operations. */
export type DirectCommands = ReadonlyMap<unknown, string>;

/** Gives the client a stack with nothing in it but our two; tells whether anything was added to it since. */
function replaceStack(client: SdkClient, stack: Stack): () => boolean {
  stack.add(
    (next, context) => (args) =>
      next({ ...args, request: asRequest(operationOf(context.commandName), args.input) }),
    { name: "serializerMiddleware", step: "serialize" },
  );
  stack.add((next) => next, { name: "deserializerMiddleware", step: "deserialize" });
  client.middlewareStack = stack;
  let untouched = true;
  for (const change of ["add", "addRelativeTo", "use", "remove", "removeByTag"]) {
    const original: (...given: unknown[]) => unknown = Reflect.get(stack, change);
    Reflect.set(stack, change, (...given: unknown[]) => {
      untouched = false;
      return original(...given);
    });
  }
  return () => untouched;
}

function operationOf(commandName: string): string {
  return commandName.replace(/Command$/, "");
}

/** Has what middleware for HTTP requests looks at, so that it finds nothing odd; nothing of it is sent. */
function asRequest(operation: string, input: object): PortRequest & Record<string, unknown> {
  return {
    operation,
    input,
    method: "POST",
    protocol: "https:",
    hostname: "port.invalid",
    path: "/",
    query: {},
    headers: {},
  };
}
