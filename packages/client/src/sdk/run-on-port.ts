import type { AnswerCommand, SendOptions } from "./answer-command.ts";

// biome-ignore-start lint/suspicious/noExplicitAny: the SDK types a handler by its command; these stand in all of them
type Handler = (args: any) => Promise<any>;
type Middleware = (next: Handler, context: any) => Handler;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** The part of the SDK's middleware stack that is used here. */
interface Stack {
  add(middleware: Middleware, options: { name: string; step: "serialize" | "deserialize" }): void;
  remove(name: string): boolean;
  identify(): string[];
}

/** The input of the handler at the bottom of the stack, instead of an HTTP request. */
interface PortRequest {
  readonly operation: string;
  readonly input: object;
}

/** Creates a transport for the SDK that answers with a port: the `requestHandler` of a client. */
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

/** A command of the SDK. */
interface SdkCommand {
  readonly input: object;
  readonly middlewareStack: Stack;
}

type Callback = (error: unknown, output?: object) => void;

/** A client of the SDK. */
interface SdkClient {
  readonly middlewareStack: Stack;
  send(
    command: SdkCommand,
    options?: SendOptions | Callback,
    callback?: Callback,
  ): Promise<object> | undefined;
}

/**
 * Creates an SDK client that runs on a port. The SDK's own middleware (signing, retries, HTTP) is removed; two take the places
 * of the serializer and the deserializer, around which the Document client and users put theirs. A command without
 * further middleware is answered directly: resolving a stack takes thirty times as long. `commands` are the classes that can
 * be answered so, and their operations.
 */
export function clientOnPort<Client, Config>(
  Base: new (config: Config) => Client,
  config: Config,
  answer: AnswerCommand,
  commands: ReadonlyMap<unknown, string>,
): Client {
  class PortClient extends (Base as unknown as new (config: Config) => SdkClient) {
    override send(
      command: SdkCommand,
      optionsOrCallback?: SendOptions | Callback,
      callback?: Callback,
    ): Promise<object> | undefined {
      const operation = commands.get(command.constructor);
      const isPlain =
        this.middlewareStack.identify().length === 2 && command.middlewareStack.identify().length === 0;
      if (operation === undefined || !isPlain) return super.send(command, optionsOrCallback, callback);
      const isCallback = typeof optionsOrCallback === "function";
      const answered = answer(operation, command.input, isCallback ? undefined : optionsOrCallback);
      const listener = isCallback ? optionsOrCallback : callback;
      if (listener === undefined) return answered;
      answered.then((output) => listener(null, output), listener).catch(() => {});
      return undefined;
    }
  }
  const client = new PortClient(config);
  replaceMiddleware(client.middlewareStack);
  return client as Client;
}

/** Removes the SDK's middleware and adds our two. */
function replaceMiddleware(stack: Stack): void {
  // An entry is a name, its aliases and its step.
  for (const entry of stack.identify()) stack.remove(entry.split(" ")[0] ?? entry);
  stack.add(
    (next, context) => (args) =>
      next({ ...args, request: asRequest(operationOf(context.commandName), args.input) }),
    { name: "serializerMiddleware", step: "serialize" },
  );
  stack.add((next) => next, { name: "deserializerMiddleware", step: "deserialize" });
}

function operationOf(commandName: string): string {
  return commandName.replace(/Command$/, "");
}

/** Has the members that middleware for HTTP requests reads; none of them is sent. */
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
