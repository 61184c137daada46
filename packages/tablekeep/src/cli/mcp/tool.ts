import type { CommandIo } from "../frame/command-context.ts";
import type { StoreOptions } from "../store/open-store.ts";
import type { UndoCheckpoints } from "./undo-checkpoints.ts";

/** The context of a tool call. */
export interface ToolCall {
  /** The settings of the data's location. */
  readonly flags: StoreOptions;
  /** The command's environment. Its signal ends with the call: at its deadline, or when the client cancels it. */
  readonly io: CommandIo;
  /** The maximum bytes of JSON of a result. */
  readonly maxBytes: number;
  readonly undoCheckpoints: UndoCheckpoints;
}

/** A tool that agents call. */
export interface Tool {
  readonly name: string;
  /** What it does, what it returns, and when to use it. */
  readonly description: string;
  /** The JSON schema of each argument; those without `default` and not in `optional` are required. */
  readonly input: Readonly<Record<string, object>>;
  /** Arguments that may be left out. @default none */
  readonly optional?: readonly string[];
  /** Whether it changes data. Such tools exist only with `--allow-writes`. @default false */
  readonly writes?: true;
  /** Milliseconds until the call ends. @default 30,000 */
  readonly timeoutMs?: number;
  /** Performs the call. The arguments have been checked against the schema. */
  run(args: ToolArguments, call: ToolCall): Promise<object>;
}

/** The arguments of a call. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Schemas that several tools use. */
export const schemas = {
  text: (description: string): object => ({ type: "string", minLength: 1, maxLength: 2048, description }),
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 1000,
    description: "Maximum number of results (default: 50).",
  },
  cursor: {
    type: "string",
    minLength: 1,
    description: "The next of the previous result, to continue after it.",
  },
  object: (description: string): object => ({ type: "object", description }),
} as const;

/** The number of results if a call names none. */
const defaultLimit = 50;

/** An optional string of the arguments. */
export function textOf(args: ToolArguments, name: string): string | undefined {
  return args[name] as string | undefined;
}

/** The requested number of results. */
export function limitOf(args: ToolArguments): number {
  return (args["limit"] as number | undefined) ?? defaultLimit;
}
