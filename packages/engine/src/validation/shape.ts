/** What a member of a request must look like. The tables in this room are made of these. */
export type Shape =
  | {
      readonly kind: "text";
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: RegExp;
      readonly oneOf?: readonly string[];
    }
  | { readonly kind: "number"; readonly min?: number; readonly max?: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "list"; readonly of: Shape; readonly min?: number; readonly max?: number }
  | { readonly kind: "map"; readonly of: Shape; readonly min?: number; readonly max?: number }
  | { readonly kind: "structure"; readonly members: Members }
  /** Attribute values: looked into where they are used, not here. */
  | { readonly kind: "value" };

export type Members = { readonly [name: string]: Member };

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
}

export function required(shape: Shape): Member {
  return { shape, required: true };
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

export function number(min?: number, max?: number): Shape {
  return { kind: "number", ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function list(of: Shape, min?: number, max?: number): Shape {
  return { kind: "list", of, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function map(of: Shape, min?: number, max?: number): Shape {
  return { kind: "map", of, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

export function structure(members: Members): Shape {
  return { kind: "structure", members };
}

export const boolean: Shape = { kind: "boolean" };
export const value: Shape = { kind: "value" };
/** An item or a key. */
export const item: Shape = { kind: "map", of: value };
