import { type DynamoPort, dispatchTo, type Item, isDynamoError } from "@tablekeep/core";
import type { Step } from "../step.ts";

/** The most pages of a query or scan: no sequence makes more items than this times the smallest limit. */
const maxPages = 200;

export type Answer = Readonly<Record<string, unknown>>;

/** The visible parts of a rejection. */
export interface Rejection {
  readonly exception: string;
  readonly status: number;
  readonly message: string;
  readonly item?: Item;
  readonly reasons?: readonly unknown[];
}

/** The outcome of a step: answers (several for pages), a rejection, or an error that is not DynamoDB's. */
export type Outcome =
  | { readonly kind: "answers"; readonly answers: readonly Answer[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly kind: "crashed"; readonly error: string };

export async function outcomeOf(port: DynamoPort, step: Step): Promise<Outcome> {
  try {
    return { kind: "answers", answers: await allAnswers(port, step) };
  } catch (error) {
    if (!isDynamoError(error)) return { kind: "crashed", error: describe(error) };
    const { exception, httpStatus, serviceMessage, item, cancellationReasons } = error.details;
    // PutItem, UpdateItem and DeleteItem: DynamoDB Local lacks this prefix; the port suite checks it.
    const message = serviceMessage.replace(
      /^1 validation error detected: (?!Value .+ failed to satisfy constraint: |Failed )/,
      "",
    );
    return {
      kind: "rejected",
      rejection: { exception, status: httpStatus, message, item, reasons: cancellationReasons },
    };
  }
}

async function allAnswers(port: DynamoPort, step: Step): Promise<Answer[]> {
  const TotalSegments = step.allPages?.segments;
  if (TotalSegments === undefined) return pagesOf(port, step);
  const answers: Answer[] = [];
  for (let Segment = 0; Segment < TotalSegments; Segment++)
    answers.push(...(await pagesOf(port, { ...step, input: { ...step.input, Segment, TotalSegments } })));
  return answers;
}

async function pagesOf(port: DynamoPort, { operation, input, allPages }: Step): Promise<Answer[]> {
  const call = dispatchTo(port);
  const answers: Answer[] = [];
  let startKey: unknown;
  do {
    const page = startKey === undefined ? input : { ...input, ExclusiveStartKey: startKey };
    const answer = (await call(operation, structuredClone(page) as never, {})) as Answer;
    answers.push(answer);
    startKey = allPages && answer["LastEvaluatedKey"];
    if (answers.length > maxPages) throw new Error(`more than ${maxPages} pages`);
  } while (startKey !== undefined);
  return answers;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
