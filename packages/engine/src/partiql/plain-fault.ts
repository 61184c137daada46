import { ExpressionFault } from "../expression/token-reader.ts";
import { invalid } from "../item/refuse.ts";

/** Runs what checks expressions. In statements DynamoDB tells of their faults without naming a parameter. */
export function withPlainFaults<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof ExpressionFault ? invalid(error.message) : error;
  }
}
