/** What a member of a request must look like. The tables in this room are made of these. */
export type Shape =
  | {
      readonly kind: "text";
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: RegExp;
      readonly oneOf?: readonly string[];
    }
  | { readonly kind: "number"; readonly min?: number; readonly max?: number; readonly unshown?: true }
  | { readonly kind: "boolean" }
  | {
      readonly kind: "list";
      readonly of: Shape;
      readonly min?: number;
      readonly max?: number;
      readonly unshown?: true;
    }
  | { readonly kind: "map"; readonly of: Shape; readonly min?: number; readonly max?: number }
  | {
      readonly kind: "structure";
      readonly members: Members;
      /** By what name messages show one, where they do. */
      readonly shownAs?: string;
    }
  /** Attribute values: looked into where they are used, not here. */
  | { readonly kind: "value" }
  | { readonly kind: "anything" };

export type Members = { readonly [name: string]: Member };

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  /** Of what is wrong with it nothing but the first fault is told, nor anything of others; of its absence, in words of its own. */
  readonly alone?: "wrong" | "absent";
}

export function required(shape: Shape): Member {
  return { shape, required: true };
}

/** A member without which, or with a wrong one, DynamoDB tells nothing else. */
export function requiredFirst(shape: Shape): Member {
  return { shape, required: true, alone: "absent" };
}

/** A member of which DynamoDB tells nothing else if it is wrong. Its absence is told among other faults. */
export function toldAlone(member: Member): Member {
  return { ...member, alone: "wrong" };
}

export function optional(shape: Shape): Member {
  return { shape, required: false };
}

export function text(limits: Omit<Extract<Shape, { kind: "text" }>, "kind"> = {}): Shape {
  return { kind: "text", ...limits };
}

/** A text that must be one of these, in the order in which DynamoDB lists them. */
export function oneOf(...values: readonly string[]): Shape {
  return { kind: "text", oneOf: values };
}

export function number(min?: number, max?: number): Extract<Shape, { kind: "number" }> {
  return { kind: "number", ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function list(of: Shape, min?: number, max?: number): Extract<Shape, { kind: "list" }> {
  return { kind: "list", of, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function map(of: Shape, min?: number, max?: number): Shape {
  return { kind: "map", of, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function structure(members: Members, shownAs?: string): Shape {
  return { kind: "structure", members, ...(shownAs !== undefined && { shownAs }) };
}

export const boolean: Shape = { kind: "boolean" };
export const value: Shape = { kind: "value" };
/** What the engine leaves out, whatever stands there. */
export const anything: Shape = { kind: "anything" };
/** A number or a list of which messages do not show the value, and whose names they write as they are. */
export function unshown(shape: Extract<Shape, { kind: "number" | "list" }>): Shape {
  return { ...shape, unshown: true };
}

/** An item or a key. */
export const item: Shape = { kind: "map", of: value };
