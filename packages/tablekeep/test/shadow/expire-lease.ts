import type { Engine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";

/** Ends the lease of a killed server as time would, so that no test waits for it. */
export async function expireLease(engine: Engine, PK: string): Promise<void> {
  await engine.updateItem({
    TableName: shadowTableSpec().name,
    Key: { PK: { S: PK }, SK: { S: "lease" } },
    UpdateExpression: "SET #until = :past",
    ExpressionAttributeNames: { "#until": "Until" },
    ExpressionAttributeValues: { ":past": { N: "0" } },
  });
}
