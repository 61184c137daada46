/** The length of a string, and its characters. */
interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

/** What a member of a request must look like. The tables of shapes are made of these. */
export type Shape =
  | ({ readonly kind: "text"; readonly oneOf?: readonly string[] } & TextLimits)
  | { readonly kind: "number"; readonly min?: number; readonly max?: number; readonly unshown?: true }
  | { readonly kind: "boolean" }
  | {
      readonly kind: "list";
      readonly of: Shape;
      readonly min?: number;
      readonly max?: number;
      readonly unshown?: true;
    }
  | {
      readonly kind: "map";
      readonly of: Shape;
      readonly min?: number;
      readonly max?: number;
      /** What the names of its members must look like. */
      readonly names?: Required<TextLimits>;
    }
  | {
      readonly kind: "structure";
      readonly members: Members;
      /** The name in messages that show such a structure. */
      readonly shownAs?: string;
    }
  /** Attribute values: checked where they are used, not here. */
  | { readonly kind: "value" }
  | { readonly kind: "anything" };

export type Members = { readonly [name: string]: Member };

interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  /**
   * If invalid, only this member's first problem is reported, and none of others. `absent`: so is its absence, with a
   * separate message.
   */
  readonly alone?: "wrong" | "absent";
}

export function required(shape: Shape): Member {
  return { shape, required: true };
}

/** A member whose absence or first problem is the only one that DynamoDB reports. */
export function requiredFirst(shape: Shape): Member {
  return { shape, required: true, alone: "absent" };
}

/** A member whose first problem is the only one that DynamoDB reports. Its absence is reported among others. */
export function reportedAlone(member: Member): Member {
  return { ...member, alone: "wrong" };
}

export function optional(shape: Shape): Member {
  return { shape, required: false };
}

export function text(limits: Omit<Extract<Shape, { kind: "text" }>, "kind"> = {}): Shape {
  return { kind: "text", ...limits };
}

/** A string that must be one of these, in the order in which DynamoDB lists them. */
export function oneOf(...values: readonly string[]): Shape {
  return { kind: "text", oneOf: values };
}

export function number(min?: number, max?: number): Extract<Shape, { kind: "number" }> {
  return { kind: "number", ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function list(of: Shape, min?: number, max?: number): Extract<Shape, { kind: "list" }> {
  return { kind: "list", of, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function map(of: Shape, limits: Omit<Extract<Shape, { kind: "map" }>, "kind" | "of"> = {}): Shape {
  return { kind: "map", of, ...limits };
}

export function structure(members: Members, shownAs?: string): Shape {
  return { kind: "structure", members, ...(shownAs !== undefined && { shownAs }) };
}

export const boolean: Shape = { kind: "boolean" };
export const value: Shape = { kind: "value" };
/** Any value of an unsupported member. */
export const anything: Shape = { kind: "anything" };
/** A number or list whose value messages do not show; its name keeps its capitals. */
export function hideValue(shape: Extract<Shape, { kind: "number" | "list" }>): Shape {
  return { ...shape, unshown: true };
}

/** An item or a key. */
export const item: Shape = { kind: "map", of: value };
