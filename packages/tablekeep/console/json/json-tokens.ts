/** A piece of printed JSON. */
export interface JsonToken {
  readonly kind: "name" | "text" | "number" | "word" | "mark";
  readonly text: string;
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([^"\d\w-]+|.)/gs;

/** Splits printed JSON into pieces with their own colors. All pieces together are the text. */
export function jsonTokens(json: string): readonly JsonToken[] {
  return [...json.matchAll(tokens)].flatMap(([whole, text, colon, number, word]): JsonToken[] => {
    if (text !== undefined && colon !== undefined)
      return [
        { kind: "name", text },
        { kind: "mark", text: colon },
      ];
    if (text !== undefined) return [{ kind: "text", text }];
    if (number !== undefined) return [{ kind: "number", text: whole }];
    return [{ kind: word === undefined ? "mark" : "word", text: whole }];
  });
}
