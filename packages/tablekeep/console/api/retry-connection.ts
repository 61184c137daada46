import { connection } from "../shell/connection.ts";
import { callApi } from "./call-api.ts";

const retryMs = 3_000;

/** While the server cannot be reached, sends a small request from time to time: a screen without a live stream would stay offline. */
export function retryConnection(): void {
  const retry = async () => {
    if (connection.get() !== "offline") return;
    // A success changes the state.
    if (!document.hidden) await callApi("/api/v3/server").catch(() => undefined);
    if (connection.get() === "offline") setTimeout(() => void retry(), retryMs);
  };
  connection.watch((state) => {
    if (state === "offline") setTimeout(() => void retry(), retryMs);
  });
}
