/**
 * The worker inside the sandbox. It has no page, no origin and no network: the policy of sandbox.html, which it inherits,
 * forbids all requests. It answers on the port that it is given.
 */
import { compileFold, EventFolder, FoldFailure, type FoldRequest } from "./fold-events.ts";

/** A request, with an id that the response repeats. */
export type SandboxRequest = { readonly id: number } & (
  | { readonly kind: "compile"; readonly code: string }
  | { readonly kind: "keep"; readonly sequenceNr: number; readonly state: unknown }
  | ({ readonly kind: "fold" } & FoldRequest)
);

let folder: EventFolder | undefined;

function answer(request: SandboxRequest): object {
  if (request.kind === "compile") {
    folder = new EventFolder(compileFold(request.code));
    return {};
  }
  if (folder === undefined) throw new FoldFailure("the fold is not compiled");
  return request.kind === "keep"
    ? { kept: folder.keep(request.sequenceNr, request.state) }
    : folder.fold(request);
}

addEventListener("message", ({ ports: [port] }: MessageEvent) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<SandboxRequest>) => {
    try {
      port.postMessage({ id: data.id, result: answer(data) });
    } catch (error) {
      port.postMessage({
        id: data.id,
        failure: error instanceof FoldFailure ? error.message : String(error),
      });
    }
  };
  port.postMessage({ id: 0, result: {} });
});
