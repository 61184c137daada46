import type { IncomingMessage } from "node:http";
import type { Manners, SignedAccess } from "./http-route.ts";
import { refuseEmbedding, refuseForeignOrigin } from "./own-origin.ts";

/** Who may use an HTTP listener. */
export interface HttpAccess {
  /** Throws unless a request comes from a user. @default there are no users: nobody has to sign in */
  readonly signIn?: ((request: IncomingMessage, access: SignedAccess) => void | Promise<void>) | undefined;
}

/** Methods that change nothing. A page of another site may send them, and cannot read the answer. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Throws if a request may not come in to routes with these manners. */
export async function admit(
  request: IncomingMessage,
  { access, corsOrigin }: Manners,
  { signIn }: HttpAccess,
): Promise<void> {
  refuseEmbedding(request);
  if (!safeMethods.has(request.method ?? "")) refuseForeignOrigin(request, corsOrigin);
  // A browser asks for leave before it signs in.
  const isOpen = access === "anybody" || access === "keys" || request.method === "OPTIONS";
  if (!isOpen) await signIn?.(request, access);
}
