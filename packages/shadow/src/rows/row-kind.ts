/** What an item of the table holds: both halves of a shadow, or one of them. */
export type RowKind = "combined" | "reported" | "desired";

/** One half of a shadow: what the device said, or what it should be. */
export type Half = "reported" | "desired";

/** How a shadow is stored: both halves in one item, or each in an item of its own. */
export type ShadowModel = "combined" | "separate";
