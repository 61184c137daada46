import type { Step } from "../step.ts";
import type { Gap } from "./gap.ts";
import { refusalGap } from "./refusals.ts";

type Input = Step["input"];

/** Faults among which DynamoDB is not known to choose by a rule, where a request can have several of them. */
interface KindOfFault {
  readonly fault: RegExp;
  readonly canHaveSeveral: (input: Input) => boolean;
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
const text = (input: Input): string => JSON.stringify(input);

const kindsOfFaults: readonly KindOfFault[] = [
  {
    fault:
      /^Invalid UpdateExpression: (Two document paths|Incorrect (operand type|number of operands)|Operator or function requires|The first operand|An expression attribute (name|value))/,
    canHaveSeveral: (input) =>
      /"[^"]*(SET|ADD|DELETE|REMOVE) [^"]*(, | [+-] | (SET|ADD|DELETE|REMOVE) )/.test(text(input)),
  },
  {
    fault: /^Invalid ProjectionExpression: (Two document paths|An expression attribute name)/,
    canHaveSeveral: (input) => text(input).includes(", "),
  },
  {
    fault:
      /^(The document path provided|The provided expression refers to|An operand in the update|Attempting to store|Number (over|under)flow|DynamoDB only supports)/,
    canHaveSeveral: (input) => input["UpdateExpression"] !== undefined,
  },
  {
    fault:
      /ComparisonOperator|AttributeValueList|^The BETWEEN condition|^One or more parameter values were invalid: (Value|Exists|An |Binary|Input|Null)|^Supplied AttributeValue|cannot be converted/,
    canHaveSeveral: (input) => count(text(input), /ComparisonOperator|Exists|"Value"/g) > 1,
  },
  {
    fault:
      /key element does not match the schema|contains duplicates|conditions on the keys|empty (string|binary) value|required keys|Invalid attribute value type|has exceeded the (maximum )?size limit|^Hash primary key|null or empty values|Size limit exceeded|cannot be null|cannot be converted|Type mismatch for|Missing the key/,
    canHaveSeveral: (input) =>
      count(text(input), /PutRequest|DeleteRequest|"Keys"|"Get"|"Put"|"Key"/g) > 1 ||
      text(input).includes('"Keys"'),
  },
  {
    // dynalite's suite, run against AWS: names that are there twice are told before the conditions on keys.
    fault: /Duplicate value in attribute name|two attributes with the same name|^The BETWEEN condition/,
    canHaveSeveral: (input) => input["AttributesToGet"] !== undefined && input["KeyConditions"] !== undefined,
  },
  {
    // Several keys of indexes in one item.
    fault:
      /Type mismatch for Index Key|Size limit exceeded|has exceeded the (maximum )?size limit|secondary index key/,
    canHaveSeveral: (input) => count(text(input), /"[glhq]":\{/g) > 1,
  },
  {
    fault:
      /^Query (key )?condition|does not project|starting key|Exclusive Start Key|non-primary key attributes/,
    canHaveSeveral: (input) =>
      ["FilterExpression", "ProjectionExpression", "ExclusiveStartKey", "IndexName"].some(
        (name) => input[name] !== undefined,
      ),
  },
  {
    fault:
      /action (is|with value is) not supported|Only DELETE action|cannot be converted|Supplied AttributeValue/,
    canHaveSeveral: (input) => input["AttributeUpdates"] !== undefined && input["Expected"] !== undefined,
  },
  {
    fault: /Duplicate value in attribute name|failed to satisfy constraint/,
    canHaveSeveral: (input) => input["AttributesToGet"] !== undefined && input["Segment"] !== undefined,
  },
  {
    fault: /ExpressionAttributeNames contains invalid value|required keys/,
    canHaveSeveral: (input) => input["Item"] !== undefined && input["ExpressionAttributeNames"] !== undefined,
  },
  { fault: /Cannot update attribute/, canHaveSeveral: (input) => count(text(input), /pk|sk/g) > 2 },
  {
    // An index key that is empty and of another type.
    fault: /secondary index key/,
    canHaveSeveral: (input) => /\{"(S|B)":(""|\{\})\}/.test(text(input)),
  },
];

/** Of several faults of one kind Local tells another: it goes through an update backwards, and through maps by hash. */
export const otherOfSeveral: Gap = refusalGap(
  "tells another of several faults of one kind",
  "AWS documents no order among the faults of one update expression, one item, one batch or one map of conditions",
  (local, engine, { step: { operation, input } }) => {
    const ofOneKind = kindsOfFaults.some(
      ({ fault, canHaveSeveral }) =>
        fault.test(local.message) && fault.test(engine.message) && canHaveSeveral(input),
    );
    const sameException = local.exception === engine.exception || operation.startsWith("Transact");
    return ofOneKind && sameException ? engine : local;
  },
);
