import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoredItem } from "../values/stored-item.ts";
import { answerBytes, answerJson, ByteWriter } from "./answer.ts";
import { ItemAnswer } from "./item-answer.ts";

const stored = (text: string) =>
  ItemAnswer.ofStored(StoredItem.pack({ id: { S: text } }, text.length + 3, false));

describe("the bytes of an answer", () => {
  const texts = fc.string({ unit: "binary", maxLength: 6 });
  const items = fc.array(fc.record({ text: texts, times: fc.integer({ min: 0, max: 4_000 }) }), {
    maxLength: 12,
  });

  test("are those of its JSON, for all items and lengths", () => {
    let long = 0;
    fc.assert(
      fc.property(items, texts, (given, name) => {
        const list = given.map(({ text, times }) => stored(text.repeat(times)));
        const key = ItemAnswer.ofItem({ id: { S: name } });
        const answer = {
          Items: list,
          Responses: { [name]: list },
          Count: list.length,
          LastEvaluatedKey: key,
          ConsumedCapacity: undefined,
          Nothing: {},
          Empty: [],
          At: new Date(1_500),
          Bytes: Uint8Array.of(1, 2),
        };
        const bytes = answerBytes(answer);
        if (bytes.length > 20_000) long++;
        expect(bytes.toString()).toBe(answerJson(answer));
      }),
      { numRuns: 200 },
    );
    expect(long).toBeGreaterThan(20);
  });
});

test("a writer grows as needed", () => {
  const writer = new ByteWriter(0);
  let text = "";
  for (let at = 0; at < 300; at++) {
    writer.ascii(44);
    writer.text("ü€💶".repeat(at % 7));
    text += `,${"ü€💶".repeat(at % 7)}`;
  }
  expect(writer.bytes.toString()).toBe(text);
});
