import type { InputOf, OperationName } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Database } from "../database.ts";

/** Carries out one operation. The input has the right shape; what it says is checked here. */
export type Operation<Name extends OperationName> = (
  database: Database,
  input: InputOf<Name>,
) => Answer | Promise<Answer>;
