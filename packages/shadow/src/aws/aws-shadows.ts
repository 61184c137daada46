import { type Clock, systemClock, unwrap } from "@tablekeep/core";
import type { DocumentObject } from "../document/document-value.ts";
import type { ShadowManager, ShadowUpdate } from "../manager/shadow-manager.ts";
import { secondsOf } from "../manager/shadow-view.ts";
import type { ShadowCallOptions } from "../model/call-options.ts";
import { shadowNotFound } from "../store/check-operation.ts";
import {
  acceptedDocument,
  deletedDocument,
  deltaDocument,
  documentsDocument,
  getDocument,
} from "./aws-documents.ts";
import { type AwsShadowName, checkNames, requestInvalid } from "./aws-names.ts";
import { listNamed } from "./list-named.ts";
import { type Payload, parseToken, parseUpdate, tokenFor, type UpdateDocument } from "./parse-request.ts";

/** The documents that follow an update. */
export interface UpdateDocuments {
  readonly documents: DocumentObject;
  /** Undefined if nothing differs: then no message is published. */
  readonly delta?: DocumentObject;
}

/** The documents that follow an accepted request. */
export interface AcceptedUpdate extends UpdateDocuments {
  readonly accepted: DocumentObject;
}

/** A request to list named shadows, as received. */
export interface ListNamedRequest {
  readonly thingName: string;
  readonly nextToken?: string;
  readonly pageSize?: string;
}

/** AWS IoT's shadow service: requests and responses as documents, for any transport. Throws errors that `awsErrorOf` translates. */
export interface AwsShadows {
  /**
   * Returns the shadow.
   *
   * @example
   * await aws.get({ thingName: "lamp", shadowName: "" });
   */
  get(shadow: AwsShadowName, payload?: Payload, options?: ShadowCallOptions): Promise<DocumentObject>;
  /**
   * Merges a request document into the shadow.
   *
   * @example
   * await aws.update({ thingName: "lamp", shadowName: "" }, '{"state":{"reported":{"on":true}}}');
   */
  update(shadow: AwsShadowName, payload: Payload, options?: ShadowCallOptions): Promise<AcceptedUpdate>;
  /**
   * Deletes the shadow. Returns the deleted version.
   *
   * @example
   * await aws.delete({ thingName: "lamp", shadowName: "" });
   */
  delete(shadow: AwsShadowName, payload?: Payload, options?: ShadowCallOptions): Promise<DocumentObject>;
  /**
   * Lists the names of a thing's named shadows.
   *
   * @example
   * await aws.listNamed({ thingName: "lamp", pageSize: "25" });
   */
  listNamed(request: ListNamedRequest, options?: ShadowCallOptions): Promise<DocumentObject>;
  /**
   * Returns the documents for the subscribers of a shadow's topics, for any update.
   *
   * @example
   * manager.onChange((change) => change.kind === "updated" && publish(aws.documentsOf(change.update)));
   */
  documentsOf(update: Pick<ShadowUpdate, "previous" | "current">): UpdateDocuments;
}

/**
 * Opens AWS IoT's shadow service on a manager.
 *
 * @example
 * const aws = awsShadows(openShadowManager(port));
 * const { accepted } = await aws.update({ thingName: "lamp", shadowName: "" }, '{"state":{"desired":{"on":true}}}');
 */
export function awsShadows(manager: ShadowManager, clock: Clock = systemClock): AwsShadows {
  const { limits } = manager;
  const now = () => Math.floor(clock.now() / 1000);
  const named = (shadow: AwsShadowName) => {
    checkNames(shadow, limits);
    return { id: shadow.thingName, name: shadow.shadowName };
  };
  return {
    async get(shadow, payload = "", options) {
      const name = named(shadow);
      const clientToken = parseToken(payload, limits);
      const view = await manager.get(name, options);
      if (view === undefined) throw shadowNotFound(name);
      return getDocument(view, { timestamp: now(), clientToken });
    },
    async update(shadow, payload, options) {
      const name = named(shadow);
      const request = parseUpdate(payload, limits);
      const { state, version, clientToken } = request;
      // A request without halves changes nothing, but counts as an update.
      const halves = state === null ? { desired: null, reported: null } : { desired: {}, ...state };
      const outcome = await manager.update({ ...name, ...halves, version, clientToken }, options);
      return acceptedUpdate(request, unwrap(outcome));
    },
    documentsOf,
    async delete(shadow, payload = "", options) {
      const name = named(shadow);
      // AWS ignores everything else in a delete.
      const clientToken = tokenFor(payload, limits);
      const { version, timeStamp } = unwrap(await manager.delete(name, options));
      return deletedDocument(version, { timestamp: secondsOf(timeStamp), clientToken });
    },
    async listNamed({ thingName, nextToken, pageSize }, options) {
      checkNames({ thingName, shadowName: "" }, limits);
      const size = pageSize === undefined ? 25 : Number(pageSize);
      if (!Number.isInteger(size) || size < 1 || size > 100) throw requestInvalid("Invalid pageSize");
      const page = await listNamed(manager.shadows, thingName, {
        ...options,
        token: nextToken,
        pageSize: size,
      });
      return {
        results: page.names,
        timestamp: now(),
        ...(page.token !== undefined && { nextToken: page.token }),
      };
    },
  };
}

function acceptedUpdate(request: UpdateDocument, update: ShadowUpdate): AcceptedUpdate {
  const { current } = update;
  const context = { timestamp: secondsOf(current.timeStamp), clientToken: request.clientToken };
  let documents: UpdateDocuments | undefined;
  const once = () => {
    documents ??= documentsOf(update);
    return documents;
  };
  // Created on demand: a caller that only answers requests does not need the messages.
  return {
    accepted: acceptedDocument(request, current, context),
    get documents() {
      return once().documents;
    },
    get delta() {
      return once().delta;
    },
  };
}

/** The token of the request is stored beside the document. */
function documentsOf({ previous, current }: Pick<ShadowUpdate, "previous" | "current">): UpdateDocuments {
  const clientToken = current.clientToken === "" ? undefined : current.clientToken;
  const context = { timestamp: secondsOf(current.timeStamp), clientToken };
  const delta = deltaDocument(current, context);
  return {
    documents: documentsDocument(previous, current, context),
    ...(delta !== undefined && { delta }),
  };
}
