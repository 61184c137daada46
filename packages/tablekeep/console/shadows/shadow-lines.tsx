import type { VNode } from "preact";
import { shortTime } from "../parts/show-time.ts";
import type { ShadowRow } from "./shadow-api.ts";

/** A shadow in a row of the list. */
export function ShadowLines({ thing, name, version, timestamp }: ShadowRow): VNode {
  return (
    <>
      <span class="row-line">
        <strong>{thing}</strong>
        <small>{shortTime(timestamp)}</small>
      </span>
      <span class="row-line dim">
        <span class="grow">{name === "" ? "classic" : name}</span>
        <small>version {version}</small>
      </span>
    </>
  );
}
