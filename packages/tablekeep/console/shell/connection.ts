import { createStore, type Store } from "./store.ts";

/** Whether the server can be reached: `offline` until it is again, and `quiet` where a screen has nothing live. */
export type Connection = "quiet" | "connecting" | "live" | "offline";

/** The state in the top bar, updated by requests and live streams. */
export const connection: Store<Connection> = createStore<Connection>("quiet");
