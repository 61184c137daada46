import type { ShadowCallOptions } from "../model/call-options.ts";

/** A group of things: static with a list of things, or dynamic with a query. */
export interface ShadowGroup {
  /** 1 to 128 letters, digits, `:`, `_` and `-`. */
  readonly name: string;
  /** The query of a dynamic group, which is evaluated for each shadow of a thing separately. It must not name groups. @default none: the group is static */
  readonly query?: string;
}

/** One page of the groups. */
export interface GroupPage {
  readonly groups: readonly ShadowGroup[];
  /** Where the next page begins; undefined after the last. */
  readonly token?: string;
}

/** One page of the things of a static group. */
export interface GroupThings {
  readonly things: readonly string[];
  /** Where the next page begins; undefined after the last. */
  readonly token?: string;
}

/** The page to return. */
export interface GroupPageRequest {
  /** Maximum number of results per page, at most 1,000. @default 100 */
  readonly limit?: number;
  /** The `token` of the previous page. @default the first page */
  readonly token?: string;
}

/** Groups of things. All changes are idempotent. A change that fails with `ambiguous` may have been applied. */
export interface ShadowGroups {
  /**
   * Creates a group, or replaces the query of a dynamic one. Throws `SHADOW_GROUP_KIND` if a group of the other kind has this name.
   *
   * @example
   * await manager.groups.save({ name: "old", query: 'reported.firmware < "2.1"' });
   */
  save(group: ShadowGroup, options?: ShadowCallOptions): Promise<void>;
  /**
   * Returns a group; undefined if there is none.
   *
   * @example
   * const { query } = (await manager.groups.get("old")) ?? {};
   */
  get(name: string, options?: ShadowCallOptions): Promise<ShadowGroup | undefined>;
  /**
   * Returns the groups, by name.
   *
   * @example
   * const { groups } = await manager.groups.list();
   */
  list(request?: GroupPageRequest, options?: ShadowCallOptions): Promise<GroupPage>;
  /**
   * Deletes a group. Returns false if there is none. The shadows of its things stay.
   *
   * @example
   * await manager.groups.delete("old");
   */
  delete(name: string, options?: ShadowCallOptions): Promise<boolean>;
  /**
   * Adds things to a static group. Returns those that were not in it.
   *
   * @example
   * await manager.groups.add("kitchen", ["lamp", "fan"]);
   */
  add(name: string, things: readonly string[], options?: ShadowCallOptions): Promise<readonly string[]>;
  /**
   * Removes things from a static group. Returns those that were in it.
   *
   * @example
   * const removed = await manager.groups.remove("kitchen", ["fan"]);
   */
  remove(name: string, things: readonly string[], options?: ShadowCallOptions): Promise<readonly string[]>;
  /**
   * Returns the things of a static group, by name. For a dynamic group, search for `group = "old"`.
   *
   * @example
   * const { things } = await manager.groups.things("kitchen");
   */
  things(name: string, request?: GroupPageRequest, options?: ShadowCallOptions): Promise<GroupThings>;
}
