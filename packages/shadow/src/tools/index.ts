/**
 * shadow/tools: exports, imports and verifies stored shadows.
 */

export { type ExportShadowsOptions, exportShadows } from "./export-shadows.ts";
export type { ExistingRule, ImportConflict, ImportShadowsOptions } from "./import-options.ts";
export { type ImportShadowsSummary, importShadows } from "./import-shadows.ts";
export { type ExportedShadows, readExportedShadows } from "./read-shadow-export.ts";
export type { ShadowFinding, ShadowFindingKind } from "./shadow-finding.ts";
export type { ShadowToolOptions } from "./tool-call.ts";
export { type ShadowVerifySummary, type VerifyShadowsOptions, verifyShadows } from "./verify-shadows.ts";
