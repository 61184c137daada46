/** The length of a string, and its characters. */
export interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

/** The constraints on a member of a request. */
export type Shape =
  | ({
      readonly kind: "text";
      readonly oneOf?: readonly string[];
      /** What AWS's newer layer of checks reports for a string that is too short, or is none of these. */
      readonly newer?: string;
    } & TextLimits)
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
      /** The constraints on the names of its members. */
      readonly names?: Required<TextLimits> & {
        /** Wrong names are reported only if nothing else is wrong. */
        readonly last?: true;
      };
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

export type TextShape = Extract<Shape, { kind: "text" }>;

export type Members = { readonly [name: string]: Member };

interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  /**
   * If invalid, only this member's first problem is reported, and none of others. `absent`: so is its absence, with a
   * separate message. `bare`: without a count of problems.
   */
  readonly alone?: "wrong" | "absent" | "bare";
  /** Whether the newer layer of checks reads this member of the request at all. */
  readonly isRead?: (request: object) => boolean;
}

export function required(shape: Shape): Member {
  return { shape, required: true };
}

/** A member whose absence or first problem is the only one that DynamoDB reports. */
export function requiredFirst(shape: Shape): Member {
  return { shape, required: true, alone: "absent" };
}

/**
 * A member whose first problem is the only one that DynamoDB reports, unless a required member is absent. Its own absence
 * is reported among others.
 */
export function reportedAlone(member: Member): Member {
  return { ...member, alone: "wrong" };
}

/** The same, without a count of problems before it. */
export function reportedBare(member: Member): Member {
  return { ...member, alone: "bare" };
}

export function optional(shape: Shape): Member {
  return { shape, required: false };
}

export function text(limits: Omit<TextShape, "kind"> = {}): TextShape {
  return { kind: "text", ...limits };
}

/** A string that must be one of these, in the order in which DynamoDB lists them. */
export function oneOf(...values: readonly string[]): TextShape {
  return { kind: "text", oneOf: values };
}

/** The same string with the message of AWS's newer layer of checks. */
export function inNewerLayer(shape: TextShape, newer: string): Shape {
  return { ...shape, newer };
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
