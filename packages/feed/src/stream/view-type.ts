import type { StreamViewType } from "@tablekeep/core";
import { FeedError } from "../feed-error.ts";

const suitable: Readonly<Record<"keys" | "image", readonly (StreamViewType | undefined)[]>> = {
  keys: ["KEYS_ONLY", "NEW_IMAGE", "NEW_AND_OLD_IMAGES"],
  image: ["NEW_IMAGE", "NEW_AND_OLD_IMAGES"],
};

/** Throws `FEED_STREAM_VIEW_UNSUITABLE` if records of this type lack what is needed. */
export function checkViewType(
  streamArn: string,
  viewType: StreamViewType | undefined,
  needs: "keys" | "image",
): void {
  if (suitable[needs].includes(viewType)) return;
  throw new FeedError(
    "FEED_STREAM_VIEW_UNSUITABLE",
    `stream ${streamArn} has the view type ${viewType ?? "unknown"}; disable it and enable one with ${suitable[needs].join(" or ")}`,
    { streamArn, viewType },
  );
}
