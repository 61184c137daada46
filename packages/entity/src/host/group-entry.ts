import type { Typed } from "../definition/decision.ts";
import type { EntityError } from "../entity-error.ts";
import type { PendingAsk } from "./pending-ask.ts";

/** What becomes of one command of a group, once the group is stored. */
export interface GroupEntry {
  readonly ask: PendingAsk;
  readonly events: readonly Typed[];
  /** Whether the events live or die together. */
  readonly atomic: boolean;
  /** Milliseconds: when it was decided. */
  readonly decidedAt: number;
  readonly reply: unknown;
  /** The caller gets this instead of the reply. */
  readonly error: EntityError | undefined;
  /** Whether the reply is to be remembered. */
  readonly remember: boolean;
  /** The state after the command. */
  readonly state: unknown;
}

/** Tells the caller. */
export function deliver({ ask, reply, error }: GroupEntry): void {
  if (error === undefined) ask.answer(reply);
  else ask.fail(error);
}
