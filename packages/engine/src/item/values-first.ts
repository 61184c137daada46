import { checkItem } from "./check-item.ts";

/**
 * Runs what understands a request of several parts. DynamoDB looks at the values of all parts before anything else in
 * them: where `understand` throws, a value that is wrong is told instead.
 */
export function valuesFirst<Result>(values: () => readonly unknown[], understand: () => Result): Result {
  try {
    return understand();
  } catch (error) {
    for (const value of values()) if (value !== undefined) checkItem(value);
    throw error;
  }
}
