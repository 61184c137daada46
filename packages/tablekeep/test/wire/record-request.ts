import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request as a client sent it. */
export interface RecordedRequest {
  readonly headers: Record<string, string>;
  body: string;
}

/** The request that a client sends, recorded by a test server that responds as if there were no tables. */
export async function recordRequest(run: (endpoint: string) => Promise<unknown>): Promise<RecordedRequest> {
  let recorded: RecordedRequest | undefined;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      recorded = { headers: request.headers as Record<string, string>, body };
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
      response.end('{"TableNames":[]}');
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  if (recorded === undefined) throw new Error("the client sent nothing");
  return recorded;
}
