/** An answer that a handler gives by throwing it: the request cannot be served as it is. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  override get name(): string {
    return "HttpRefusal";
  }
}
