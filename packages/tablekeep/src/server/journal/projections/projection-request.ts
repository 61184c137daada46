import { HttpError, type HttpExchange } from "../../http/http-route.ts";
import { readJson } from "../../http/requests.ts";

/** The type of a member of a request body. */
export type BodyType = "number" | "string" | "boolean" | "place";

/** The members that a body may have. */
export type BodyShape = Readonly<Record<string, BodyType>>;

/** A place of an event in the feed. */
export interface EventOffset {
  readonly slice: number;
  readonly offset: number;
}

/** The values of a body of this shape. */
export type BodyOf<Shape extends BodyShape> = {
  readonly [Name in keyof Shape]?: {
    number: number;
    string: string;
    boolean: boolean;
    place: EventOffset;
  }[Shape[Name]];
};

const checks: Readonly<Record<BodyType, (value: unknown) => boolean>> = {
  number: isCount,
  string: (value) => typeof value === "string" && value !== "",
  boolean: (value) => typeof value === "boolean",
  place: (value) => {
    const { slice, offset } = (value ?? {}) as Partial<EventOffset>;
    return isCount(slice) && isCount(offset);
  },
};

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

const expected: Readonly<Record<BodyType, string>> = {
  number: "an integer of at least 0",
  string: "a non-empty string",
  boolean: "true or false",
  place: "an object with slice and offset",
};

/** Reads a body of a shape; an empty one has no members. */
export async function readMembers<Shape extends BodyShape>(
  { request }: Pick<HttpExchange, "request">,
  shape: Shape,
): Promise<BodyOf<Shape>> {
  const body = (await readJson(request)) ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new HttpError(400, "the body must be a JSON object");
  for (const [name, value] of Object.entries(body)) {
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (type === undefined)
      throw new HttpError(400, `unknown member ${name}; expected ${Object.keys(shape).join(", ")}`);
    if (!checks[type](value)) throw new HttpError(400, `${name} must be ${expected[type]}`);
  }
  return body as BodyOf<Shape>;
}

/** Throws if a member is missing. */
export function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new HttpError(400, `${name} is missing`);
  return value;
}
