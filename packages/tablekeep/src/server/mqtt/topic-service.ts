/** A message that a service sends in response to a request. */
export interface ServiceMessage {
  readonly topic: string;
  readonly payload: string;
}

/**
 * What happens to a message on a topic: a request is performed and answered, `pass` goes to subscribers, `ignore` is acknowledged and
 * dropped, `reject` is an error of the client.
 */
export type TopicRule =
  | {
      readonly kind: "request";
      /** Performs the request and returns the messages that answer it. Never rejects. */
      readonly perform: (payload: Buffer) => Promise<readonly ServiceMessage[]>;
    }
  | { readonly kind: "pass" | "ignore" | "reject" };

/** What is plugged into the broker: a service whose requests and answers are messages on reserved topics. */
export interface TopicService {
  ruleOf(topic: string): TopicRule;
}
