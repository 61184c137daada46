import { invalid } from "../../item/refuse.ts";
import { boundStatement } from "../../partiql/bound-statement.ts";
import { runSelect } from "../../partiql/run-select.ts";
import { runWrite } from "../../partiql/run-write.ts";
import type { Operation } from "../operation.ts";

export const executeStatement: Operation<"ExecuteStatement"> = (database, input) => {
  const { statement, parameters } = boundStatement(input);
  if (statement.kind === "select") return runSelect(database, { statement, parameters }, input);
  if (statement.kind === "exists") {
    throw invalid("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  return runWrite(database, { statement, parameters }, input);
};
