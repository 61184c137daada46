/** The examples of `docs/reference/partiql.md`, verbatim, so that they compile and run. */
import { type DynamoPort, type Item, isDynamoError } from "@tablekeep/core";

export async function oneStatement(port: DynamoPort): Promise<Item[]> {
  const { Items = [] } = await port.executeStatement({
    Statement: `SELECT day, total FROM orders WHERE customer = ? AND day >= ?`,
    Parameters: [{ S: "ada" }, { S: "2026-11-01" }],
  });
  return Items;
}

export async function everyPage(port: DynamoPort): Promise<Item[]> {
  const Statement = `SELECT * FROM orders WHERE total > 10`;
  const all: Item[] = [];
  let NextToken: string | undefined;
  do {
    const page = await port.executeStatement({ Statement, NextToken, Limit: 100 });
    all.push(...(page.Items ?? []));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return all;
}

export async function batch(port: DynamoPort): Promise<(string | undefined)[]> {
  const { Responses = [] } = await port.batchExecuteStatement({
    Statements: [
      { Statement: `INSERT INTO orders VALUE {'customer': 'bob', 'day': '2026-11-03', 'total': 5}` },
      { Statement: `UPDATE orders SET total = 6 WHERE customer = 'nobody' AND day = '2026-11-03'` },
    ],
  });
  const codes = Responses.map((response) => response.Error?.Code);
  return codes;
}

export async function transaction(port: DynamoPort): Promise<string[] | undefined> {
  try {
    await port.executeTransaction({
      TransactStatements: [
        {
          Statement: `EXISTS(SELECT * FROM orders WHERE customer = ? AND day = ? AND state = 'open')`,
          Parameters: [{ S: "ada" }, { S: "2026-11-02" }],
        },
        { Statement: `INSERT INTO orders VALUE {'customer': 'ada', 'day': '2026-11-04', 'total': 3}` },
      ],
      ClientRequestToken: "order-17",
    });
  } catch (error) {
    if (!isDynamoError(error, "TransactionCanceledException")) throw error;
    return error.details.cancellationReasons?.map(({ Code = "" }) => Code);
  }
  return undefined;
}
