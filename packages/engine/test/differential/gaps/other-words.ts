/**
 * What DynamoDB Local says in other words than DynamoDB, as data: its words, DynamoDB's, and where those are known from.
 * `$1` stands for what the pattern caught. A pattern covers the whole message.
 */
export interface OtherWords {
  readonly local: RegExp;
  readonly dynamo: string | RegExp;
  readonly source: string;
}

const suites = "conformance suites run against AWS";

export const otherWords: readonly OtherWords[] = [
  {
    local: /^Return values set to invalid value$/,
    dynamo: "ReturnValues can only be ALL_OLD or NONE",
    source: suites,
  },
  {
    local: /^A value provided cannot be converted into a number$/,
    dynamo: /^The parameter cannot be converted to a numeric value(: .*)?$/,
    source: suites,
  },
  {
    local:
      /^ExpressionAttributeValues contains invalid value: A value provided cannot be converted into a number for key (:\w+)$/,
    dynamo:
      /^ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value(: .*)? for key :\w+$/,
    source: suites,
  },
  {
    local:
      /^(The number of conditions on the keys is invalid|One or more parameter values were invalid: Type mismatch for key|One of the required keys was not given a value)$/,
    dynamo: "The provided key element does not match the schema",
    source: suites,
  },
  {
    local: /^One or more parameter values were invalid: Type mismatch for key$/,
    dynamo: /^One or more parameter values were invalid: Type mismatch for (Index Key|key) .*$/,
    source: suites,
  },
];

/** DynamoDB's words for Local's; the engine's own where they are among them. */
export function inDynamosWords(local: string, engine: string): string {
  for (const { local: pattern, dynamo } of otherWords) {
    if (!pattern.test(local)) continue;
    if (typeof dynamo === "string") {
      const text = local.replace(pattern, dynamo);
      if (text === engine) return text;
    } else if (dynamo.test(engine)) return engine;
  }
  return local;
}
